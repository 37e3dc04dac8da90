"""The Merkle tree of RFC 6962, section 2.1, written down as the RFC writes it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """``MTH`` over leaf hashes: split at the largest power of two below the size."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    return sha256(b"\x01" + tree_hash(leaves[:half]) + tree_hash(leaves[half:])).digest()
