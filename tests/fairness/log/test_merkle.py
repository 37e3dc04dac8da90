"""Merkle trees, against the RFC's own recursion."""

from __future__ import annotations

import hashlib

from fairness.hashing import leaf_hash
from fairness.log.merkle import EMPTY_ROOT, append_hashes, root_of_hashes, root_of_peaks
from tests.oracles.merkle_oracle import tree_hash

LEAVES = [leaf_hash(str(i).encode()) for i in range(300)]
SIZES = range(len(LEAVES) + 1)


def test_the_root_is_that_of_the_rfc() -> None:
    """Pairing level by level gives the same tree as splitting at the largest power of two, at every size."""
    for size in SIZES:
        assert root_of_hashes(LEAVES[:size]) == tree_hash(LEAVES[:size])


def test_a_growing_tree_has_the_same_root_at_every_size() -> None:
    """Appending leaves gives the same tree as building it at once, and keeps one peak per set bit of the size."""
    for step in (1, 2, 3, 7, 64, 299):
        peaks: list[bytes] = []
        for size in range(0, len(LEAVES), step):
            assert root_of_peaks(peaks) == tree_hash(LEAVES[:size])
            assert len(peaks) == size.bit_count()
            peaks = append_hashes(peaks, size, LEAVES[size : size + step])
        assert root_of_peaks(peaks) == tree_hash(LEAVES)


def test_roots_of_perfect_subtrees_give_the_root_of_the_whole() -> None:
    """A tree over subtree roots, the last one smaller, is the tree over all their leaves."""
    for size in SIZES:
        for width in (2, 4, 16, 256):
            subtrees = [tree_hash(LEAVES[at : min(at + width, size)]) for at in range(0, size, width)]
            assert root_of_hashes(subtrees) == tree_hash(LEAVES[:size])


def test_the_hashes_are_the_rfcs() -> None:
    """The root of an empty tree is the hash of nothing; a first byte distinguishes leaves from nodes."""
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert leaf_hash(b"") == hashlib.sha256(b"\0").digest()
    assert root_of_hashes([bytes(32), bytes(32)]) == hashlib.sha256(b"\x01" + bytes(64)).digest()


def test_computing_a_root_leaves_its_input_alone() -> None:
    """The caller's list of hashes is not changed."""
    given = list(LEAVES[:7])
    root_of_hashes(given)
    root_of_peaks(given)
    append_hashes(given, 7, given)
    assert given == LEAVES[:7]
