"""Ed25519 (RFC 8032, section 5.1), verification only.

It accepts exactly the signatures that OpenSSL accepts: ``S`` is below the group's order, and the
encoding of ``S·B - h·A`` is ``R`` byte for byte, without a cofactor. So ``R`` has one spelling, while
a key's ``y`` is taken modulo the prime, as OpenSSL takes it.

All values are public, so the time may depend on them. That is why nothing here can sign.
"""

from __future__ import annotations

from hashlib import sha512
from typing import NoReturn, Self

from ....exceptions import InvalidSignature  # noqa: TID252 -- inside a package that stands in for another

_SIZE = 32
_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT_OF_MINUS_ONE = pow(2, (_PRIME - 1) // 4, _PRIME)
_SIGN = 1 << 255

Point = tuple[int, int, int, int]
"""Extended coordinates: x = X/Z, y = Y/Z, x·y = T/Z."""

_NEUTRAL: Point = (0, 1, 1, 0)


class Ed25519PublicKey:
    """A key that verifies."""

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded

    @classmethod
    def from_public_bytes(cls, data: bytes) -> Self:
        """Take the 32 bytes of a key. Whether they are a point is checked when a signature is verified."""
        if len(data) != _SIZE:
            raise ValueError(f"an Ed25519 public key is {_SIZE} bytes long")
        return cls(data)

    def verify(self, signature: bytes, data: bytes) -> None:
        """Raise `InvalidSignature` unless this key made ``signature`` over ``data``."""
        if len(signature) != 2 * _SIZE:
            raise InvalidSignature
        encoded_r, s = signature[:_SIZE], int.from_bytes(signature[_SIZE:], "little")
        key = _decoded(self._encoded)
        if s >= _ORDER or key is None:
            raise InvalidSignature
        h = int.from_bytes(sha512(encoded_r + self._encoded + data).digest(), "little") % _ORDER
        if _encoded(_sum_of_multiples(s, _BASE, h, _negative(key))) != encoded_r:
            raise InvalidSignature


class Ed25519PrivateKey:
    """A key that signs, which this program never does."""

    @classmethod
    def from_private_bytes(cls, data: bytes) -> NoReturn:
        """Refuse."""
        del data
        raise NotImplementedError("the verifier signs nothing")


def _decoded(encoded: bytes) -> Point | None:
    """The point that 32 bytes spell, or `None` (RFC 8032, section 5.1.3)."""
    number = int.from_bytes(encoded, "little")
    y, is_odd = number % _SIGN % _PRIME, number >= _SIGN
    # x² = (y² - 1) / (d·y² + 1); the power gives a root of it, or of its negative.
    u, v = y * y - 1, _D * y * y + 1
    x = u * v**3 * pow(u * v**7, (_PRIME - 5) // 8, _PRIME) % _PRIME
    if (v * x * x - u) % _PRIME:
        x = x * _ROOT_OF_MINUS_ONE % _PRIME
        if (v * x * x - u) % _PRIME:
            return None
    if x & 1 != is_odd:
        x = -x % _PRIME
    return x, y, 1, x * y % _PRIME


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _PRIME)
    return (y * inverse % _PRIME | (_SIGN if x * inverse % _PRIME & 1 else 0)).to_bytes(_SIZE, "little")


def _negative(point: Point) -> Point:
    x, y, z, t = point
    return -x % _PRIME, y, z, -t % _PRIME


def _sum(p: Point, q: Point) -> Point:
    """The sum of any two points, including equal ones (RFC 8032, section 5.1.4)."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] % _PRIME * _D, 2 * p[2] * q[2]
    e, f, g, h = (b - a) % _PRIME, (d - c) % _PRIME, (d + c) % _PRIME, (b + a) % _PRIME
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _sum_of_multiples(m: int, p: Point, n: int, q: Point) -> Point:
    """m·p + n·q, bit by bit from the highest."""
    both, result = _sum(p, q), _NEUTRAL
    for bit in range(max(m.bit_length(), n.bit_length()) - 1, -1, -1):
        result = _sum(result, result)
        choice = (m >> bit & 1, n >> bit & 1)
        if choice != (0, 0):
            result = _sum(result, {(1, 0): p, (0, 1): q, (1, 1): both}[choice])
    return result


_BASE_Y = 4 * pow(5, -1, _PRIME) % _PRIME
_BASE_OR_NONE = _decoded(_BASE_Y.to_bytes(_SIZE, "little"))
if _BASE_OR_NONE is None:
    raise ArithmeticError("the base point is a point")
_BASE: Point = _BASE_OR_NONE
