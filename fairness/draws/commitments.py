"""Commitments: the published promise of one round's seed (SPEC 3.2)."""

from __future__ import annotations

import hashlib

from fairness.checks import Check
from fairness.draws.seed_chain import place_of
from fairness.errors import CheckFailed
from fairness.hashing import HASH_SIZE, leaf_hash, tag
from fairness.log.folders import hashed_path
from fairness.log.merkle import root_of_hashes
from fairness.log.merkle_proofs import inclusion_path

_TAG = tag("commitment")


def commitment(seed: bytes, *, table_id: bytes, round_number: int) -> bytes:
    """Commit to the seed of one round of one table: 32 bytes."""
    return commitment_at(place_of(table_id, round_number), seed)


def commitment_at(place: bytes, seed: bytes) -> bytes:
    """Compute `commitment` for a caller that has the seed's `place_of` already."""
    return hashlib.sha256(_TAG + place + seed).digest()


def commitments(seeds: list[bytes], *, table_id: bytes, first: int) -> list[bytes]:
    """Return the commitments of a batch whose seeds are given in the order of play."""
    return [commitment(seed, table_id=table_id, round_number=first + i) for i, seed in enumerate(seeds)]


def commitments_root(batch: list[bytes]) -> bytes:
    """Return the root that the batch record carries for one custodian."""
    return root_of_hashes([leaf_hash(digest) for digest in batch])


def commitments_path(batch_id: bytes) -> str:
    """Return the path of a batch's commitments below the log's prefix."""
    return hashed_path("commitments", batch_id.hex())


def split_commitments_file(data: bytes, *, count: int, roots: list[bytes], where: str) -> list[list[bytes]]:
    """Return the commitments of each custodian, from ``/log/commitments/<batch_id>`` (SPEC 5.3).

    Raises `CheckFailed` unless the file has ``count`` x 32 bytes per custodian and matches ``roots``.
    """
    found = []
    for part, root in zip(_of_custodians(data, count, len(roots), where), roots, strict=True):
        digests = _digests(part)
        _check_root(commitments_root(digests), root, where)
        found.append(digests)
    return found


class CommitmentTrees:
    """The trees over a batch's commitments, one for each custodian, without their lower levels.

    Of each tree the roots over every `SPAN` leaves are kept, 8 KiB at most: the rest of a path takes `SPAN`
    commitments, while all 65,536 of the largest batch would take 200,000 hashes for each path.
    """

    SPAN = 256

    def __init__(self, data: bytes, *, count: int, roots: list[bytes], where: str) -> None:
        """Make them from the same file. Raises `CheckFailed` as `split_commitments_file` does."""
        self._count, self._where = count, where
        self._tops: list[bytes] = []
        for part, root in zip(_of_custodians(data, count, len(roots), where), roots, strict=True):
            leaves = [leaf_hash(digest) for digest in _digests(part)]
            tops = [root_of_hashes(leaves[at : at + self.SPAN]) for at in range(0, count, self.SPAN)]
            _check_root(root_of_hashes(tops), root, where)
            # As one string of bytes, which takes half of what a list of them takes.
            self._tops.append(b"".join(tops))

    def at(self, place: int, data: bytes) -> list[tuple[bytes, list[bytes]]]:
        """Return each custodian's commitment at ``place``, from 0, and its audit path, from the same file.

        Raises `CheckFailed` if the file is another one by now.
        """
        span, inside = divmod(place, self.SPAN)
        begin, end = span * self.SPAN * HASH_SIZE, (span + 1) * self.SPAN * HASH_SIZE
        found = []
        parts = _of_custodians(data, self._count, len(self._tops), self._where)
        for part, kept in zip(parts, map(_digests, self._tops), strict=True):
            digests = _digests(part[begin:end])
            leaves = [leaf_hash(digest) for digest in digests]
            _check_root(root_of_hashes(leaves), kept[span], self._where)
            found.append((digests[inside], inclusion_path(leaves, inside) + inclusion_path(kept, span)))
        return found


def _of_custodians(data: bytes, count: int, custodians: int, where: str) -> list[bytes]:
    """Return each custodian's part of the file, whose length is right, or `CheckFailed`."""
    size = count * HASH_SIZE
    if len(data) != size * custodians:
        expected = f"{size * custodians} bytes"
        raise CheckFailed(Check.COMMITMENTS_FILE, expected=expected, found=f"{len(data)} bytes", where=where)
    return [data[at * size : (at + 1) * size] for at in range(custodians)]


def _digests(data: bytes) -> list[bytes]:
    return [data[at : at + HASH_SIZE] for at in range(0, len(data), HASH_SIZE)]


def _check_root(found: bytes, root: bytes, where: str) -> None:
    if found != root:
        raise CheckFailed(Check.COMMITMENTS_FILE, expected=f"root {root.hex()}", found=found.hex(), where=where)
