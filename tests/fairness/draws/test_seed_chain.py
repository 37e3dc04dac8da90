"""Seed chains and commitments, against their definitions written out with the standard library."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.draws.commitments import (
    CommitmentTrees,
    commitment,
    commitments,
    commitments_root,
    split_commitments_file,
)
from fairness.draws.seed_chain import previous_seed, seeds_and_anchor, unroll
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash, sha256, u64
from fairness.log.merkle_proofs import root_of_inclusion
from tests.oracles.merkle_oracle import tree_hash

TABLE_ID = hashlib.sha256(b"a table").digest()
LAST_SEED = hashlib.sha256(b"a last seed").digest()

digests = st.binary(min_size=32, max_size=32)
rounds = st.integers(1, (1 << 48) - 1)


@given(seed=digests, table_id=digests, number=rounds)
def test_a_link_and_a_commitment_are_their_definitions(seed: bytes, table_id: bytes, number: int) -> None:
    """Tag, table, number, seed; only the tags distinguish a commitment from the previous seed."""
    tail = table_id + number.to_bytes(8, "big") + seed
    link = previous_seed(seed, table_id=table_id, round_number=number)
    promise = commitment(seed, table_id=table_id, round_number=number)
    assert link == hashlib.sha256(b"foredraw/v1/seed\0" + tail).digest()
    assert promise == hashlib.sha256(b"foredraw/v1/commitment\0" + tail).digest()
    assert link != promise


@pytest.mark.parametrize(("first", "count"), [(1, 1), (1, 2), (8, 30), (100_001, 257), ((1 << 48) - 3, 3)])
def test_seeds_unroll_to_the_anchor(first: int, count: int) -> None:
    """Every seed links to the previous one, and the first to the anchor."""
    seeds, anchor = seeds_and_anchor(LAST_SEED, table_id=TABLE_ID, first=first, count=count)
    assert len(seeds) == count
    assert seeds[-1] == LAST_SEED
    known = anchor
    for number, seed in enumerate(seeds, first):
        assert previous_seed(seed, table_id=TABLE_ID, round_number=number) == known
        known = seed


def test_a_chain_serves_one_table_and_one_place_in_it() -> None:
    """At another table, or one round later, the same last seed has another anchor."""
    here = seeds_and_anchor(LAST_SEED, table_id=TABLE_ID, first=1, count=5)[1]
    there = seeds_and_anchor(LAST_SEED, table_id=bytes(32), first=1, count=5)[1]
    later = seeds_and_anchor(LAST_SEED, table_id=TABLE_ID, first=2, count=5)[1]
    assert len({here, there, later}) == 3


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_has_32_bytes(size: int) -> None:
    """Any other size is the caller's mistake, detected before it is hashed."""
    with pytest.raises(ValueError, match="a seed has 32 bytes"):
        next(unroll(bytes(size), table_id=TABLE_ID, last=1, count=1))


@pytest.mark.parametrize("count", [1, 2, 3, 100])
@pytest.mark.parametrize("custodians", [1, 3])
def test_a_commitments_file_is_checked_against_its_roots(count: int, custodians: int) -> None:
    """Custodian by custodian, in the order of play; the roots in the record authenticate every byte."""
    batches = [
        commitments(
            seeds_and_anchor(bytes([i]) * 32, table_id=TABLE_ID, first=9, count=count)[0], table_id=TABLE_ID, first=9
        )
        for i in range(custodians)
    ]
    roots = [commitments_root(batch) for batch in batches]
    assert roots == [tree_hash([hashlib.sha256(b"\0" + digest).digest() for digest in batch]) for batch in batches]
    data = b"".join(digest for batch in batches for digest in batch)
    assert split_commitments_file(data, count=count, roots=roots, where="file") == batches
    changed = [bytes([*data[:at], data[at] ^ 1, *data[at + 1 :]]) for at in range(0, len(data), 13)]
    for wrong in (*changed, data[:-1], data + b"\0", b"", data + data):
        with pytest.raises(CheckFailed) as failure:
            split_commitments_file(wrong, count=count, roots=roots, where="file")
        assert failure.value.check is Check.COMMITMENTS_FILE
        assert failure.value.where == "file"
    for wrong in (*changed, data[:-1], data + b"\0", b"", data + data):
        with pytest.raises(CheckFailed) as failure:
            CommitmentTrees(wrong, count=count, roots=roots, where="file")
        assert (failure.value.check, failure.value.where) == (Check.COMMITMENTS_FILE, "file")


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 511, 512, 513, 1100])
@pytest.mark.parametrize("custodians", [1, 3])
def test_the_trees_over_commitments_keep_little_and_give_every_path(count: int, custodians: int) -> None:
    """Each round's path leads to the root in the record; a file with changes around the round is refused."""
    batches = [[sha256(bytes([i]) + u64(at)) for at in range(count)] for i in range(custodians)]
    roots = [commitments_root(batch) for batch in batches]
    data = b"".join(digest for batch in batches for digest in batch)
    trees = CommitmentTrees(data, count=count, roots=roots, where="file")
    for place in sorted({0, 1, 254, 255, 256, 257, 511, 512, count // 2, count - 2, count - 1}):
        if not 0 <= place < count:
            continue
        found = trees.at(place, data)
        assert [digest for digest, _ in found] == [batch[place] for batch in batches]
        for (digest, path), root in zip(found, roots, strict=True):
            assert root_of_inclusion(leaf_hash(digest), place, count, path) == root
        near = 32 * (place - place % CommitmentTrees.SPAN)
        for wrong in (bytes([*data[:near], data[near] ^ 1, *data[near + 1 :]]), data[:-1], data + b"\0", b""):
            with pytest.raises(CheckFailed) as failure:
                trees.at(place, wrong)
            assert (failure.value.check, failure.value.where) == (Check.COMMITMENTS_FILE, "file")
