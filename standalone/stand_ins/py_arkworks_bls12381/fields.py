"""The fields of BLS12-381: Fp as integers, Fp2 as pairs, Fp6 and Fp12 flat, six and twelve integers.

Fp2 is Fp[u] with u² = -1, Fp6 is Fp2[v] with v³ = 1 + u, and Fp12 is Fp6[w] with w² = v. So an element of Fp12 is
(a0 … a5, b0 … b5): the pairs of 1, v and v², then those of w, vw and v²w.

Most functions are written for a reader. The three functions of the pairing's loops are written out, and take the
remainder only once for each integer of their result, because in Python that takes longer than anything else.
"""

from __future__ import annotations

PRIME = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
PARAMETER = 0xD201000000010000
"""The curve's parameter x is negative: this is -x."""

Fp2 = tuple[int, int]
Fp6 = tuple[int, int, int, int, int, int]
Fp12 = tuple[Fp6, Fp6]

ONE: Fp12 = ((1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0))


def root(number: int) -> int | None:
    """A square root in Fp, or `None` if there is none. The prime is 3 modulo 4."""
    found = pow(number, (PRIME + 1) // 4, PRIME)
    return found if found * found % PRIME == number % PRIME else None


def inverse(number: int) -> int:
    """The inverse in Fp. Raises `ValueError` for 0."""
    return pow(number, -1, PRIME)


def sum2(a: Fp2, b: Fp2) -> Fp2:
    """The sum in Fp2."""
    return (a[0] + b[0]) % PRIME, (a[1] + b[1]) % PRIME


def difference2(a: Fp2, b: Fp2) -> Fp2:
    """The difference in Fp2."""
    return (a[0] - b[0]) % PRIME, (a[1] - b[1]) % PRIME


def product2(a: Fp2, b: Fp2) -> Fp2:
    """The product in Fp2."""
    return (a[0] * b[0] - a[1] * b[1]) % PRIME, (a[0] * b[1] + a[1] * b[0]) % PRIME


def conjugate2(a: Fp2) -> Fp2:
    """The p-th power in Fp2."""
    return a[0], -a[1] % PRIME


def inverse2(a: Fp2) -> Fp2:
    """The inverse in Fp2. Raises `ValueError` for 0."""
    norm = inverse(a[0] * a[0] + a[1] * a[1])
    return a[0] * norm % PRIME, -a[1] * norm % PRIME


def power2(a: Fp2, exponent: int) -> Fp2:
    """A power in Fp2."""
    result = (1, 0)
    for bit in f"{exponent:b}":
        result = product2(result, result)
        if bit == "1":
            result = product2(result, a)
    return result


def root2(a: Fp2) -> Fp2 | None:
    """A square root in Fp2, or `None` if there is none."""
    # With x + yu the root and n its norm, x² - y² = a0 and x² + y² = n, so x² = (a0 + n) / 2 for one of the n =
    # ±√(a0² + a1²).
    norm = root(a[0] * a[0] + a[1] * a[1])
    if norm is None:
        return None
    half = inverse(2)
    for n in (norm, -norm):
        x = root((a[0] + n) * half)
        if x is not None:
            y = root((n - a[0]) * half)
            if y is not None:
                found = (x, y) if (2 * x * y - a[1]) % PRIME == 0 else (x, -y % PRIME)
                if product2(found, found) == (a[0] % PRIME, a[1] % PRIME):
                    return found
    return None


def _product6(a: Fp6, b: Fp6) -> Fp6:
    """The product in Fp6, its integers not reduced."""
    a0, a1, a2, a3, a4, a5 = a
    b0, b1, b2, b3, b4, b5 = b
    # Karatsuba's way twice: six products of pairs, each of three products of integers.
    p, q = a0 * b0, a1 * b1
    x0, x1 = p - q, (a0 + a1) * (b0 + b1) - p - q
    p, q = a2 * b2, a3 * b3
    y0, y1 = p - q, (a2 + a3) * (b2 + b3) - p - q
    p, q = a4 * b4, a5 * b5
    z0, z1 = p - q, (a4 + a5) * (b4 + b5) - p - q
    c0, c1, d0, d1 = a2 + a4, a3 + a5, b2 + b4, b3 + b5
    p, q = c0 * d0, c1 * d1
    s0, s1 = p - q - y0 - z0, (c0 + c1) * (d0 + d1) - p - q - y1 - z1
    c0, c1, d0, d1 = a0 + a2, a1 + a3, b0 + b2, b1 + b3
    p, q = c0 * d0, c1 * d1
    t0, t1 = p - q - x0 - y0, (c0 + c1) * (d0 + d1) - p - q - x1 - y1
    c0, c1, d0, d1 = a0 + a4, a1 + a5, b0 + b4, b1 + b5
    p, q = c0 * d0, c1 * d1
    return (
        x0 + s0 - s1,
        x1 + s0 + s1,
        t0 + z0 - z1,
        t1 + z0 + z1,
        p - q - x0 - z0 + y0,
        (c0 + c1) * (d0 + d1) - p - q - x1 - z1 + y1,
    )


def _reduced(a: tuple[int, int, int, int, int, int]) -> Fp6:
    a0, a1, a2, a3, a4, a5 = a
    return a0 % PRIME, a1 % PRIME, a2 % PRIME, a3 % PRIME, a4 % PRIME, a5 % PRIME


def product12(f: Fp12, g: Fp12) -> Fp12:
    """The product in Fp12."""
    a, b = f
    c, d = g
    x0, x1, x2, x3, x4, x5 = _product6(a, c)
    y0, y1, y2, y3, y4, y5 = _product6(b, d)
    a0, a1, a2, a3, a4, a5 = a
    b0, b1, b2, b3, b4, b5 = b
    c0, c1, c2, c3, c4, c5 = c
    d0, d1, d2, d3, d4, d5 = d
    z0, z1, z2, z3, z4, z5 = _product6(
        (a0 + b0, a1 + b1, a2 + b2, a3 + b3, a4 + b4, a5 + b5), (c0 + d0, c1 + d1, c2 + d2, c3 + d3, c4 + d4, c5 + d5)
    )
    return (
        _reduced((x0 + y4 - y5, x1 + y4 + y5, x2 + y0, x3 + y1, x4 + y2, x5 + y3)),
        _reduced((z0 - x0 - y0, z1 - x1 - y1, z2 - x2 - y2, z3 - x3 - y3, z4 - x4 - y4, z5 - x5 - y5)),
    )


def square12(f: Fp12) -> Fp12:
    """The square in Fp12: (a + bw)² = (a + b)(a + vb) - ab - v·ab + 2ab·w."""
    a, b = f
    a0, a1, a2, a3, a4, a5 = a
    b0, b1, b2, b3, b4, b5 = b
    x0, x1, x2, x3, x4, x5 = _product6(a, b)
    y0, y1, y2, y3, y4, y5 = _product6(
        (a0 + b0, a1 + b1, a2 + b2, a3 + b3, a4 + b4, a5 + b5),
        (a0 + b4 - b5, a1 + b4 + b5, a2 + b0, a3 + b1, a4 + b2, a5 + b3),
    )
    return (
        _reduced((y0 - x0 - x4 + x5, y1 - x1 - x4 - x5, y2 - x2 - x0, y3 - x3 - x1, y4 - x4 - x2, y5 - x5 - x3)),
        _reduced((x0 << 1, x1 << 1, x2 << 1, x3 << 1, x4 << 1, x5 << 1)),
    )


def unitary_square12(f: Fp12) -> Fp12:
    """The square of an element whose order divides p⁴ - p² + 1 (Granger and Scott, eprint 2009/565, section 3.2)."""
    (a0, a1, a2, a3, a4, a5), (b0, b1, b2, b3, b4, b5) = f
    # Three squares in Fp4, of the pairs at (1, vw), (w, v²) and (v, v²w): x² + (1 + u)·y², and 2xy.
    p, q = (a0 + a1) * (a0 - a1), 2 * a0 * a1
    r, s = (b2 + b3) * (b2 - b3), 2 * b2 * b3
    c, d = a0 + b2, a1 + b3
    x0, x1 = p + r - s, q + r + s
    y0, y1 = (c + d) * (c - d) - p - r, 2 * c * d - q - s
    p, q = (b0 + b1) * (b0 - b1), 2 * b0 * b1
    r, s = (a4 + a5) * (a4 - a5), 2 * a4 * a5
    c, d = b0 + a4, b1 + a5
    z0, z1 = p + r - s, q + r + s
    t0, t1 = (c + d) * (c - d) - p - r, 2 * c * d - q - s
    p, q = (a2 + a3) * (a2 - a3), 2 * a2 * a3
    r, s = (b4 + b5) * (b4 - b5), 2 * b4 * b5
    c, d = a2 + b4, a3 + b5
    k0, k1 = p + r - s, q + r + s
    l0, l1 = (c + d) * (c - d) - p - r, 2 * c * d - q - s
    return (
        (
            (3 * x0 - 2 * a0) % PRIME,
            (3 * x1 - 2 * a1) % PRIME,
            (3 * z0 - 2 * a2) % PRIME,
            (3 * z1 - 2 * a3) % PRIME,
            (3 * k0 - 2 * a4) % PRIME,
            (3 * k1 - 2 * a5) % PRIME,
        ),
        (
            (3 * (l0 - l1) + 2 * b0) % PRIME,
            (3 * (l0 + l1) + 2 * b1) % PRIME,
            (3 * y0 + 2 * b2) % PRIME,
            (3 * y1 + 2 * b3) % PRIME,
            (3 * t0 + 2 * b4) % PRIME,
            (3 * t1 + 2 * b5) % PRIME,
        ),
    )


def conjugate12(f: Fp12) -> Fp12:
    """The p⁶-th power in Fp12; of an element of which `unitary_square12` is the square, the inverse."""
    a, b = f
    return a, _reduced((-b[0], -b[1], -b[2], -b[3], -b[4], -b[5]))


_W = [power2((1, 1), k * (PRIME - 1) // 6) for k in range(6)]
"""w^(k·(p - 1)), an element of Fp2 each."""


def frobenius12(f: Fp12) -> Fp12:
    """The p-th power in Fp12."""
    (a0, a1, a2, a3, a4, a5), (b0, b1, b2, b3, b4, b5) = f
    pairs = [
        product2((x, -y), factor)
        for (x, y), factor in zip(((a0, a1), (b0, b1), (a2, a3), (b2, b3), (a4, a5), (b4, b5)), _W, strict=True)
    ]
    return (*pairs[0], *pairs[2], *pairs[4]), (*pairs[1], *pairs[3], *pairs[5])


def inverse12(f: Fp12) -> Fp12:
    """The inverse in Fp12. Raises `ValueError` for 0."""
    # f times its conjugate is in Fp6, and what is in Fp6 times its two other conjugates is in Fp2.
    conjugate = conjugate12(f)
    a, _ = product12(f, conjugate)
    first, second = _other_conjugates6(a)
    others = product12((first, ONE[1]), (second, ONE[1]))
    (norm0, norm1, *_), _ = product12((a, ONE[1]), others)
    scale0, scale1 = inverse2((norm0, norm1))
    return product12(product12(conjugate, others), ((scale0, scale1, 0, 0, 0, 0), ONE[1]))


_CUBE_ROOT = pow(2, (PRIME - 1) // 3, PRIME)


def _other_conjugates6(a: Fp6) -> tuple[Fp6, Fp6]:
    """An element of Fp6 with v multiplied by a cube root of 1, and by its square."""
    c = _CUBE_ROOT
    d = c * c % PRIME
    a0, a1, a2, a3, a4, a5 = a
    return _reduced((a0, a1, a2 * c, a3 * c, a4 * d, a5 * d)), _reduced((a0, a1, a2 * d, a3 * d, a4 * c, a5 * c))
