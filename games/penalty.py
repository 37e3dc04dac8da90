"""Penalty (regulation 12.29): a sector of the goal, the bar, or a failure; fixed 10 rounds in advance."""

from __future__ import annotations

from fairness.game import Outcome, Rules
from fairness.stream import Stream
from games.plain_rules import PlainRules

SECTORS = 24
BAR = SECTORS
FAILURE = SECTORS + 1


class Penalty(PlainRules):
    """One of 26 equally likely ends of a shot."""

    name = "penalty"
    lead = 10

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002
        """A sector from 1 to 24, or the bar, or failure (saved, or wide)."""
        drawn = stream.below(SECTORS + 2)
        if drawn == BAR:
            return {"result": "bar"}
        if drawn == FAILURE:
            return {"result": "failure"}
        return {"sector": drawn + 1}
