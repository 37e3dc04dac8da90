"""A pulse: the one signature that a beacon makes of a round (SPEC 4.8)."""

from __future__ import annotations

from fairness.beacon import bls
from fairness.beacon.chain import Beacon
from fairness.hashing import sha256, u64


def verify_pulse(beacon: Beacon, number: int, signature: bytes) -> None:
    """Raise `bls.InvalidSignature` unless these 48 bytes are the beacon's signature of round ``number``."""
    bls.verify(beacon.public_key, signature, sha256(u64(number)))


def salt_of(signature: bytes) -> bytes:
    """Return the salt that a pulse gives: 32 bytes."""
    return sha256(signature)
