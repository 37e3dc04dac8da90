"""The curve y² = x³ + 4 over Fp, and its subgroup G1: decoding, encoding and sums."""

from __future__ import annotations

from .fields import PARAMETER, PRIME, inverse, root

SIZE = 48
Point = tuple[int, int, int]
"""Jacobian coordinates: x = X/Z², y = Y/Z³; Z is 0 for the neutral point."""
Affine = tuple[int, int]

NEUTRAL: Point = (1, 1, 0)
COMPRESSED, INFINITY, LARGER = 0x80, 0x40, 0x20
"""The flags in the first byte: the point is compressed; it is the neutral one; y is the larger of the two."""
_COEFFICIENT = 4
# A cube root of 1: (x, y) to (root·x, y) multiplies each point of G1 by the negative square of the parameter.
_CUBE_ROOT = 0x5F19672FDF76CE51BA69C6076A0F77EADDB3A93BE6F89688DE17D813620A00022E01FFFFFFFEFFFE


def decoded(data: bytes) -> Point:
    """The point of G1 that 48 bytes spell. Raises `ValueError` if they do not spell one."""
    flags = data[0] if len(data) == SIZE else 0
    if not flags & COMPRESSED:
        raise ValueError("a compressed point of G1 is 48 bytes long, and its first bit is set")
    x = int.from_bytes(data, "big") % (1 << 381)
    if flags & INFINITY:
        if flags & LARGER or x:
            raise ValueError("the neutral point has one spelling")
        return NEUTRAL
    y = root(x * x * x + _COEFFICIENT)
    if x >= PRIME or y is None:
        raise ValueError("no point of the curve has this x")
    if (2 * y > PRIME) != bool(flags & LARGER):
        y = PRIME - y
    point = (x, y, 1)
    if not in_subgroup(point):
        raise ValueError("this point of the curve is not in the subgroup")
    return point


def encoded(point: Point) -> bytes:
    """The compressed spelling of a point, 48 bytes."""
    if not point[2]:
        return bytes([COMPRESSED | INFINITY]) + bytes(SIZE - 1)
    x, y = affine(point)
    flags = COMPRESSED | (LARGER if 2 * y > PRIME else 0)
    return (x | flags << 8 * (SIZE - 1)).to_bytes(SIZE, "big")


def in_subgroup(point: Point) -> bool:
    """Whether a point of the curve is in G1 (Scott, eprint 2021/1130, section 6)."""
    x, y, z = point
    squared = times_parameter(times_parameter(point))
    return equal(squared, (x * _CUBE_ROOT % PRIME, -y % PRIME, z))


def affine(point: Point) -> Affine:
    """The coordinates x and y. Raises `ValueError` for the neutral point, which has none."""
    x, y, z = point
    scale = inverse(z)
    square = scale * scale % PRIME
    return x * square % PRIME, y * square * scale % PRIME


def equal(p: Point, q: Point) -> bool:
    """Whether two points are the same, whatever their coordinates' scale."""
    if not p[2] or not q[2]:
        return p[2] == q[2]
    a, b = p[2] * p[2], q[2] * q[2]
    return not (p[0] * b - q[0] * a) % PRIME and not (p[1] * b * q[2] - q[1] * a * p[2]) % PRIME


def negative(point: Point) -> Point:
    """The negative of a point."""
    return point[0], -point[1] % PRIME, point[2]


def double(point: Point) -> Point:
    """Twice a point."""
    x, y, z = point
    b = y * y % PRIME
    d = 4 * x * b
    e = 3 * x * x
    x3 = (e * e - 2 * d) % PRIME
    return x3, (e * (d - x3) - 8 * b * b) % PRIME, 2 * y * z % PRIME


def add(p: Point, q: Point) -> Point:
    """The sum of any two points, including equal ones and the neutral one."""
    if not p[2]:
        return q
    if not q[2]:
        return p
    a, b = p[2] * p[2] % PRIME, q[2] * q[2] % PRIME
    u1, u2 = p[0] * b % PRIME, q[0] * a % PRIME
    s1, s2 = p[1] * b * q[2] % PRIME, q[1] * a * p[2] % PRIME
    h, r = (u2 - u1) % PRIME, (s2 - s1) % PRIME
    if not h:
        return NEUTRAL if r else double(p)
    hh = h * h % PRIME
    hhh, v = h * hh % PRIME, u1 * hh % PRIME
    x = (r * r - hhh - 2 * v) % PRIME
    return x, (r * (v - x) - s1 * hhh) % PRIME, p[2] * q[2] * h % PRIME


def times_parameter(point: Point) -> Point:
    """A point times the absolute value of the curve's parameter."""
    result = point
    for bit in bin(PARAMETER)[3:]:
        result = double(result)
        if bit == "1":
            result = add(result, point)
    return result
