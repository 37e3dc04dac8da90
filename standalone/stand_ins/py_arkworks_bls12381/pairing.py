"""Whether a product of pairings is 1: the optimal ate pairing of BLS12-381."""

from __future__ import annotations

from collections.abc import Sequence

from . import g1, g2
from .fields import (
    ONE,
    PARAMETER,
    PRIME,
    Fp12,
    conjugate12,
    frobenius12,
    inverse,
    inverse12,
    product12,
    square12,
    unitary_square12,
)

_LOOP = bin(PARAMETER)[3:]


def is_one(pairs: Sequence[tuple[g1.Point, g2.Point]]) -> bool:
    """Whether the pairings of these points multiply to 1. A pairing with the neutral point is 1."""
    return _has_power_one(_loop([(g1.affine(p), g2.lines_of(q)) for p, q in pairs if p[2]]))


def _loop(pairs: Sequence[tuple[g1.Affine, tuple[tuple[g2.Line, ...], ...]]]) -> Fp12:
    """Miller's loop for all pairs at once, up to factors in a smaller field, which the last power makes 1."""
    # A line's value at (x, y) is constant - slope·x·v + y·vw. Over y, its last coefficient is 1.
    scales = [(inverse(y), -x * inverse(y) % PRIME) for (x, y), _ in pairs]
    f = ONE
    for step in range(len(_LOOP)):
        f = square12(f)
        for (scale, slope_scale), (_, lines) in zip(scales, pairs, strict=True):
            for s0, s1, c0, c1 in lines[step]:
                value = (
                    c0 * scale % PRIME,
                    c1 * scale % PRIME,
                    s0 * slope_scale % PRIME,
                    s1 * slope_scale % PRIME,
                )
                f = _times_line(f, value)
    return f


def _times_line(f: Fp12, line: tuple[int, int, int, int]) -> Fp12:
    """The product of f and a + bv + vw, a and b being pairs."""
    p0, p1, q0, q1 = line
    r0, r1 = p0 + q0, p1 + q1
    p, q, r = p0 + p1, q0 + q1, r0 + r1
    halves = []
    for a0, a1, a2, a3, a4, a5 in f:
        # A half of f, a0 … a5, times a + bv: five products of pairs.
        x, y = a0 * p0, a1 * p1
        m0, m1 = x - y, (a0 + a1) * p - x - y
        x, y = a2 * q0, a3 * q1
        n0, n1 = x - y, (a2 + a3) * q - x - y
        b0, b1 = a0 + a2, a1 + a3
        x, y = b0 * r0, b1 * r1
        k0, k1 = x - y - m0 - n0, (b0 + b1) * r - x - y - m1 - n1
        x, y = a4 * q0, a5 * q1
        l0, l1 = x - y, (a4 + a5) * q - x - y
        x, y = a4 * p0, a5 * p1
        halves.append((m0 + l0 - l1, m1 + l0 + l1, k0, k1, n0 + x - y, n1 + (a4 + a5) * p - x - y))
    (a0, a1, a2, a3, a4, a5), (b0, b1, b2, b3, b4, b5) = f
    (c0, c1, c2, c3, c4, c5), (d0, d1, d2, d3, d4, d5) = halves
    # The other half times vw: a·vw is v·a in the half of w, and b·w·vw is v²·b in the half without.
    return (
        (
            (c0 + b2 - b3) % PRIME,
            (c1 + b2 + b3) % PRIME,
            (c2 + b4 - b5) % PRIME,
            (c3 + b4 + b5) % PRIME,
            (c4 + b0) % PRIME,
            (c5 + b1) % PRIME,
        ),
        (
            (d0 + a4 - a5) % PRIME,
            (d1 + a4 + a5) % PRIME,
            (d2 + a0) % PRIME,
            (d3 + a1) % PRIME,
            (d4 + a2) % PRIME,
            (d5 + a3) % PRIME,
        ),
    )


def _has_power_one(f: Fp12) -> bool:
    """Whether the pairing's last power of f, with the exponent (p¹² - 1) / order, is 1."""
    # (p⁶ - 1)(p² + 1), after which an inverse is a conjugate.
    m = product12(conjugate12(f), inverse12(f))
    m = product12(frobenius12(frobenius12(m)), m)
    # What is left is (p⁴ - p² + 1) / order, and three times that is (x - 1)²(x + p)(x² + p² - 1) + 3 (Hayashida,
    # Hayasaka, Teruya, eprint 2020/875). The order is no multiple of three, so the cube of the pairing is 1 only if
    # the pairing is.
    a = _less_one(_less_one(m))
    b = product12(_to_parameter(a), frobenius12(a))
    c = product12(frobenius12(frobenius12(b)), conjugate12(b))
    d = product12(_to_parameter(_to_parameter(b)), c)
    return product12(d, product12(unitary_square12(m), m)) == ONE


def _to_parameter(m: Fp12) -> Fp12:
    """Raise m to the power of x, the curve's negative parameter."""
    result = m
    for bit in _LOOP:
        result = unitary_square12(result)
        if bit == "1":
            result = product12(result, m)
    return conjugate12(result)


def _less_one(m: Fp12) -> Fp12:
    """Raise m to the power of x - 1."""
    return product12(_to_parameter(m), conjugate12(m))
