"""Ed25519 as the log uses it: every verifier accepts the same signatures, whoever made them (SPEC 5.1).

RFC 8032 leaves choices to the verifier, and each choice is a signature that one program accepts and
another refuses. OpenSSL, the browsers' WebCrypto and the one-file verifier agree on the equation
without cofactor, on S below the group's order, and on R byte for byte. They differ, or are lenient,
about points of small order and second spellings of keys: those are refused here.
"""

from __future__ import annotations

from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fairness.errors import Malformed

KEY_SIZE = 32
_CACHED_SIGNATURES = 64
_LARGEST_CACHED = 4096
"""In bytes. A checkpoint has less than 1 kB; what is larger may come from anybody, and is not kept in memory."""

_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_SIGN = 1 << 255
_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = {0, 1, _PRIME - 1, _OF_ORDER_8, _PRIME - _OF_ORDER_8}
"""The y of the eight points whose order divides 8. With such a key, anybody signs anything."""


def check_public_key(key: bytes) -> None:
    """Raise `Malformed` unless these bytes are the one spelling of a point, and that is not of small order."""
    if len(key) != KEY_SIZE:
        raise Malformed("verifier key", expected=f"{KEY_SIZE} bytes", found=len(key))
    y = _y(key)
    if y >= _PRIME:
        raise Malformed("verifier key", expected="a key with y below 2^255 - 19", found=key.hex())
    if y in _SMALL_ORDER:
        raise Malformed("verifier key", expected="a key that is not of small order", found=key.hex())
    # x² is (y² - 1) / (d·y² + 1), which is a square exactly if the product of the two is one.
    if pow((y * y - 1) * (_D * y * y + 1), (_PRIME - 1) // 2, _PRIME) != 1:
        raise Malformed("verifier key", expected="a key that is a point of the curve", found=key.hex())


def verify(key: bytes, signature: bytes, message: bytes) -> None:
    """Raise `InvalidSignature` unless ``key``, which was checked, made ``signature`` over ``message``."""
    (_verify_again if len(message) <= _LARGEST_CACHED else _verify)(key, signature, message)


def _verify(key: bytes, signature: bytes, message: bytes) -> None:
    if _y(signature[:KEY_SIZE]) in _SMALL_ORDER:
        raise InvalidSignature
    Ed25519PublicKey.from_public_bytes(key).verify(signature, message)


# A witness's line is verified when it comes, and again in the checkpoint.
_verify_again = lru_cache(maxsize=_CACHED_SIGNATURES)(_verify)


def _y(point: bytes) -> int:
    return int.from_bytes(point, "little") % _SIGN
