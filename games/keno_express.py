"""Keno Express (regulation 12.33): one number from 1 to 100, fixed at least 2 rounds in advance."""

from __future__ import annotations

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import Stream
from games.plain_rules import PlainRules

NUMBERS = 100


class KenoExpress(PlainRules):
    """One ball of a hundred."""

    name = "keno-express"
    lead = 2

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002
        """A number from 1 to 100."""
        return {"number": stream.below(NUMBERS) + 1}
