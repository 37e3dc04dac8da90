"""Penalty (regulation 12.29): a sector of the goal, the bar, or a failure; fixed 10 rounds in advance."""

from __future__ import annotations

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import Stream
from games.plain_rules import PlainRules

SECTORS = 24
COLUMNS = 8

ENDS: tuple[Outcome, ...] = (
    *({"sector": sector} for sector in range(1, SECTORS + 1)),
    {"result": "bar"},
    {"result": "failure"},
)
"""Every result of a shot, all equally likely, in the order of the draw."""


def is_yellow(sector: int) -> bool:
    """The colour of a sector, yellow or else blue: in version 1 the goal is chequered, 12 and 12, from a yellow 1.

    Sectors 1 to 8 are the upper row, 9 to 16 the middle one, 17 to 24 the bottom one, from left to right.
    """
    row, column = divmod(sector - 1, COLUMNS)
    return (row + column) % 2 == 0


class Penalty(PlainRules):
    """One of 26 equally likely results of a shot."""

    name = "penalty"
    lead = 10

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002
        """A sector from 1 to 24, or the bar, or failure (saved, or wide)."""
        return dict(ENDS[stream.below(len(ENDS))])
