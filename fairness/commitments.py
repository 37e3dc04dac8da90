"""Commitments: the published promise of one round's seed (SPEC 3.2)."""

from __future__ import annotations

import hashlib

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import HASH_SIZE, leaf_hash, tag
from fairness.merkle import root_of_hashes
from fairness.merkle_proofs import inclusion_path, root_of_inclusion
from fairness.seed_chain import place_of

_TAG = tag("commitment")


def commitment(seed: bytes, *, table_id: bytes, round_number: int) -> bytes:
    """Commit to the seed of one round of one table: 32 bytes."""
    return commitment_at(place_of(table_id, round_number), seed)


def commitment_at(place: bytes, seed: bytes) -> bytes:
    """`commitment` for whoever has the seed's `place_of` already."""
    return hashlib.sha256(_TAG + place + seed).digest()


def commitments(seeds: list[bytes], *, table_id: bytes, first: int) -> list[bytes]:
    """The commitments of a batch whose seeds are given in the order of play."""
    return [commitment(seed, table_id=table_id, round_number=first + i) for i, seed in enumerate(seeds)]


def commitments_root(batch: list[bytes]) -> bytes:
    """The root that the batch record carries for one custodian."""
    return root_of_hashes([leaf_hash(digest) for digest in batch])


def split_commitments_file(data: bytes, *, count: int, roots: list[bytes], where: str) -> list[list[bytes]]:
    """The commitments of each custodian, from ``/log/commitments/<batch_id>`` (SPEC 5.3).

    Raises `CheckFailed` unless the file has ``count`` x 32 bytes per custodian and matches ``roots``.
    """
    found = []
    for digests, root in zip(_of_custodians(data, count, len(roots), where), roots, strict=True):
        _check_root(commitments_root(digests), root, where)
        found.append(digests)
    return found


def commitments_at(
    data: bytes, place: int, *, count: int, roots: list[bytes], where: str
) -> list[tuple[bytes, list[bytes]]]:
    """Each custodian's commitment at ``place``, from 0, of the same file, and its audit path.

    Checks the file as `split_commitments_file` does: each commitment is one of those that the path leads over.
    """
    found = []
    for digests, root in zip(_of_custodians(data, count, len(roots), where), roots, strict=True):
        leaves = [leaf_hash(digest) for digest in digests]
        path = inclusion_path(leaves, place)
        _check_root(root_of_inclusion(leaves[place], place, count, path), root, where)
        found.append((digests[place], path))
    return found


def _of_custodians(data: bytes, count: int, custodians: int, where: str) -> list[list[bytes]]:
    size = count * HASH_SIZE
    if len(data) != size * custodians:
        expected = f"{size * custodians} bytes"
        raise CheckFailed(Check.COMMITMENTS_FILE, expected=expected, found=f"{len(data)} bytes", where=where)
    digests = [data[at : at + HASH_SIZE] for at in range(0, len(data), HASH_SIZE)]
    return [digests[at * count : (at + 1) * count] for at in range(custodians)]


def _check_root(found: bytes, root: bytes, where: str) -> None:
    if found != root:
        raise CheckFailed(Check.COMMITMENTS_FILE, expected=f"root {root.hex()}", found=found.hex(), where=where)
