"""Merkle trees of RFC 6962, section 2.1 (SPEC 2)."""

from __future__ import annotations

import hashlib

from fairness.hashing import node_hash, sha256

EMPTY_ROOT = sha256(b"")


def root_of_hashes(hashes: list[bytes]) -> bytes:
    """The root over leaf hashes, or over the roots of equal perfect subtrees and one smaller last one.

    Pairing neighbours level by level, and passing an odd last one up, gives the tree that splits at
    the largest power of two below its size.
    """
    if not hashes:
        return EMPTY_ROOT
    while len(hashes) > 1:
        level = [
            hashlib.sha256(b"\x01" + left + right).digest()
            for left, right in zip(hashes[::2], hashes[1::2], strict=False)
        ]
        if len(hashes) % 2:
            level.append(hashes[-1])
        hashes = level
    return hashes[0]


def append_hash(peaks: list[bytes], size: int, leaf: bytes) -> None:
    """Append a leaf hash to a tree of ``size`` leaves that is held as the roots of its perfect subtrees."""
    while size & 1:
        leaf = node_hash(peaks.pop(), leaf)
        size >>= 1
    peaks.append(leaf)


def root_of_peaks(peaks: list[bytes]) -> bytes:
    """The root of the tree whose perfect subtrees, largest first, have these roots."""
    if not peaks:
        return EMPTY_ROOT
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root
