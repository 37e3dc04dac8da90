"""Sic Bo, also offered as Super and Mega Sic Bo (regulation 12.25): three dice, fixed 5 rounds in advance."""

from __future__ import annotations

import itertools

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import Stream
from games.plain_rules import PlainRules

FACES = range(1, 7)

THROWS: tuple[Outcome, ...] = tuple({"dice": list(dice)} for dice in itertools.product(FACES, repeat=3))
"""Every throw of three dice, all equally likely."""


class SicBo(PlainRules):
    """Three dice, in the order in which they are drawn."""

    name = "sic-bo"
    lead = 5

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:  # noqa: ARG002
        """Three numbers from 1 to 6."""
        return {"dice": [stream.below(6) + 1, stream.below(6) + 1, stream.below(6) + 1]}
