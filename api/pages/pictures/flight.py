"""The kind ``flight``: the multiplier grows by a curve until it stops (regulation 12.20, 12.26)."""

from __future__ import annotations

import itertools
import math

from api.pages.pictures.shapes import INK, Shape, svg, text, use

_LEFT, _RIGHT, _BOTTOM, _TOP = 64, 530, 340, 64
_CURVES = 8


def flight(multiplier: str, *, has_rocket: bool, large: bool) -> Shape:
    """The curve up to the multiplier, and in a large drawing the multiplier itself."""
    color = "#7c5cfc" if has_rocket else "#d9480f"
    path, (x, y) = flight_path(float(multiplier))
    size = 96 if large else 128
    axes = {"d": f"M{_LEFT} {_TOP} {_LEFT} {_BOTTOM} {_RIGHT} {_BOTTOM}", "fill": "none"}
    pen = {"stroke-linecap": "round", "stroke-linejoin": "round"}
    inside: list[Shape] = [
        ("path", {"d": f"{path}V{_BOTTOM}H{_LEFT}z", "fill": color, "opacity": "0.16"}),
        ("path", {**axes, "stroke": INK, "stroke-opacity": "0.35", "stroke-width": size // 20}),
        ("path", {"d": path, "fill": "none", "stroke": color, "stroke-width": size // 8, **pen}),
        use("burst", x - size // 2, y - size // 2, size, size),
    ]
    if has_rocket:
        inside.append(use("rocket", x - size * 3 // 8, y - size * 3 // 8, size * 3 // 4, size * 3 // 4))
    if large:
        words = f"{multiplier}\N{MULTIPLICATION SIGN}"
        inside.append(text(words, _LEFT + 24, 124, min(84, 720 // len(words)), INK, "start"))
    return svg(600, 400, *inside)


def flight_path(multiplier: float) -> tuple[str, tuple[int, int]]:
    """The curve e^t from 1 to where it stopped, in the drawing's units, and its last point.

    The drawing shows what lies between 1 and the multiplier, but never less than up to 2: so 1.00
    is a point, 1.50 half of the height, and all that is beyond 2 fills it, the steeper the larger.
    """
    top = max(multiplier, 2.0)
    growth = math.log(top)
    end = math.log(multiplier) / growth

    def point(along: float, height: float) -> tuple[int, int]:
        x = _LEFT + (_RIGHT - _LEFT) * along
        y = _BOTTOM - (_BOTTOM - _TOP) * height
        return math.floor(x + 0.5), math.floor(y + 0.5)

    def height(along: float) -> float:
        return (math.exp(growth * along) - 1) / (top - 1)

    def slope(along: float) -> float:
        return growth * math.exp(growth * along) / (top - 1)

    # Bézier curves with the right slope at both ends, shorter where it is steep.
    at = [end * (1 - (1 - i / _CURVES) ** 2) for i in range(_CURVES + 1)]
    parts = []
    for start, stop in itertools.pairwise(at):
        third = (stop - start) / 3
        first = point(start + third, height(start) + third * slope(start))
        second = point(stop - third, height(stop) - third * slope(stop))
        parts.append(" ".join(f"{x} {y}" for x, y in (first, second, point(stop, height(stop)))))
    return f"M{_LEFT} {_BOTTOM}C{' '.join(parts)}", point(end, height(end))
