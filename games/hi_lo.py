"""HI LO (regulation 12.21): one card of 25, fixed 10 rounds in advance."""

from __future__ import annotations

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import Stream
from games.plain_rules import PlainRules

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A")
COLORS = ("red", "black")

# The order is the protocol's: each rank red, then black; the Joker, neither high nor low, last.
DECK: tuple[Outcome, ...] = (
    *({"card": rank, "color": color} for rank in RANKS for color in COLORS),
    {"card": "Joker"},
)


class HiLo(PlainRules):
    """One card; every round draws from the whole deck."""

    name = "hi-lo"
    lead = 10

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002
        """One of 25 cards."""
        return dict(DECK[stream.below(len(DECK))])
