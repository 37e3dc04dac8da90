"""An outcome of many things, drawn in rows: each place begins a row, and rows wrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from api.pages.pictures.looks import Looks
from api.pages.pictures.shapes import INK, Shape, svg, text
from api.pages.pictures.things import MORE, draw_thing, width_of
from api.pages.pictures.words import Place, Translate, place_in_words, places_of

Row: TypeAlias = tuple[str, list[str]]
"""A look, and things of that look that stand side by side."""

_WIDTH = 440
_SMALL, _FEW, _MANY = 70, 3, 20
_SIZES = {_FEW: 120, _MANY: 70}
_SIZE_OF_MANY = 42
_LABEL, _LETTERS = 30, 20
_ROWS_OF_SMALL, _ROWS_OF_ONE, _IN_A_ROW_OF_SMALL = 3, 2, 3


def small_rows(looks: Looks, outcome: Mapping[str, Any]) -> Shape:
    """The first things of the first places, as high as a line. What is cut off is shown by a sign."""
    places = list(places_of(looks, outcome))
    if _is_one_each(places):
        return _side_by_side(places)
    rows = [_cut(look, things, 1) for _, look, things in places[:_ROWS_OF_SMALL]]
    if len(places) == 1:
        look, things = _cut(places[0][1], places[0][2], _ROWS_OF_ONE)
        rows = [(look, things[at : at + _IN_A_ROW_OF_SMALL]) for at in range(0, len(things), _IN_A_ROW_OF_SMALL)]
    gap = _SMALL // 12
    width = max([_SMALL, *(_width(row, _SMALL) for row in rows)])
    height = max(1, len(rows)) * (_SMALL + gap) - gap
    shapes = [shape for at, row in enumerate(rows) for shape in _draw(row, width, at * (_SMALL + gap), _SMALL)]
    return svg(width, height, *shapes)


def large_rows(looks: Looks, outcome: Mapping[str, Any], _: Translate) -> Shape:
    """Every thing, with the names of the places if there are several."""
    places = list(places_of(looks, outcome))
    if _is_one_each(places):
        return _side_by_side(places, _)
    count = sum(len(things) for _place, _look, things in places)
    size = next((size for most, size in _SIZES.items() if count <= most), _SIZE_OF_MANY)
    shapes: list[Shape] = []
    top = 0
    for place, look, things in places:
        if len(places) > 1:
            shapes.append(text(place_in_words(place, _), _WIDTH // 2, top + _LETTERS, _LETTERS, INK))
            top += _LABEL
        for row in _wrapped(look, things, size):
            shapes.extend(_draw(row, _WIDTH, top, size))
            top += size + size // 12
        top += size // 12
    return svg(_WIDTH, max(top, 1), *shapes)


def _is_one_each(places: Sequence[Place]) -> bool:
    return 1 < len(places) <= _IN_A_ROW_OF_SMALL and all(len(things) == 1 for _place, _look, things in places)


def _side_by_side(places: Sequence[Place], _: Translate | None = None) -> Shape:
    """One thing each: small in a row; large in columns, below the names of their places."""
    size = _SMALL if _ is None else _SIZES[_FEW]
    top = 0 if _ is None else _LABEL
    gap = size // 12 if _ is None else size // 4
    columns = [
        max(width_of(look, things[0], size), 0 if _ is None else len(place_in_words(place, _)) * _LETTERS * 3 // 4)
        for place, look, things in places
    ]
    whole = sum(columns) + gap * (len(columns) - 1)
    left = 0 if _ is None else max(0, (_WIDTH - whole) // 2)
    shapes: list[Shape] = []
    for (place, look, things), column in zip(places, columns, strict=True):
        if _ is not None:
            shapes.append(text(place_in_words(place, _), left + column // 2, _LETTERS, _LETTERS, INK))
        shapes.extend(draw_thing(look, things[0], left + (column - width_of(look, things[0], size)) // 2, top, size))
        left += column + gap
    return svg(whole if _ is None else max(_WIDTH, whole), top + size, *shapes)


def _cut(look: str, things: list[str], rows: int) -> Row:
    most = rows * _IN_A_ROW_OF_SMALL
    return look, things if len(things) <= most else [*things[: most - 1], MORE]


def _wrapped(look: str, things: list[str], size: int) -> Iterator[Row]:
    row: list[str] = []
    for thing in things:
        if row and _width((look, [*row, thing]), size) > _WIDTH:
            yield look, row
            row = []
        row.append(thing)
    yield look, row


def _width(row: Row, size: int) -> int:
    look, things = row
    return sum(width_of(look, thing, size) + size // 12 for thing in things) - size // 12


def _draw(row: Row, width: int, top: int, size: int) -> list[Shape]:
    """A row in the middle of the width; one that is too wide is one long word, which is made smaller."""
    look, things = row
    x = max(0, (width - _width(row, size)) // 2)
    shapes: list[Shape] = []
    for thing in things:
        shapes.extend(draw_thing(look, thing, x, top, size))
        x += width_of(look, thing, size) + size // 12
    return shapes
