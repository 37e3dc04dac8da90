"""Outcomes of the games that have names as numbers, for faults that are planted by arithmetic, and back."""

from __future__ import annotations

from fairness.draws.game import Outcome
from games.facts.hi_lo import DECK
from games.facts.penalty import ENDS


def spelled(game: str, numbers: list[int]) -> Outcome:
    """The outcome that these numbers stand for: a card's place in the deck, an end's place, dice, a number,
    hundredths.
    """
    if game == "hi-lo":
        return DECK[numbers[0]]
    if game == "penalty":
        return ENDS[numbers[0]]
    if game == "sic-bo":
        return {"dice": numbers}
    return {"number": numbers[0]} if game == "keno-express" else {"multiplier": f"{numbers[0] / 100:.2f}"}


def numbered(outcome: Outcome) -> list[int]:
    """The numbers of an outcome."""
    match outcome:
        case {"card": _}:
            return [DECK.index(outcome)]
        case {"dice": list(dice)}:
            return list(map(int, dice))
        case {"number": number}:
            return [int(str(number))]
        case {"multiplier": multiplier}:
            return [round(100 * float(str(multiplier)))]
    return [ENDS.index(outcome)]
