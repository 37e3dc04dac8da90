"""The things at a place of an outcome, and the picture of one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from api.pages.pictures.shapes import BLACK, BLUE, GREEN, GREY, INK, RED, WHITE, Shape, box, text, use

Value: TypeAlias = str | int | list[int]

_SUITS = {"c": "club", "d": "diamond", "h": "heart", "s": "spade"}
_SIGNS = {
    "c": "\N{BLACK CLUB SUIT}",
    "d": "\N{BLACK DIAMOND SUIT}",
    "h": "\N{BLACK HEART SUIT}",
    "s": "\N{BLACK SPADE SUIT}",
}
_CARD = re.compile(r"([0-9A-Z])([cdhs])")
_JOKERS = {"Xx": "", "Xr": "red", "Xb": "black"}
_RED_POCKETS = frozenset((1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36))
_SPLIT = frozenset(("card", "bone", "colored-ball", "thing", "segment"))
_NUMBERED, _LONGEST_NUMBER = frozenset(("ball", "runner", "stop")), 4
_WIDEST = 440
MORE = "…"
"""Stands for the things that a small drawing leaves out."""


def things_of(look: str, value: Value) -> list[str]:
    """Each thing as it is written in the outcome."""
    if isinstance(value, list):
        return [str(each) for each in value]
    if look == "point":
        return list(str(value))
    return str(value).split(" ") if look in _SPLIT and value != "" else [str(value)]


def thing_in_words(look: str, thing: str) -> str:
    """One thing as a person would write it: ``Q♥``, ``10♠``, ``17``."""
    if look != "card":
        return thing
    if thing in _JOKERS:
        return f"Joker {_JOKERS[thing]}".rstrip()
    found = _CARD.fullmatch(thing)
    return thing if found is None else f"{_rank(found[1])}{_SIGNS[found[2]]}"


def _rank(rank: str) -> str:
    return "10" if rank == "T" else rank


Draw: TypeAlias = "Callable[[str, int, int, int], list[Shape]]"
"""Draws a thing with its left upper corner at x, y, and a height of ``size``."""


def width_of(look: str, thing: str, size: int) -> int:
    """How wide a thing's picture is if it is ``size`` high."""
    if _drawn_as(look, thing) in _SQUARE:
        return size
    if _drawn_as(look, thing) in _WORDS:
        return min(_WIDEST, max(size, len(thing) * size * 9 // 32 + size // 2))
    return size * 5 // 7


def draw_thing(look: str, thing: str, x: int, y: int, size: int) -> list[Shape]:
    """The picture of a thing."""
    return _DRAWN[_drawn_as(look, thing)](thing, x, y, size)


def _drawn_as(look: str, thing: str) -> str:
    """A thing that does not fit into the picture of its look is written on a segment."""
    if thing == MORE:
        return "more"
    is_card = thing in _JOKERS or _CARD.fullmatch(thing) is not None
    if (look == "card" and not is_card) or (look in _NUMBERED and len(thing) > _LONGEST_NUMBER):
        return "word"
    return look if look in _DRAWN else "word"


def _die(thing: str, x: int, y: int, size: int) -> list[Shape]:
    return [use(f"die-{thing}", x, y, size, size)]


def _ball(thing: str, x: int, y: int, size: int) -> list[Shape]:
    letters = min(size * 3 // 8, size * 7 // (8 * len(thing)))
    number = text(thing, x + size // 2, y + size // 2 + letters * 3 // 8, letters, BLACK)
    return [use("keno-ball", x, y, size, size), number]


def _colored_ball(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A number and r or b: red ones are round, blue ones square."""
    red = thing.endswith("r")
    ball = box(x + 1, y + 1, size - 2, size - 2, size // (2 if red else 6), RED if red else BLUE)
    return [ball, _inside(thing[:-1], x, y, size, size, WHITE)]


def _pocket(thing: str, x: int, y: int, size: int) -> list[Shape]:
    fill = GREEN if thing in ("0", "00") else RED if int(thing) in _RED_POCKETS else BLACK
    return [box(x + 1, y + 1, size - 2, size - 2, size // 6, fill), _inside(thing, x, y, size, size, WHITE)]


def _card(thing: str, x: int, y: int, size: int) -> list[Shape]:
    width = size * 5 // 7
    face = use("card", x, y, width, size)
    if thing in _JOKERS:
        mark = size * 3 // 7
        name = text("Joker", x + width // 2, y + size * 6 // 7, size // 5, RED if thing == "Xr" else BLACK)
        return [face, use("joker", x + (width - mark) // 2, y + size // 5, mark, mark), name]
    rank, suit = _rank(thing[0]), thing[1]
    mark = size * 3 // 8
    ink = RED if suit in "dh" else BLACK
    return [
        face,
        text(rank, x + width // 2, y + size * 15 // 32, size * (3 if len(rank) == 1 else 2) // 7 + size // 14, ink),
        use(_SUITS[suit], x + (width - mark) // 2, y + size * 9 // 16, mark, mark),
    ]


def _bone(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A domino bone; what has no two halves is written across both."""
    width = size * 5 // 7
    face = box(x + 1, y + 1, width - 2, size - 2, size // 10, WHITE)
    upper, lower = thing[:1], thing[1:]
    middle = ("path", {"d": f"M{x + 4} {y + size // 2}H{x + width - 4}", "stroke": GREY, "stroke-width": 2})
    letters = size * 3 // 8
    halves = ((upper, y + size // 4), (lower, y + size * 3 // 4))
    return [face, middle, *(text(half, x + width // 2, at + letters * 3 // 8, letters, BLACK) for half, at in halves)]


def _segment(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A piece of a wheel under its pointer."""
    tip = x + width_of("segment", thing, size) // 2
    pointer = f"M{tip - size // 8} {y}h{size // 8 * 2}l-{size // 8} {size // 6}z"
    return [*_word(thing, x, y, size), ("path", {"d": pointer, "fill": INK})]


def _word(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """Whatever has words and no picture."""
    width, top = width_of("word", thing, size), size // 6
    letters = min(size * 3 // 8, (width - size // 4) * 8 // (5 * max(1, len(thing))))
    return [
        box(x + 1, y + top, width - 2, size - top - 1, size // 5, "none", INK),
        text(thing, x + width // 2, y + size * 7 // 12 + letters * 3 // 8, letters, INK),
    ]


def _runner(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A number on a saddle-cloth."""
    cloth = f"M{x + 1} {y + 1}h{size - 2}v{size * 2 // 3}q-{size // 2 - 1} {size // 2} -{size - 2} 0z"
    return [
        ("path", {"d": cloth, "fill": WHITE, "stroke": GREY, "stroke-width": 2}),
        _inside(thing, x, y - size // 16, size, size, BLACK),
    ]


def _stop(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A reel's window."""
    width = size * 5 // 7
    window = box(x + 1, y + 1, width - 2, size - 2, size // 10, WHITE)
    line = (
        "path",
        {"d": f"M{x + 2} {y + size // 5}h{width - 4}M{x + 2} {y + size * 4 // 5}h{width - 4}", "stroke": GREY},
    )
    return [window, line, _inside(thing, x, y, width, size, BLACK)]


def _point(thing: str, x: int, y: int, size: int) -> list[Shape]:
    """A point of one side: the first side's stand high, the other's low."""
    width = size * 5 // 7
    high = thing == "A"
    half = size // 2
    return [
        box(x + 1, y + (1 if high else half), width - 2, half - 1, size // 10, WHITE if high else BLACK),
        _inside(thing, x, y + (0 if high else half), width, half, BLACK if high else WHITE),
    ]


def _more(thing: str, x: int, y: int, size: int) -> list[Shape]:
    return [_inside(thing, x, y, size * 5 // 7, size, INK)]


def _inside(words: str, x: int, y: int, width: int, height: int, fill: str) -> Shape:
    """Words in the middle, as large as they fit."""
    size = min(height * 7 // 16, width * 5 // (4 * max(1, len(words))))
    return text(words, x + width // 2, y + height // 2 + size * 3 // 8, size, fill)


_DRAWN: Mapping[str, Draw] = {
    "die": _die,
    "ball": _ball,
    "colored-ball": _colored_ball,
    "pocket": _pocket,
    "card": _card,
    "bone": _bone,
    "segment": _segment,
    "word": _word,
    "runner": _runner,
    "stop": _stop,
    "point": _point,
    "more": _more,
}
_SQUARE = frozenset(("die", "ball", "colored-ball", "pocket", "runner"))
_WORDS = frozenset(("segment", "word"))
