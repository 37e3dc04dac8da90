"""Merkle trees of RFC 6962, section 2.1 (SPEC 2)."""

from __future__ import annotations

import hashlib

from fairness.hashing import node_hash, sha256

EMPTY_ROOT = sha256(b"")


def root_of_hashes(hashes: list[bytes]) -> bytes:
    """Return the root over leaf hashes, or over the roots of equal perfect subtrees and one smaller last one.

    Pairing neighbours level by level, and passing an odd last one up, gives the tree that splits at
    the largest power of two below its size.
    """
    if not hashes:
        return EMPTY_ROOT
    while len(hashes) > 1:
        odd = hashes[-1:] if len(hashes) & 1 else []
        hashes = _parents(hashes) + odd
    return hashes[0]


def append_hashes(peaks: list[bytes], size: int, leaves: list[bytes]) -> list[bytes]:
    """Append leaf hashes to a tree of ``size`` leaves that is held as the roots of its perfect subtrees.

    Returns those roots, the largest first, for the larger tree.
    """
    larger, smaller, hashes = list(peaks), list[bytes](), leaves
    # Level by level: an odd subtree on the left joins the new ones; an odd one on the right stays behind.
    while hashes:
        if size & 1:
            hashes = [larger.pop(), *hashes]
        if len(hashes) & 1:
            smaller.append(hashes[-1])
        hashes = _parents(hashes)
        size >>= 1
    return larger + smaller[::-1]


def root_of_peaks(peaks: list[bytes]) -> bytes:
    """Return the root of the tree whose perfect subtrees, largest first, have these roots."""
    if not peaks:
        return EMPTY_ROOT
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def _parents(hashes: list[bytes]) -> list[bytes]:
    """Return the hashes one level up, of each whole pair."""
    # `node_hash`, spelled out: an audit computes millions of them.
    return [
        hashlib.sha256(b"\x01" + left + right).digest()
        for left, right in zip(hashes[::2], hashes[1::2], strict=False)
    ]
