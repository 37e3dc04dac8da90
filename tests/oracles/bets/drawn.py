"""Outcomes of the catalogue's games, drawn from seeds that never change."""

from __future__ import annotations

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import Stream
from games.declared.catalogue import catalogue


def some_outcomes(game: str, rules: Rules, number: int) -> list[Outcome]:
    """As a table of this game would draw them, in rounds 1, 2, 3 …"""
    (declaration,) = (each.declaration for each in catalogue() if each.game == game)
    return [declaration.outcome(Stream([bytes(32)], bytes(range(32)), at), rules) for at in range(1, number + 1)]
