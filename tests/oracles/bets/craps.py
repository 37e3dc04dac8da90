"""Craps (12.41) as one stands at the table: bets lie there, and each roll takes some away."""

from __future__ import annotations

from collections.abc import Iterator

Roll = tuple[int, int]

ONE_ROLL = {
    "field": {2, 3, 4, 9, 10, 11, 12},
    "seven": {7},
    "craps": {2, 3, 12},
    "crap 2": {2},
    "crap 3": {3},
    "crap 12": {12},
    "eleven": {11},
    "c&e": {2, 3, 12, 11},
}


def ended(bet: str, rolls: Iterator[Roll]) -> tuple[str, int]:
    """``wins``, ``loses`` or ``tie``, and with which roll, counted from 1."""
    if bet in ONE_ROLL:
        return ("wins" if sum(next(rolls)) in ONE_ROLL[bet] else "loses"), 1
    *name, last = bet.split()
    if name == ["hard"]:
        return _hard(int(last), rolls)
    if last.isdigit():
        return _race(" ".join(name) in ("take odds", "place"), int(last), rolls, 0)
    return _line(bet.startswith("don't"), rolls)


def _line(is_against: bool, rolls: Iterator[Roll]) -> tuple[str, int]:
    """Pass and Come, and the bets against them, from their first roll on."""
    total = sum(next(rolls))
    if total in (7, 11):
        return ("loses" if is_against else "wins"), 1
    if total == 12 and is_against:
        return "tie", 1
    if total in (2, 3, 12):
        return ("wins" if is_against else "loses"), 1
    return _race(not is_against, total, rolls, 1)


def _race(is_for_point: bool, point: int, rolls: Iterator[Roll], before: int) -> tuple[str, int]:
    """The point against seven."""
    for at, roll in enumerate(rolls, before + 1):
        if sum(roll) in (7, point):
            return ("wins" if (sum(roll) == point) is is_for_point else "loses"), at
    raise AssertionError("too few rolls")


def _hard(total: int, rolls: Iterator[Roll]) -> tuple[str, int]:
    for at, (one, other) in enumerate(rolls, 1):
        if one + other == total:
            return ("wins" if one == other else "loses"), at
        if one + other == 7:
            return "loses", at
    raise AssertionError("too few rolls")
