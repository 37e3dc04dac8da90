"""Outcomes that are one thing with a look of its own: a flight, a card without a suit, a shot at the goal, a ball
from a drum.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from api.pages.pictures.data import PICTURES
from api.pages.pictures.drawn import case_of, shapes_of
from api.pages.pictures.flight import flight_path
from api.pages.pictures.formulas import Names, calculated
from api.pages.pictures.looks import Looks
from api.pages.pictures.shapes import Shape, svg


def whole_of(looks: Looks, outcome: Mapping[str, Any], *, large: bool) -> Shape | None:
    """Draw an outcome whose places have one such look together; `None` for all others."""
    look, *others = dict.fromkeys(looks.values())
    values = [outcome[place] for place in looks if place in outcome]
    if others or any(isinstance(value, list) for value in values):
        return None
    return _drawn(look, " ".join(map(str, values)), large=large)


@lru_cache(1024)
def _drawn(look: str, text: str, *, large: bool) -> Shape | None:
    drawing = PICTURES.wholes.get(look)
    found = case_of(drawing.cases, text) if drawing else None
    if drawing is None or found is None:
        return None
    case, names = found
    known = {**names, "look": look, "large": int(large), **_numbers_of(look, text)}
    return svg(calculated(drawing.width, known), calculated(drawing.height, known), *shapes_of(case, known))


def _numbers_of(look: str, text: str) -> Names:
    """Calculate what a formula cannot."""
    if look in ("flight", "rocket"):
        path, (x, y) = flight_path(float(text))
        return {"path": path, "x": x, "y": y}
    return {"n": int(text)} if text.isdecimal() else {}
