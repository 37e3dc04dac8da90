"""Ed25519 keys and signatures that only a dishonest signer makes, with the arithmetic of the one-file verifier.

The curve's group is the group of prime order times eight points of small order. Verifiers disagree about a
key or an R with a part of small order, and anybody can sign with a key of small order.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha512

from standalone.stand_ins.cryptography.hazmat.primitives.asymmetric import ed25519

PRIME, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
SIGN = 1 << 255
Y_OF_ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
SMALL_ORDER_Y = [0, 1, PRIME - 1, Y_OF_ORDER_8, PRIME - Y_OF_ORDER_8]
SECRET = 0x1234567
"""The secret number of keys that are not of small order."""


def multiple(number: int, point: ed25519.Point) -> ed25519.Point:
    """The multiple of the point."""
    return ed25519._sum_of_multiples(number, point, 0, point)


def spelled(y: int, *, negative: bool = False) -> bytes:
    """A point by its y, which may be above the prime, and the sign of its x."""
    return (y | (SIGN if negative else 0)).to_bytes(32, "little")


def decoded(encoded: bytes) -> ed25519.Point:
    """The point with this spelling."""
    point = ed25519._decoded(encoded)
    if point is None:
        raise ValueError("no point")
    return point


_SMALL = decoded(spelled(Y_OF_ORDER_8))


def with_small_part(number: int, small: int) -> bytes:
    """The spelling of number·B plus a point of small order, 0 to 7 times one of order 8."""
    return ed25519._encoded(ed25519._sum(multiple(number, ed25519._BASE), multiple(small, _SMALL)))


def hashed(r: bytes, key: bytes, message: bytes) -> int:
    """The h of RFC 8032, section 5.1.7, modulo the order."""
    return int.from_bytes(sha512(r + key + message).digest(), "little") % ORDER


@dataclass(frozen=True)
class Signer:
    """Somebody who knows ``secret``; the key is secret·B plus a part of small order."""

    secret: int = SECRET
    small: int = 0

    @property
    def key(self) -> bytes:
        """The public key."""
        return with_small_part(self.secret, self.small)

    def sign(self, message: bytes, r: bytes, nonce: int) -> bytes:
        """A signature with this R, which is meant to be nonce·B with a part of small order."""
        s = (nonce + hashed(r, self.key, message) * self.secret) % ORDER
        return r + s.to_bytes(32, "little")

    def with_parts(self, message: bytes, small: int, *, cancel: bool) -> bytes:
        """A signature whose R has this part of small order, which cancels that of the key or not, as requested.

        If it does not, only the equation with cofactor holds.
        """
        for nonce in range(1, 1000):
            r = with_small_part(nonce, small)
            rest = (small + hashed(r, self.key, message) * self.small) % 8
            if (rest == 0) == cancel:
                return self.sign(message, r, nonce)
        raise ValueError("no such signature")


def of_small_order() -> dict[str, bytes]:
    """The keys with which anybody can sign, in the correct spelling of each, and in every other one."""
    names = dict(zip(("0", "1", "p - 1", "of order 8", "minus that"), SMALL_ORDER_Y, strict=True))
    found = {
        f"y {name}{', negative' if negative else ''}": spelled(y, negative=negative)
        for name, y in names.items()
        for negative in (False, True)
    }
    return found | {f"y p + {y}": spelled(PRIME + y) for y in (0, 1)}


def in_a_second_spelling() -> bytes:
    """A key that is not of small order, with its y above the prime."""
    y = next(y for y in range(2, 19) if ed25519._decoded(spelled(y)) is not None)
    return spelled(PRIME + y)


def no_point() -> bytes:
    """32 bytes that are the spelling of no point."""
    y = next(y for y in range(2, 1000) if ed25519._decoded(spelled(y)) is None)
    return spelled(y)


def made_without_a_secret(key: bytes, message: bytes) -> bytes:
    """A signature by a key of small order, which holds by the equation of either kind."""
    point = decoded(key)
    for s in range(1, 1000):
        r = ed25519._encoded(multiple(s, ed25519._BASE))
        h = hashed(r, key, message)
        if ed25519._encoded(ed25519._sum_of_multiples(s, ed25519._BASE, h, ed25519._negative(point))) == r:
            return r + s.to_bytes(32, "little")
    raise ValueError("no such signature")
