"""Outcomes in the form of the log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from fairness.draws.game import Game, Rules
from verifier.lab.rounds import Round


def outcome_lines(game: Game, rules: Rules, rounds: Iterable[Round]) -> Iterator[bytes]:
    """Yield ``{"dice":[1,5,2]}`` and a line feed for each round."""
    encode = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
    for each in rounds:
        yield encode(game.outcome(each.stream(), rules)).encode("ascii") + b"\n"
