"""Shapes of SVG, of which drawings are made.

A drawing is a tree of elements, each ``(tag, attributes, *inside)``. All numbers are whole, so that two languages
cannot round them differently. Symbols stand in ``static/pictures.svg``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from markupsafe import Markup, escape

from api.pages.pictures.data import PICTURES

Shape: TypeAlias = tuple[Any, ...]
"""A tag, its attributes, and what is inside: shapes and text."""

SHEET = "/static/pictures.svg"
"""Where the symbols are."""
INK, GREY = PICTURES.colors["ink"], PICTURES.colors["grey"]


def svg(width: int, height: int, *inside: Shape | str) -> Shape:
    """Make a whole drawing."""
    attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    return "svg", attributes, *inside


def use(symbol: str, x: int, y: int, width: int, height: int) -> Shape:
    """Draw a symbol of the sheet."""
    return "use", {"href": f"{SHEET}#{symbol}", "x": x, "y": y, "width": width, "height": height}


def text(words: str, fill: str, x: int, y: int, size: int) -> Shape:
    """Write words on a line at ``y``, around ``x``."""
    attributes = {"x": x, "y": y, "font-size": size, "font-weight": 700, "fill": fill, "text-anchor": "middle"}
    return "text", attributes, words


def fit(words: str, fill: str, x: int, y: int, width: int, height: int) -> Shape:
    """Write words in the middle of a rectangle, as large as they fit."""
    size = min(height // 2, width * 5 // (4 * max(1, len(words))))
    return text(words, fill, x + width // 2, y + height // 2 + size * 3 // 8, size)


def box(fill: str, round_by: int, x: int, y: int, width: int, height: int) -> Shape:
    """Draw a rectangle with round corners, one unit inside its place."""
    place = {"x": x + 1, "y": y + 1, "width": width - 2, "height": height - 2, "rx": round_by}
    return "rect", {**place, "fill": fill, "stroke": GREY, "stroke-width": 2}


def letters_of(shape: Shape | str) -> Iterator[int]:
    """Yield how large the letters in a drawing are, in its units."""
    if not isinstance(shape, str):
        tag, attributes, *inside = shape
        yield from [int(attributes["font-size"])] if tag == "text" else []
        for each in inside:
            yield from letters_of(each)


def struck(shape: Shape) -> Shape:
    """Strike a drawing through: it did not count."""
    tag, attributes, *inside = shape
    _left, _top, width, height = attributes["viewBox"].split(" ")
    line = {"d": f"M0 {height} {width} 0", "stroke": INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke"}
    return tag, attributes, ("g", {"opacity": "0.4"}, *inside), ("path", line)


def markup(shape: Shape | str) -> Markup:
    """Write the elements as text, with everything escaped."""
    if isinstance(shape, str):
        return escape(shape)
    tag, attributes, *inside = shape
    spelled = Markup().join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), spelled, Markup().join(map(markup, inside)))  # noqa: S704 -- our own markup
