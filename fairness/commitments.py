"""Commitments: the published promise of one round's seed (SPEC 3.2)."""

from __future__ import annotations

import hashlib

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import HASH_SIZE, leaf_hash, tag
from fairness.merkle import root_of_hashes
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
    size = count * HASH_SIZE
    if len(data) != size * len(roots):
        raise CheckFailed(
            Check.COMMITMENTS_FILE, expected=f"{size * len(roots)} bytes", found=f"{len(data)} bytes", where=where
        )
    found = []
    for custodian, root in enumerate(roots):
        part = data[custodian * size : (custodian + 1) * size]
        digests = [part[at : at + HASH_SIZE] for at in range(0, size, HASH_SIZE)]
        if (got := commitments_root(digests)) != root:
            raise CheckFailed(Check.COMMITMENTS_FILE, expected=f"root {root.hex()}", found=got.hex(), where=where)
        found.append(digests)
    return found
