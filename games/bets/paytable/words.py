"""The words of figures: their arguments, and the steps that each takes (docs/paytable-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from games.bets.paytable.context import Letters, items, keys, plain_text, text
from games.bets.paytable.spelling import refuse
from games.bets.values import Given

Steps = Callable[[Letters, int, list[Given]], int]
"""The steps of a figure, of so many things, with these arguments."""
_OF_WINNER = ("winner", "cards", "points", "golden", "bust")
_SUIT, _HAND = 13, 20
_DEEPEST = 4


def steps_of(given: object, letters: Letters, depth: int = _DEEPEST) -> int:
    """Return the steps of a figure. Raises `Malformed`."""
    first, *parts = items(given, "a figure", least=2, most=64)
    kind = text(first)
    if kind in ("minus", "both", "holds"):
        if not depth:
            refuse(f"figures at most {_DEEPEST} deep", given)
        if kind == "holds":
            return sum(_held(each, letters, depth) for each in parts)
        one, other = items(parts, f"{kind}: two figures", least=2, most=2)
        return steps_of(one, letters, depth - 1) + steps_of(other, letters, depth - 1)
    if kind not in WORDS:
        letters.context.unknown.append(f"the figure {kind}")
        return 0
    selection, *arguments = parts
    least, most, steps = WORDS[kind]
    if not least <= len(arguments) <= most:
        refuse(f"{kind}: {least} to {most} arguments behind the selection", arguments)
    return steps(letters, letters.selection(selection), arguments)


def _held(given: object, letters: Letters, depth: int) -> int:
    part, values = items(given, "holds: a figure and a set", least=2, most=2)
    return steps_of(part, letters, depth - 1) + _set(values, letters)


def _set(given: object, letters: Letters) -> int:
    return letters.values(keys(given, "a set", {"in"}, set())["in"])


def _plain(letters: Letters, things: int, arguments: list[Given]) -> int:
    for each in arguments:
        letters.context.reading(each)
    return things


def _sum(letters: Letters, things: int, arguments: list[Given]) -> int:
    if len(arguments) > 1 and (type(arguments[1]) is not int or not arguments[1]):
        refuse("sum: a number to divide by", arguments[1])
    return _plain(letters, things, arguments[:1])


def _squared(letters: Letters, things: int, arguments: list[Given]) -> int:
    return _plain(letters, things, arguments) * things


def _tally(letters: Letters, things: int, arguments: list[Given]) -> int:
    return _plain(letters, things, arguments[1:]) * (1 + _set(arguments[0], letters))


def _done(letters: Letters, things: int, arguments: list[Given]) -> int:
    steps = _set(arguments[0], letters)
    if any(isinstance(each, dict) for each in arguments[0]["in"]):
        refuse("done: values, and no ranges", arguments[0])
    return things * (1 + steps)


def _duel(letters: Letters, things: int, arguments: list[Given]) -> int:
    other, by, of = arguments
    letters.context.reading(by)
    if of not in _OF_WINNER:
        refuse(f"duel: one of {', '.join(_OF_WINNER)}", of)
    return things + letters.selection(other)


def _hand(letters: Letters, things: int, arguments: list[Given]) -> int:  # noqa: ARG001 -- as every word has it
    for each in arguments:
        plain_text(each, _SUIT)
    return things * _HAND


def _inorder(letters: Letters, things: int, arguments: list[Given]) -> int:
    return things + sum(letters.value(each) for each in items(arguments[0], "inorder: values"))


def _beyond(letters: Letters, things: int, arguments: list[Given]) -> int:
    if arguments[1] not in ("above", "below"):
        refuse("beyond: above or below", arguments[1])
    return _plain(letters, things, arguments[:1])


def _lit(letters: Letters, things: int, arguments: list[Given]) -> int:
    number, *places = arguments
    letters.number(number)
    return things + sum(letters.selection(each) for each in places)


def _chain(letters: Letters, things: int, arguments: list[Given]) -> int:
    letters.text(arguments[0])
    return things * things


WORDS: Mapping[str, tuple[int, int, Steps]] = {
    "value": (0, 1, _plain),
    "word": (0, 1, _plain),
    "sum": (0, 2, _sum),
    "tally": (1, 2, _tally),
    "length": (0, 0, _plain),
    "points": (1, 1, _plain),
    "duel": (3, 3, _duel),
    "distinct": (0, 1, _squared),
    "most": (0, 1, _squared),
    "done": (1, 1, _done),
    "hand": (0, 1, _hand),
    "hundredths": (0, 0, _plain),
    "inorder": (1, 1, _inorder),
    "match": (1, 1, _plain),
    "beyond": (2, 2, _beyond),
    "between": (1, 1, _plain),
    "path": (1, 1, _plain),
    "ahead": (0, 0, _squared),
    "lit": (3, 3, _lit),
    "chain": (1, 1, _chain),
}
"""By word: how many arguments there are behind the selection, at least and at most, and the steps."""
