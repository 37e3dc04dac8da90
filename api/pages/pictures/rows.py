"""An outcome of many things, drawn in rows: each place begins a row, and rows wrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from api.pages.pictures.data import PICTURES
from api.pages.pictures.looks import Looks
from api.pages.pictures.shapes import INK, Shape, svg, text
from api.pages.pictures.things import MORE, draw_thing, width_of
from api.pages.pictures.words import Place, Translate, place_in_words, places_of

Row: TypeAlias = tuple[str, list[str]]
"""A look, and things of that look that stand side by side."""

_ROWS = PICTURES.rows


def small_rows(looks: Looks, outcome: Mapping[str, Any]) -> Shape:
    """Draw the first things of the first places, as high as a line. What is cut off is shown by a sign."""
    places = list(places_of(looks, outcome))
    if _is_one_each(places):
        return _in_a_line(places)
    rows = [_cut(look, things, 1) for _, look, things in places[: _ROWS["rowsOfSmall"]]]
    if len(places) == 1:
        look, things = _cut(places[0][1], places[0][2], _ROWS["rowsOfOne"])
        rows = [(look, things[at : at + _ROWS["inARow"]]) for at in range(0, len(things), _ROWS["inARow"])]
    size, gap = _ROWS["small"], _gap(_ROWS["small"])
    width = max([size, *(_width(row, size) for row in rows)])
    height = max(1, len(rows)) * (size + gap) - gap
    shapes = [shape for at, row in enumerate(rows) for shape in _draw(row, width, at * (size + gap), size)]
    return svg(width, height, *shapes)


def large_rows(looks: Looks, outcome: Mapping[str, Any], translate: Translate) -> Shape:
    """Draw every thing, with the names of the places if there are several."""
    places = list(places_of(looks, outcome))
    if _is_one_each(places):
        return _in_columns(places, translate)
    size = _size_of(sum(len(things) for _place, _look, things in places))
    shapes: list[Shape | str] = []
    top = 0
    for place, look, things in places:
        if len(places) > 1:
            shapes.append(_label(place_in_words(place, translate), _ROWS["width"] // 2, top))
            top += _ROWS["label"]
        for row in _wrapped(look, things, size):
            shapes.extend(_draw(row, _ROWS["width"], top, size))
            top += size + _gap(size)
        top += _gap(size)
    return svg(_ROWS["width"], max(top, 1), *shapes)


def _size_of(count: int) -> int:
    if count <= _ROWS["mostFew"]:
        return _ROWS["few"]
    return _ROWS["some"] if count <= _ROWS["mostSome"] else _ROWS["many"]


def _gap(size: int) -> int:
    return size // 12


def _label(words: str, middle: int, top: int) -> Shape:
    return text(words, INK, middle, top + _ROWS["letters"], _ROWS["letters"])


def _is_one_each(places: Sequence[Place]) -> bool:
    return 1 < len(places) <= _ROWS["inARow"] and all(len(things) == 1 for _place, _look, things in places)


def _in_a_line(places: Sequence[Place]) -> Shape:
    """Draw one thing of each place, side by side."""
    size, left = _ROWS["small"], 0
    shapes: list[Shape | str] = []
    for _place, look, (thing,) in places:
        shapes.extend(draw_thing(look, thing, left, 0, size))
        left += width_of(look, thing, size) + _gap(size)
    return svg(left - _gap(size), size, *shapes)


def _in_columns(places: Sequence[Place], translate: Translate) -> Shape:
    """Draw one thing of each place, below the place's name."""
    size = _ROWS["few"]
    gap = size // 4
    named = [(place_in_words(place, translate), look, thing) for place, look, (thing,) in places]
    columns = [max(width_of(look, thing, size), len(name) * _ROWS["letters"] * 3 // 4) for name, look, thing in named]
    whole = sum(columns) + gap * (len(columns) - 1)
    left = max(0, (_ROWS["width"] - whole) // 2)
    shapes: list[Shape | str] = []
    for (name, look, thing), column in zip(named, columns, strict=True):
        shapes.append(_label(name, left + column // 2, 0))
        inset = (column - width_of(look, thing, size)) // 2
        shapes.extend(draw_thing(look, thing, left + inset, _ROWS["label"], size))
        left += column + gap
    return svg(max(_ROWS["width"], whole), _ROWS["label"] + size, *shapes)


def _cut(look: str, things: list[str], rows: int) -> Row:
    most = rows * _ROWS["inARow"]
    return look, things if len(things) <= most else [*things[: most - 1], MORE]


def _wrapped(look: str, things: list[str], size: int) -> Iterator[Row]:
    row: list[str] = []
    for thing in things:
        if row and _width((look, [*row, thing]), size) > _ROWS["width"]:
            yield look, row
            row = []
        row.append(thing)
    yield look, row


def _width(row: Row, size: int) -> int:
    look, things = row
    return sum(width_of(look, thing, size) + _gap(size) for thing in things) - _gap(size)


def _draw(row: Row, width: int, top: int, size: int) -> list[Shape | str]:
    """Draw a row in the middle of the width; one that is too wide is one long word, which is made smaller."""
    look, things = row
    x = max(0, (width - _width(row, size)) // 2)
    shapes: list[Shape | str] = []
    for thing in things:
        shapes.extend(draw_thing(look, thing, x, top, size))
        x += width_of(look, thing, size) + _gap(size)
    return shapes


def dice_in_a_row(dice: Sequence[int]) -> Shape:
    """Draw dice as they were thrown."""
    size, gap = 100, 20
    shapes = [
        shape
        for place, die in enumerate(dice)
        for shape in draw_thing("die", str(die), place * (size + gap), 0, size)
    ]
    return svg(len(dice) * (size + gap) - gap, size, *shapes)
