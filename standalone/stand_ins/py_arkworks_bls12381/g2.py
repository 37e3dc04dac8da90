"""The curve y² = x³ + 4(1 + u) over Fp2, and its subgroup G2: decoding, and the lines of the pairing's loop.

A verifier pairs with few points of G2, and often with each of them, so what depends only on such a point is
computed once: the slopes and constants of its lines.
"""

from __future__ import annotations

from functools import lru_cache

from .fields import (
    PARAMETER,
    PRIME,
    Fp2,
    conjugate2,
    difference2,
    inverse2,
    power2,
    product2,
    root2,
    sum2,
)
from .g1 import COMPRESSED, INFINITY, LARGER

SIZE = 96
Point = tuple[Fp2, Fp2]
"""A point by its coordinates x and y; the neutral one is never needed."""
Line = tuple[int, int, int, int]
"""The line through two points of the curve: its slope s, and s·x - y, for a point (x, y) on it; an element of Fp2
each.
"""

_COEFFICIENT: Fp2 = (4, 4)
_LARGEST_FLAG = 1 << 381
_HALF = (PRIME - 1) // 2
GENERATOR = bytes.fromhex(
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
)


def decoded(data: bytes) -> Point:
    """The point of G2 that 96 bytes spell. Raises `ValueError` if they spell none, or the neutral one."""
    flags = data[0] if len(data) == SIZE else 0
    if not flags & COMPRESSED or flags & INFINITY:
        raise ValueError("a compressed point of G2 is 96 bytes long, its first bit is set, and its second is not")
    half = SIZE // 2
    x = (int.from_bytes(data[half:], "big"), int.from_bytes(data[:half], "big") % _LARGEST_FLAG)
    y = root2(sum2(product2(product2(x, x), x), _COEFFICIENT))
    if max(x) >= PRIME or y is None:
        raise ValueError("no point of the curve has this x")
    if _is_larger(y) != bool(flags & LARGER):
        y = (-y[0] % PRIME, -y[1] % PRIME)
    lines_of((x, y))
    return x, y


def encoded(point: Point) -> bytes:
    """The compressed spelling of a point, 96 bytes."""
    (x0, x1), y = point
    flags = COMPRESSED | (LARGER if _is_larger(y) else 0)
    return (x1 | flags << 8 * (SIZE // 2 - 1)).to_bytes(SIZE // 2, "big") + x0.to_bytes(SIZE // 2, "big")


def _is_larger(y: Fp2) -> bool:
    return (y[1] or y[0]) > _HALF


@lru_cache(maxsize=64)
def lines_of(point: Point) -> tuple[tuple[Line, ...], ...]:
    """The lines of the loop over the parameter's bits, one or two each. Raises `ValueError` for a point outside
    G2.
    """
    steps: list[tuple[Line, ...]] = []
    total = point
    for bit in bin(PARAMETER)[3:]:
        (x, y) = total
        square = product2(x, x)
        line, total = _chord(product2((3 * square[0], 3 * square[1]), inverse2((2 * y[0], 2 * y[1]))), x, total)
        step = [line]
        if bit == "1":
            slope = product2(difference2(total[1], point[1]), inverse2(difference2(total[0], point[0])))
            line, total = _chord(slope, point[0], total)
            step.append(line)
        steps.append(tuple(step))
    # The loop arrives at the point times -x, and in G2, and only there, times x is the same as Frobenius' map on the
    # twist (Scott, eprint 2021/1130, section 4).
    x, y = point
    mapped = product2(conjugate2(x), _TWIST_X), product2(conjugate2(y), _TWIST_Y)
    if mapped != (total[0], (-total[1][0] % PRIME, -total[1][1] % PRIME)):
        raise ValueError("this point of the curve is not in the subgroup")
    return tuple(steps)


def _chord(slope: Fp2, other_x: Fp2, point: Point) -> tuple[Line, Point]:
    """The line of this slope through two points, and their sum."""
    x, y = point
    constant = difference2(product2(slope, x), y)
    third_x = difference2(difference2(product2(slope, slope), x), other_x)
    return (*slope, *constant), (third_x, difference2(constant, product2(slope, third_x)))


_TWIST_X = inverse2(power2((1, 1), (PRIME - 1) // 3))
_TWIST_Y = inverse2(power2((1, 1), (PRIME - 1) // 2))
