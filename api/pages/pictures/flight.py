"""The kind ``flight``: the multiplier grows by a curve until it stops (regulation 12.20, 12.26)."""

from __future__ import annotations

import itertools
import math

_LEFT, _RIGHT, _BOTTOM, _TOP = 64, 530, 340, 64
_CURVES = 8


def flight_path(multiplier: float) -> tuple[str, tuple[int, int]]:
    """Draw the curve e^t from 1 to where it stopped, in the drawing's units, and its last point.

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
