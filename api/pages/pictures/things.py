"""The things at a place of an outcome, and the picture of one of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from api.pages.pictures.data import PICTURES, Case
from api.pages.pictures.drawn import case_of, filled, shapes_of
from api.pages.pictures.formulas import Names, calculated
from api.pages.pictures.shapes import Shape

Value: TypeAlias = str | int | list[int]

_SPLIT = frozenset(("card", "bone", "colored-ball", "thing", "segment"))
MORE = "more"
"""The look of ``+12``: so many things are left out."""


def things_of(look: str, value: Value) -> list[str]:
    """List each thing as it is written in the outcome."""
    if isinstance(value, list):
        return [str(each) for each in value]
    if look == "point":
        return list(str(value))
    return str(value).split(" ") if look in _SPLIT and value != "" else [str(value)]


def thing_in_words(look: str, thing: str) -> str:
    """Write one thing as a person would: ``Q♥``, ``10♠``, ``17``."""
    found = case_of(PICTURES.things["card"].cases, thing) if look == "card" else None
    return thing if found is None else filled(found[0].says, found[1])


def width_of(look: str, thing: str, size: int) -> int:
    """Calculate how wide a thing's picture is if it is ``size`` high."""
    return _measured(look, thing, size)[2]


@lru_cache(4096)
def draw_thing(look: str, thing: str, x: int, y: int, size: int) -> list[Shape | str]:
    """Draw a thing with its left upper corner at x, y."""
    case, names, width = _measured(look, thing, size)
    return shapes_of(case, {**names, "x": x, "y": y, "size": size, "width": width})


@lru_cache(4096)
def _measured(look: str, thing: str, size: int) -> tuple[Case, Names, int]:
    """Find the case of a thing, and its width. What does not fit into the picture of its look is drawn as a word."""
    for drawn_as in (look, "word"):
        drawing = PICTURES.things.get(drawn_as)
        found = case_of(drawing.cases, thing) if drawing else None
        if drawing and found:
            return *found, calculated(drawing.width, {"t0": thing, "size": size})
    raise ValueError(f"pictures.json: expected a case of `word` for {thing!r}")
