"""Dice, wheels, and one ball or symbol of a list (12.22, 12.27, 12.31, 12.36, 12.40, 12.44, 12.47, 12.52)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.oracles.bets.roulette import REDS

Drawn = Mapping[str, Any]


def dice_duel(text: str, drawn: Drawn) -> bool:
    red, blue = drawn["red"], drawn["blue"]
    match text.split():
        case ["red"]:
            return bool(red > blue)
        case ["blue"]:
            return bool(blue > red)
        case ["draw"]:
            return bool(red == blue)
        case ["red", one, "blue", other]:
            return (red, blue) == (int(one), int(other))
        case [which, *what]:
            return _number(" ".join(what), {"red": red, "blue": blue, "sum": red + blue}[which])
    raise AssertionError(text)


def _number(what: str, number: int) -> bool:
    """``odd``, ``under 3.5``, ``5``."""
    match what.split():
        case ["odd"]:
            return number % 2 == 1
        case ["even"]:
            return number % 2 == 0
        case ["over", bound]:
            return number > float(bound)
        case ["under", bound]:
            return number < float(bound)
        case [same]:
            return number == int(same)
    raise AssertionError(what)


def one_bet(text: str, drawn: Drawn) -> bool:
    ball: int = drawn["ball"]
    if text in ("red", "black"):
        return ball != 0 and (ball in REDS) == (text == "red")
    if text in ("odd", "even"):
        return ball != 0 and _number(text, ball)
    if text.startswith("column"):
        return ball in range(int(text[-1]), 37, 3)
    if "-" in text:
        low, high = map(int, text.split("-"))
        return low <= ball <= high
    return _number(text.removeprefix("number "), ball)


def wheel(text: str, drawn: Drawn) -> bool:
    """The colours are those of version 1: grey, red, black in turn."""
    if drawn["sector"] == "cup" or text == "cup":
        return bool(drawn["sector"] == text)
    sector = int(drawn["sector"])
    colour = ["grey", "red", "black"][(sector - 1) % 3]
    if "-" in text:
        low, high = map(int, text.split("-"))
        return low <= sector <= high
    *parity, last = text.split()
    if last in ("grey", "red", "black"):
        return colour == last and all(_number(each, sector) for each in parity)
    return _number(text.removeprefix("number "), sector)


def rock_paper_scissors(text: str, drawn: Drawn) -> bool | Fraction:
    """An equal card returns the bet."""
    who, symbol = text.split()
    other = drawn["gold" if who == "silver" else "silver"]
    if drawn[who] != symbol:
        return False
    if other == symbol:
        return Fraction(1)
    return (symbol, other) in {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def spins(text: str, drawn: Drawn) -> Fraction:
    """Dream Catcher, Monopoly's numbers: to one, with all multipliers before on the odds."""
    *before, last = drawn["spins"].split()
    if last != text:
        return Fraction(0)
    odds = int(text)
    for label in before:
        odds *= int(label[:-1]) if label.endswith("x") else 1
    return Fraction(odds + 1)


def crazy_time(text: str, drawn: Drawn) -> Fraction:
    return Fraction(int(text) + 1) if drawn["segment"] == text else Fraction(0)


def lightning_dice(text: str, drawn: Drawn) -> Fraction:
    """By hand from the sheet of sums: 96 % of 400/565 of what is fair; a lucky sum by its multiplier."""
    total = int(text.split()[1])
    if sum(drawn["dice"]) != total:
        return Fraction(0)
    ways = sum(a + b + c == total for a in range(1, 7) for b in range(1, 7) for c in range(1, 7))
    base = Fraction(96 * 400 * 216 // (565 * ways), 100)
    lit: dict[int, int] = dict(zip(drawn["lucky"], drawn["multipliers"], strict=True))
    return base * lit.get(total, 1)
