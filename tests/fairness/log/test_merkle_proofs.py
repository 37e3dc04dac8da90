"""Inclusion and consistency proofs, against RFC 6962's own recursion, and with every kind of damage."""

from __future__ import annotations

import pytest

from fairness.errors import Malformed
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.merkle_proofs import (
    consistency_ranges,
    inclusion_path,
    inclusion_ranges,
    perfect_ranges,
    root_of_inclusion,
    roots_of_consistency,
)
from fairness.log.tiles import AuthenticTiles
from tests.oracles.merkle_oracle import consistency_proof, inclusion_proof, tree_hash

LEAVES = [leaf_hash(str(i).encode()) for i in range(70)]
SIZES = range(1, len(LEAVES) + 1)


def consistency_path(old: int, size: int) -> list[bytes]:
    return [tree_hash(LEAVES[start:end]) for start, end in consistency_ranges(old, size)]


def test_every_inclusion_proof_is_that_of_the_rfc() -> None:
    """For every index of every size, and it leads to the root."""
    for size in SIZES:
        for index in range(size):
            path = inclusion_path(LEAVES[:size], index)
            assert path == inclusion_proof(index, LEAVES[:size])
            assert root_of_inclusion(LEAVES[index], index, size, path) == tree_hash(LEAVES[:size])


def test_every_consistency_proof_is_that_of_the_rfc() -> None:
    """From every size to every size, and it leads to both roots."""
    for size in SIZES:
        for old in range(1, size + 1):
            path = consistency_path(old, size)
            assert path == consistency_proof(old, LEAVES[:size])
            roots = tree_hash(LEAVES[:old]), tree_hash(LEAVES[:size])
            assert roots_of_consistency(old, roots[0], size, path) == roots


def test_a_changed_inclusion_proof_leads_elsewhere() -> None:
    """With another leaf or index, or with any hash of the path changed."""
    for size in (1, 2, 3, 7, 8, 13):
        root = tree_hash(LEAVES[:size])
        for index in range(size):
            path = inclusion_path(LEAVES[:size], index)
            assert root_of_inclusion(LEAVES[-1], index, size, path) != root
            for other in range(size):
                if other != index and len(inclusion_ranges(other, size)) == len(path):
                    assert root_of_inclusion(LEAVES[index], other, size, path) != root
            for at in range(len(path)):
                spoilt = [*path[:at], bytes(32), *path[at + 1 :]]
                assert root_of_inclusion(LEAVES[index], index, size, spoilt) != root


def test_a_changed_consistency_proof_leads_elsewhere() -> None:
    """With any hash of the path changed, or another smaller tree."""
    for size in (2, 3, 7, 8, 13):
        for old in range(1, size):
            roots = tree_hash(LEAVES[:old]), tree_hash(LEAVES[:size])
            path = consistency_path(old, size)
            for at in range(len(path)):
                spoilt = [*path[:at], bytes(32), *path[at + 1 :]]
                assert roots_of_consistency(old, roots[0], size, spoilt) != roots
            assert roots_of_consistency(old, bytes(32), size, path) != (bytes(32), roots[1])


def test_a_path_of_another_length_is_malformed() -> None:
    """A hash too many or too few is never ignored."""
    for size in SIZES:
        for index in {0, size // 2, size - 1}:
            path = inclusion_path(LEAVES[:size], index)
            for wrong in (path[:-1], [*path, bytes(32)]) if path else ([bytes(32)],):
                with pytest.raises(Malformed, match="hashes"):
                    root_of_inclusion(LEAVES[index], index, size, wrong)
            path = consistency_path(index + 1, size)
            for wrong in (path[:-1], [*path, bytes(32)]) if path else ([bytes(32)],):
                with pytest.raises(Malformed, match="hashes"):
                    roots_of_consistency(index + 1, bytes(32), size, wrong)


def test_places_that_do_not_exist_are_the_callers_mistake() -> None:
    """The caller has to check sizes and indices."""
    for index, size in ((0, 0), (-1, 3), (3, 3)):
        with pytest.raises(ValueError, match="no leaf"):
            inclusion_ranges(index, size)
    for old, size in ((4, 3), (-1, 3)):
        with pytest.raises(ValueError, match="cannot begin"):
            consistency_ranges(old, size)
    with pytest.raises(ValueError, match="no leaves"):
        roots_of_consistency(0, bytes(32), 3, [])


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 600, 65_536, 66_049])
def test_tiles_give_the_same_proofs(size: int) -> None:
    """Across tiles and levels, from full and partial tiles."""
    edge, files = LogEdge(), dict[str, bytes]()
    for number in range(size):
        files.update(edge.append(str(number).encode()))
    files.update(edge.partial_files())
    tiles = AuthenticTiles(Checkpoint("fore.example/log", edge.size, edge.root), files.__getitem__)
    for index in {0, 1, 255, 256, size // 3, size - 1} & set(range(size)):
        path = tiles.inclusion_path(index)
        assert root_of_inclusion(leaf_hash(str(index).encode()), index, size, path) == edge.root
        old = index + 1
        smaller = tree_hash([leaf_hash(str(number).encode()) for number in range(old)])
        assert roots_of_consistency(old, smaller, size, tiles.consistency_path(old)) == (smaller, edge.root)


def test_a_tree_of_no_leaves_begins_every_tree() -> None:
    """Its proof is empty; a negative size, or one beyond the tree, is a misuse."""
    assert consistency_ranges(0, 0) == consistency_ranges(0, 5) == []
    for old, size in ((-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="cannot begin"):
            consistency_ranges(old, size)


def test_a_range_is_made_of_perfect_trees() -> None:
    """Consecutive ones, largest first, each with a power of two leaves."""
    assert list(perfect_ranges(0, 13)) == [(0, 8), (8, 12), (12, 13)]
    assert list(perfect_ranges(8, 11)) == [(8, 10), (10, 11)]
    assert list(perfect_ranges(5, 5)) == []
