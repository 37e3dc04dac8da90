"""Shapes of SVG, of which drawings are made.

A drawing is a tree of elements, each ``(tag, attributes, *inside)``. All numbers are whole, so that two languages
cannot round them differently. Symbols stand in ``static/pictures.svg``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from markupsafe import Markup, escape

Shape: TypeAlias = tuple[Any, ...]
"""A tag, its attributes, and what is inside: shapes and text."""

SHEET = "/static/pictures.svg"
"""Where the symbols are."""
INK, BLACK, WHITE, GREY = "currentColor", "#16181d", "#fffdf8", "#8a8f98"
RED, GREEN, BLUE = "#c9142b", "#0b7a4b", "#2563c9"


def svg(width: int, height: int, *inside: Shape) -> Shape:
    """A whole drawing."""
    attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    return "svg", attributes, *inside


def use(symbol: str, x: int, y: int, width: int, height: int) -> Shape:
    """A symbol of the sheet."""
    return "use", {"href": f"{SHEET}#{symbol}", "x": x, "y": y, "width": width, "height": height}


def text(words: str, x: int, y: int, size: int, fill: str, anchor: str = "middle") -> Shape:
    """Words on a line at ``y``."""
    attributes = {"x": x, "y": y, "font-size": size, "font-weight": 700, "fill": fill, "text-anchor": anchor}
    return "text", attributes, words


def box(x: int, y: int, width: int, height: int, round_by: int, fill: str, stroke: str = GREY) -> Shape:
    """A rectangle with round corners."""
    place = {"x": x, "y": y, "width": width, "height": height, "rx": round_by}
    return "rect", {**place, "fill": fill, "stroke": stroke, "stroke-width": 2}


def struck(shape: Shape) -> Shape:
    """A drawing of what did not count."""
    tag, attributes, *inside = shape
    _left, _top, width, height = attributes["viewBox"].split(" ")
    line = {"d": f"M0 {height} {width} 0", "stroke": INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke"}
    return tag, attributes, ("g", {"opacity": "0.4"}, *inside), ("path", line)


def markup(shape: Shape | str) -> Markup:
    """The elements as text, with everything escaped."""
    if isinstance(shape, str):
        return escape(shape)
    tag, attributes, *inside = shape
    spelled = Markup().join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), spelled, Markup().join(map(markup, inside)))  # noqa: S704 -- our own markup
