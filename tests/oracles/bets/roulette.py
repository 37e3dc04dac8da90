"""Roulette in its five forms (12.1, 12.18), as one lays chips: on a table of three columns and twelve rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Outcome = Mapping[str, object]

REDS = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
FOR_ONE = {1: 35, 2: 17, 3: 11, 4: 8, 6: 5}
SERIES = {
    "zero": "0/3 12/15 32/35 26",
    "voisins": "0/2/3 0/2/3 4/7 12/15 18/21 19/22 32/35 25/26/28/29 25/26/28/29",
    "orphelins": "1 6/9 14/17 17/20 31/34",
    "tier": "5/8 10/11 13/16 23/24 27/30 33/36",
}


def is_layout(numbers: Sequence[int]) -> bool:
    """Whether a chip can lie between these numbers."""
    size = len(numbers)
    if 0 in numbers:
        return list(numbers) in ([0], [0, 1], [0, 2], [0, 3], [0, 1, 2], [0, 2, 3], [0, 1, 2, 3])
    rows, columns = sorted({(n - 1) // 3 for n in numbers}), sorted({(n - 1) % 3 for n in numbers})
    together = rows[-1] - rows[0] == len(rows) - 1 and columns[-1] - columns[0] == len(columns) - 1
    shape = (len(rows), len(columns))
    return together and size == len(rows) * len(columns) and shape in ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 3))


def chip(numbers: Sequence[int], pocket: object) -> Fraction:
    """An inside bet pays its odds beside the stake."""
    return Fraction(FOR_ONE[len(numbers)] + 1) if str(pocket) in map(str, numbers) else Fraction(0)


def outside(name: str, which: str, n: int) -> bool:
    """Whether a number from 1 belongs to an outside bet."""
    return {
        "low": n <= 18,
        "high": n > 18,
        "red": n in REDS,
        "black": n not in REDS,
        "odd": n % 2 == 1,
        "even": n % 2 == 0,
        "dozen": str((n + 11) // 12) == which,
        "column": str(n % 3 or 3) == which,
    }[name]


def paid(game: str, words: Sequence[str], outcome: Outcome) -> Fraction:
    """By one ball."""
    pocket, name = str(outcome["pocket"]), words[0]
    if name in SERIES:
        chips = [[int(n) for n in each.split("/")] for each in SERIES[name].split()]
        return sum((chip(each, pocket) for each in chips), Fraction(0)) / len(chips)
    if name == "five":
        return Fraction(7 if pocket in ("0", "00", "1", "2", "3") else 0)
    if name in ("number", "split", "street", "corner", "line"):
        return _inside(game, words[1:], outcome)
    which = words[1] if len(words) > 1 else ""
    if pocket in ("0", "00"):
        return Fraction(1, 2) if game == "french-roulette" and not which else Fraction(0)
    return Fraction((3 if which else 2) * outside(name, which, int(pocket)))


def _inside(game: str, numbers: Sequence[str], outcome: Outcome) -> Fraction:
    pocket = str(outcome["pocket"])
    if game == "lightning-roulette" and len(numbers) == 1:
        lucky = {str(each): by for each, by in zip(outcome["lucky"], outcome["multipliers"], strict=True)}  # type: ignore[call-overload]  # both are lists
        return Fraction(lucky.get(pocket, 30)) if pocket == numbers[0] else Fraction(0)
    if numbers != ["00"] and "00" not in numbers:
        assert is_layout([int(each) for each in numbers]), numbers
    return Fraction((FOR_ONE[len(numbers)] + 1) * (pocket in numbers))


def paid_by_two(words: Sequence[str], balls: Sequence[int]) -> Fraction:
    """Double Ball: inside bets are paid for each ball that falls on them, outside bets want both."""
    one, other = balls
    name, *rest = words
    if name in ("number", "split", "street", "corner", "line"):
        of = {1: Fraction(18), 2: Fraction(9), 3: Fraction(6), 4: Fraction(9, 2), 6: Fraction(3)}[len(rest)]
        return sum((of for ball in balls if str(ball) in rest), Fraction(0))
    if words == ["any", "pair"]:
        return Fraction(36 * (one == other))
    if name == "pair":
        return Fraction(1301 * (one == other == int(rest[0])))
    if 0 in balls:
        return Fraction(0)
    if words == ["red", "or", "black"]:
        return Fraction(2 * ((one in REDS) != (other in REDS)))
    which = rest[0] if rest else ""
    return Fraction((9 if which else 4) * all(outside(name, which, ball) for ball in balls))
