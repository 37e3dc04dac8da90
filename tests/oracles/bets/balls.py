"""Balls and fruits in the order in which they fall (12.19, 12.34, 12.35, 12.38, 12.45, 12.46)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Drawn = Mapping[str, Any]

KENO = {
    1: {1: "3.5"},
    2: {1: "1", 2: "10"},
    3: {2: "2", 3: "50"},
    4: {2: "1.5", 3: "10", 4: "80"},
    5: {2: "1", 3: "3", 4: "30", 5: "150"},
    6: {3: "2", 4: "15", 5: "60", 6: "500"},
    7: {0: "1", 3: "2", 4: "4", 5: "20", 6: "80", 7: "1000"},
    8: {0: "1", 4: "5", 5: "15", 6: "50", 7: "200", 8: "2000"},
    9: {0: "2", 4: "2", 5: "10", 6: "25", 7: "125", 8: "1000", 9: "5000"},
    10: {0: "2", 5: "5", 6: "30", 7: "100", 8: "300", 9: "2000", 10: "10000"},
}
GOLD = {4: {2: "1", 3: "10", 4: "100"}, 5: {2: "1", 3: "3", 4: "20", 5: "150"}}
EIGHT = ("black", "green", "blue", "red", "purple", "yellow", "orange", "brown")


def keno(text: str, drawn: Drawn) -> Fraction:
    name, *numbers = text.split()
    hits = sum(int(number) in drawn["balls"] for number in numbers)
    table = GOLD.get(len(numbers), KENO[len(numbers)]) if name == "keno-gold" else KENO[len(numbers)]
    return Fraction(table.get(hits, 0))


def _sum(text: str, total: int) -> bool:
    """``odd``, ``even``, ``over 92.5``, ``under 92.5``."""
    if text in ("odd", "even"):
        return total % 2 == (text == "odd")
    side, bound = text.split()
    return total > float(bound) if side == "over" else total < float(bound)


def _chosen(text: str, balls: Sequence[int]) -> bool | None:
    """``number 7``, ``not 7``, ``two 7 9``, ``none of …``, ``2 of …``; `None` for another bet."""
    name, *rest = text.split()
    if (
        not rest
        or not rest[-1].isdecimal()
        or name not in {"number", "not", "two", "three", "four", "none", *"12345"}
    ):
        return None
    hits = sum(int(each) in balls for each in rest if each != "of")
    if name in ("not", "none"):
        return hits == 0
    return hits >= int(name) if name.isdecimal() else hits == len(rest)


def _of_colour(what: str, number: int, all_of_them: int) -> bool:
    """How many balls of a colour."""
    match what.split():
        case ["some"]:
            return number >= 1
        case ["none"]:
            return number == 0
        case ["over" | "under" as side, bound]:
            return number > float(bound) if side == "over" else number < float(bound)
        case ["not", exactly]:
            return number != int(exactly)
        case [exactly]:
            return number == int(exactly) <= all_of_them
    raise AssertionError(what)


def lucky_5(text: str, drawn: Drawn) -> bool:
    balls: list[int] = drawn["balls"]
    chosen = _chosen(text, balls)
    if chosen is not None:
        return chosen
    colours = Counter(_nine(ball) for ball in balls)
    odd = sum(ball % 2 for ball in balls)
    match text.split():
        case ["more", "odd" | "even" as parity]:
            return (odd > 5 - odd) == (parity == "odd")
        case ["sum", *rest]:
            return _sum(" ".join(rest), sum(balls))
        case [number, "of", "a", "colour"]:
            return max(colours.values()) >= {"three": 3, "four": 4, "five": 5}[number]
        case ["more", one, "or", other]:
            return colours[one] + colours[other] > 2
        case [one, "more", "than", other]:
            return colours[one] > colours[other]
        case [one, "equal", "to", other]:
            return colours[one] == colours[other]
        case [colour, *what]:
            return _of_colour(" ".join(what), colours[colour], 5)
    raise AssertionError(text)


def _nine(ball: int) -> str:
    """The colours of version 1, in turn."""
    return ("white", "blue", "green", "red")[(ball - 1) % 4]


def _is_yellow(ball: int) -> bool:
    return ball != 42 and -(-ball // 2) % 2 == 1


def lucky_7(text: str, drawn: Drawn) -> bool:
    balls: list[int] = drawn["balls"]
    chosen = _chosen(text, balls)
    if chosen is not None:
        return chosen
    first, last = balls[0], balls[-1]
    named: dict[str, Callable[[int], bool]] = {
        "odd": lambda ball: ball % 2 == 1,
        "even": lambda ball: ball % 2 == 0,
        "yellow": _is_yellow,
        "black": lambda ball: not _is_yellow(ball),
    }
    match text.split():
        case ["first", "two", "of", "one", "colour"]:
            return _is_yellow(first) == _is_yellow(balls[1])
        case ["first", "two", "of", "two", "colours"]:
            return _is_yellow(first) != _is_yellow(balls[1])
        case ["first", "two", one]:
            return named[one](first) and named[one](balls[1])
        case ["first", "two", one, other]:
            return named[one](first) and named[other](balls[1])
        case ["first", one, "last", other]:
            return named[one](first) and named[other](last)
        case ["first" | "last" as which, one]:
            return named[one](first if which == "first" else last)
        case ["more", one]:
            return sum(map(named[one], balls)) >= 4
        case ["sum", *rest]:
            return _sum(" ".join(rest), sum(balls))
        case [colour, "sum", *rest]:
            return _sum(" ".join(rest), sum(filter(named[colour], balls)))
        case [colour, *what]:
            return _of_colour(" ".join(what), sum(map(named[colour], balls)), 7)
    raise AssertionError(text)


def lucky_6_of_48(text: str, drawn: Drawn) -> bool:
    balls: list[int] = drawn["balls"]
    match text.split():
        case ["six", *chosen, last]:
            out = set(balls[: int(last)])
            return set(map(int, chosen)) <= out and balls[int(last) - 1] in map(int, chosen)
        case ["first", "five", *rest]:
            return _sum(" ".join(rest), sum(balls[:5]))
        case ["more", parity]:
            odd = sum(ball % 2 for ball in balls)
            return (odd >= 18) == (parity == "odd")
        case [which, *rest]:
            ball = balls[0 if which == "first" else 34]
            return EIGHT[ball % 8] == rest[0] if rest[0] in EIGHT else _sum(" ".join(rest), ball)
    raise AssertionError(text)


def lucky_6(text: str, drawn: Drawn) -> bool:
    zones: dict[str, list[tuple[int, str]]] = {
        zone.upper(): [(int(ball[0]), ball[1]) for ball in drawn[zone].split()] for zone in "abc"
    }
    every = [ball for zone in zones.values() for ball in zone]
    digits = [digit for digit, _ in every]
    match text.split():
        case ["zone", zone, "digit", digit]:
            return int(digit) in [each for each, _ in zones[zone]]
        case ["zone", zone, "two", number]:
            return "".join(str(digit) for digit, _ in zones[zone]) == number
        case ["zone", zone, *rest]:
            return _sum(" ".join(rest), sum(digit for digit, _ in zones[zone]))
        case ["count", digit, *rest]:
            return _sum(" ".join(rest), digits.count(int(digit)))
        case ["red" | "blue" as colour, *rest]:
            return _sum(" ".join(rest), sum(digit for digit, of in every if of == colour[0]))
        case ["even" | "odd" as parity, "balls", *rest]:
            return _sum(" ".join(rest), sum(digit % 2 == (parity == "odd") for digit in digits))
        case ["sum", *rest]:
            return _sum(" ".join(rest), sum(digits))
    raise AssertionError(text)


def fruitrace(text: str, drawn: Drawn) -> bool:
    panel = ["plum"] * 3 + ["cherry"] * 3 + ["lemon"] * 3 + ["7"]
    tube: list[str] = drawn["tube"].split()
    matches = [shown == fell for shown, fell in zip(panel, tube, strict=True)]
    if text == "7":
        return matches == [False] * 9 + [True]
    return sum(matches) == int(text.split()[1])
