"""Columns, spelled for comparison."""

from __future__ import annotations

from games.facts.hi_lo import DECK
from games.facts.penalty import ENDS


def spelled(game: str, numbers: list[int]) -> object:
    """The outcome that these numbers stand for."""
    if game == "hi-lo":
        return DECK[numbers[0]]
    if game == "penalty":
        return ENDS[numbers[0]]
    if game == "sic-bo":
        return {"dice": numbers}
    return {"number": numbers[0]} if game == "keno-express" else {"multiplier": f"{numbers[0] / 100:.2f}"}
