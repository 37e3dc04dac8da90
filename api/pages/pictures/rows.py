"""An outcome of many things, drawn in rows that wrap: each place has its own, below its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from api.pages.pictures.data import PICTURES
from api.pages.pictures.looks import Looks
from api.pages.pictures.shapes import INK, Shape, svg, text
from api.pages.pictures.things import MORE, draw_thing, width_of
from api.pages.pictures.words import Translate, place_in_words, places_of

Row: TypeAlias = list[tuple[str, str]]
"""Things side by side, each with its look."""


class _Group(NamedTuple):
    """What stands at one place, below its name; there is no name if it is the only place."""

    name: str
    rows: list[Row]
    width: int


_Line: TypeAlias = list[_Group]
_ROWS = PICTURES.rows


def small_rows(looks: Looks, outcome: Mapping[str, Any]) -> Shape | None:
    """Draw the first things of a place or two, as high as a line, and how many more there are; `None` for more
    places, unless one line has room for all.
    """
    rows = _rows_of_small([_row(look, things) for _place, look, things in places_of(looks, outcome)])
    if rows is None:
        return None
    size, step = _ROWS.small, _ROWS.small + _gap(_ROWS.small)
    width = max([size, *(_width(row, size) for row in rows)])
    shapes = [shape for at, row in enumerate(rows) for shape in _draw(row, 0, width, at * step, size)]
    return svg(width, max(1, len(rows)) * step - _gap(size), *shapes)


def large_rows(looks: Looks, outcome: Mapping[str, Any], translate: Translate) -> Shape | None:
    """Draw all things as large as there is room, or the first ones and how many more there are; `None` if there is
    no room for a thing of each place.
    """
    places = [(place, _row(look, things)) for place, look, things in places_of(looks, outcome)]
    has_names = len(places) > 1
    found = _arranged([(place_in_words(place, translate) if has_names else "", row) for place, row in places])
    if found is None:
        return None
    size, lines = found
    shapes: list[Shape | str] = []
    top = 0
    for line in lines:
        left = max(0, (_ROWS.width - _width_of_line(line)) // 2)
        for group in line:
            shapes.extend(_draw_group(group, left, top, size))
            left += group.width + _ROWS.label
        top += _height([line], size) + 2 * _gap(size)
    return svg(_ROWS.width, max(1, _height(lines, size)), *shapes)


def _row(look: str, things: Iterable[str]) -> Row:
    return [(look, thing) for thing in things]


def _rows_of_small(places: Sequence[Row]) -> list[Row] | None:
    if len(places) == 1:
        return _cut_small(places[0], _ROWS.rows_of_small)
    together = [each for row in places for each in row]
    if len(together) == len(places) and len(_wrapped_small(together)) <= 1:
        return [together]
    return [row for place in places for row in _cut_small(place, 1)] if len(places) <= _ROWS.rows_of_small else None


def _cut_small(row: Row, rows: int) -> list[Row]:
    cuts = (_wrapped_small(_beginning(row, most)) for most in range(rows * _ROWS.in_a_row, 0, -1))
    return next((wrapped for wrapped in cuts if len(wrapped) <= rows), [])


def _wrapped_small(row: Row) -> list[Row]:
    return _wrapped(row, _ROWS.small, _ROWS.widest_small, _ROWS.in_a_row)


def _arranged(places: Sequence[tuple[str, Row]]) -> tuple[int, list[_Line]] | None:
    """Choose the largest size at which one line holds everything, if that is large enough; else the largest at which
    everything fits; else the smallest.
    """
    tried = [(size, _lines(places, size)) for size in _ROWS.sizes]
    fitting = [(size, lines) for size, lines in tried if _height(lines, size) <= _ROWS.highest]
    in_one = [(size, lines) for size, lines in fitting if size >= _ROWS.least_of_line and _is_one_row(lines)]
    return next(iter([*in_one, *fitting]), None) or _cut(places)


def _cut(places: Sequence[tuple[str, Row]]) -> tuple[int, list[_Line]] | None:
    """Keep as many things of each place as there is room for."""
    size, kept = _ROWS.sizes[-1], None
    for most in range(1, max(len(row) for _name, row in places)):
        lines = _lines([(name, _beginning(row, most)) for name, row in places], size)
        if _height(lines, size) > _ROWS.highest:
            break
        kept = size, lines
    return kept


def _beginning(row: Row, most: int) -> Row:
    return row if len(row) <= most else [*row[: most - 1], (MORE, f"+{len(row) - most + 1}")]


def _lines(places: Sequence[tuple[str, Row]], size: int) -> list[_Line]:
    """Put the groups side by side as far as there is room."""
    lines: list[_Line] = []
    for name, row in places:
        rows = _wrapped(row, size, _ROWS.width, len(row))
        group = _Group(name, rows, max([_width_of_label(name), *(_width(each, size) for each in rows)]))
        if lines and _width_of_line([*lines[-1], group]) <= _ROWS.width:
            lines[-1].append(group)
        else:
            lines.append([group])
    return lines


def _wrapped(row: Row, size: int, widest: int, most: int) -> list[Row]:
    rows: list[Row] = []
    for each in row:
        if rows and len(rows[-1]) < most and _width([*rows[-1], each], size) <= widest:
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def _is_one_row(lines: Sequence[_Line]) -> bool:
    return len(lines) <= 1 and all(len(group.rows) <= 1 for line in lines for group in line)


def _height(lines: Sequence[_Line], size: int) -> int:
    gap = _gap(size)
    heights = [
        (_ROWS.label if line[0].name else 0) + max(len(group.rows) for group in line) * (size + gap) - gap
        for line in lines
    ]
    return sum(heights) + 2 * gap * max(0, len(lines) - 1)


def _width_of_line(line: _Line) -> int:
    return sum(group.width for group in line) + _ROWS.label * (len(line) - 1)


def _width_of_label(name: str) -> int:
    return min(_ROWS.width, len(name) * _ROWS.letters * 3 // 4)


def _width(row: Row, size: int) -> int:
    return sum(width_of(look, thing, size) + _gap(size) for look, thing in row) - _gap(size)


def _gap(size: int) -> int:
    return size // 12


def _draw_group(group: _Group, left: int, top: int, size: int) -> list[Shape | str]:
    shapes: list[Shape | str] = []
    if group.name:
        letters = min(_ROWS.letters, _ROWS.width * 4 // (3 * len(group.name)))
        shapes.append(text(group.name, INK, left + group.width // 2, top + _ROWS.letters, letters))
        top += _ROWS.label
    for row in group.rows:
        shapes.extend(_draw(row, left, group.width, top, size))
        top += size + _gap(size)
    return shapes


def _draw(row: Row, left: int, width: int, top: int, size: int) -> list[Shape | str]:
    """Draw a row in the middle of a width; one that is too wide is one long word, which is made smaller."""
    x = left + max(0, (width - _width(row, size)) // 2)
    shapes: list[Shape | str] = []
    for look, thing in row:
        shapes.extend(draw_thing(look, thing, x, top, size))
        x += width_of(look, thing, size) + _gap(size)
    return shapes
