"""Signatures of drand's scheme ``bls-unchained-g1-rfc9380``: in G1 of BLS12-381, under keys in G2 (SPEC 4.8).

One key makes one signature of a message, and it must have one spelling here, because its hash is a salt: whoever
could choose among spellings could choose among outcomes. So points are read strictly.
"""

from __future__ import annotations

from functools import lru_cache

from py_arkworks_bls12381 import GT, G1Point, G2Point

from fairness.errors import Malformed

PUBLIC_KEY_SIZE = 96
SIGNATURE_SIZE = 48

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""Separates the domain of these signatures from that of every other use of the curve."""

_INFINITY = 0x40
"""The second bit of a spelling: the point is the neutral one, which would be a signature under no key worth
having.
"""


class InvalidSignature(Exception):
    """A signature is not the key's; the message says what was expected and what was found."""


def check_public_key(key: bytes) -> None:
    """Raise `Malformed` unless these bytes are the one spelling of a point of G2 that is not the neutral one."""
    try:
        _public_key(key)
    except ValueError as error:
        raise Malformed("beacon's key", expected="a compressed point of G2, not infinity", found=key.hex()) from error


def verify(key: bytes, signature: bytes, message: bytes) -> None:
    """Raise `InvalidSignature` unless ``key``, which was checked, made ``signature`` over ``message``."""
    try:
        holds = _holds(key, signature, message)
    except ValueError as error:
        raise InvalidSignature("is not a compressed point of G1, or is infinity") from error
    if not holds:
        raise InvalidSignature("is not the signature of this round under the beacon's key")


# The same pulse salts the batches of many tables.
@lru_cache(maxsize=4096)
def _holds(key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether e(signature, generator) = e(hash of the message, key). Raises `ValueError` if the signature is
    no point.
    """
    if signature[0] & _INFINITY:
        raise ValueError("infinity")
    point = G1Point.from_compressed_bytes(signature)
    if point.to_compressed_bytes() != signature:
        raise ValueError("another spelling")
    return GT.pairing_check([point, -G1Point.hash_to_curve(message, TAG)], [_generator(), _public_key(key)])


@lru_cache(maxsize=64)
def _public_key(key: bytes) -> G2Point:
    if key[0] & _INFINITY:
        raise ValueError("infinity")
    point = G2Point.from_compressed_bytes(key)
    if point.to_compressed_bytes() != key:
        raise ValueError("another spelling")
    return point


@lru_cache(maxsize=1)
def _generator() -> G2Point:
    return G2Point()
