"""The Merkle tree of RFC 6962, section 2.1, written as in the RFC."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """``MTH`` over leaf hashes: split at the largest power of two below the size."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = _split(len(leaves))
    return sha256(b"\x01" + tree_hash(leaves[:half]) + tree_hash(leaves[half:])).digest()


def inclusion_proof(index: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962, section 2.1.1: ``PATH(m, D[n])``."""
    if len(leaves) == 1:
        return []
    k = _split(len(leaves))
    if index < k:
        return [*inclusion_proof(index, leaves[:k]), tree_hash(leaves[k:])]
    return [*inclusion_proof(index - k, leaves[k:]), tree_hash(leaves[:k])]


def consistency_proof(old: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962, section 2.1.2: ``PROOF(m, D[n])``."""
    return _subproof(old, leaves, whole=True)


def _subproof(old: int, leaves: list[bytes], *, whole: bool) -> list[bytes]:
    if old == len(leaves):
        return [] if whole else [tree_hash(leaves)]
    k = _split(len(leaves))
    if old <= k:
        return [*_subproof(old, leaves[:k], whole=whole), tree_hash(leaves[k:])]
    return [*_subproof(old - k, leaves[k:], whole=False), tree_hash(leaves[:k])]


def _split(size: int) -> int:
    k = 1
    while k * 2 < size:
        k *= 2
    return k
