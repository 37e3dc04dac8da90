"""Points of BLS12-381 that only a dishonest signer sends: of the curve or of its twist, but not of G1 or G2.

Plain arithmetic, written for these tests; it shares nothing with the verifiers'.
"""

from __future__ import annotations

from dataclasses import dataclass

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
X = -0xD201000000010000
ORDER = X**4 - X**2 + 1
COFACTOR_1 = (X - 1) ** 2 // 3
COFACTOR_2 = (X**8 - 4 * X**7 + 5 * X**6 - 4 * X**4 + 6 * X**3 - 4 * X**2 - 4 * X + 13) // 9
SMALL_ORDERS_1 = (3, 11, 10_177, 859_267, 52_437_899)
"""The primes that divide the cofactor of G1."""
SMALL_ORDERS_2 = (13, 23, 2713, 11_953, 262_069)
"""The small primes that divide the cofactor of G2."""
COMPRESSED, INFINITY, LARGER = 0x80, 0x40, 0x20


@dataclass(frozen=True, slots=True)
class Element:
    """a + b·u of Fp2, where u² = -1; with b = 0, of Fp."""

    a: int
    b: int = 0

    def __add__(self, other: Element) -> Element:
        return Element((self.a + other.a) % P, (self.b + other.b) % P)

    def __neg__(self) -> Element:
        return Element(-self.a % P, -self.b % P)

    def __sub__(self, other: Element) -> Element:
        return self + -other

    def __mul__(self, other: Element) -> Element:
        return Element((self.a * other.a - self.b * other.b) % P, (self.a * other.b + self.b * other.a) % P)

    def __truediv__(self, other: Element) -> Element:
        norm = pow(other.a**2 + other.b**2, -1, P)
        return self * Element(other.a * norm % P, -other.b * norm % P)

    def root(self, *, of_fp: bool) -> Element | None:
        """A square root, if there is one: of a number of Fp one in Fp, or of any in Fp2."""
        if of_fp:
            found = Element(pow(self.a, (P + 1) // 4, P))
        else:
            norm = pow(self.a**2 + self.b**2, (P + 1) // 4, P)
            half = pow(2, -1, P)
            squares = [(self.a + each) * half % P for each in (norm, -norm)]
            first = next((pow(each, (P + 1) // 4, P) for each in squares if pow(each, P // 2, P) == 1), None)
            if first is None:
                return None
            found = Element(first, self.b * half * pow(first, -1, P) % P)
        return found if found * found == self else None


Point = tuple[Element, Element] | None
"""None is infinity."""


def total(first: Point, second: Point) -> Point:
    """The sum of two points of one curve."""
    if first is None or second is None:
        return second if first is None else first
    (x1, y1), (x2, y2) = first, second
    if (x1 == x2 and y1 != y2) or y1 == y2 == Element(0):
        return None
    slope = Element(3) * x1 * x1 / (y1 + y1) if x1 == x2 else (y2 - y1) / (x2 - x1)
    x = slope * slope - x1 - x2
    return x, slope * (x1 - x) - y1


def multiple(number: int, point: Point) -> Point:
    """The multiple of the point."""
    found: Point = None
    for bit in f"{number:b}":
        found = total(found, found)
        if bit == "1":
            found = total(found, point)
    return found


def point_at(x: Element, *, twist: bool) -> Point:
    """A point of the curve or of its twist with this x; None if there is none."""
    y = (x * x * x + (Element(4, 4) if twist else Element(4))).root(of_fp=not twist)
    return None if y is None else (x, y)


def small_point(order: int, *, twist: bool) -> Point:
    """A point of this small prime order."""
    rest = (COFACTOR_2 if twist else COFACTOR_1) * ORDER
    while rest % order == 0:
        rest //= order
    for number in range(1, 1000):
        found = multiple(rest, point_at(Element(number, int(twist)), twist=twist))
        while found is not None and (next_found := multiple(order, found)) is not None:
            found = next_found
        if found is not None:
            return found
    raise AssertionError(f"no point of order {order}")


def encoded(point: Point, *, twist: bool) -> str:
    """The point as it is compressed, in hexadecimal."""
    assert point is not None
    x, y = point
    larger = 2 * (y.b or y.a) > P
    flags = COMPRESSED | (LARGER if larger else 0)
    words = [x.b, x.a] if twist else [x.a]
    words[0] |= flags << 376
    return b"".join(word.to_bytes(48, "big") for word in words).hex()


def decoded(text: str) -> Point:
    """A point of the curve from its compressed spelling, which must be valid."""
    whole = int(text, 16)
    x = Element(whole & ~((COMPRESSED | INFINITY | LARGER) << 376))
    found = point_at(x, twist=False)
    assert found is not None
    return found if encoded(found, twist=False) == text else (found[0], -found[1])
