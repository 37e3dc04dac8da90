"""Seed chains: why publishing one anchor fixes every seed of a batch (SPEC 3.1).

The last seed of a batch is drawn from entropy; each seed before it is the hash of its successor.
Released in the order of play, a seed therefore proves itself against the one before, and reveals
nothing about the one after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from fairness.hashing import HASH_SIZE, tag, u64

SEED_SIZE = HASH_SIZE

_TAG = tag("seed")


def previous_seed(seed: bytes, *, table_id: bytes, round_number: int) -> bytes:
    """Step from the seed of ``round_number`` to the seed of the round before (for a batch's first: the anchor).

    Table and number are part of the link, so that one chain cannot serve two tables, or one twice.
    """
    return previous_seed_at(place_of(table_id, round_number), seed)


def previous_seed_at(place: bytes, seed: bytes) -> bytes:
    """Compute `previous_seed` for a caller that has the seed's `place_of` already."""
    return hashlib.sha256(_TAG + place + seed).digest()


def place_of(table_id: bytes, round_number: int) -> bytes:
    """Spell one round of one table, as its hashes name it."""
    return table_id + u64(round_number)


def unroll(last_seed: bytes, *, table_id: bytes, last: int, count: int) -> Iterator[bytes]:
    """Yield the seeds of rounds ``last``, ``last - 1``, … (``count`` of them), and then the anchor."""
    if len(last_seed) != SEED_SIZE:
        raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(last_seed)}")
    seed = last_seed
    for round_number in range(last, last - count, -1):
        yield seed
        seed = previous_seed(seed, table_id=table_id, round_number=round_number)
    yield seed


def seeds_and_anchor(last_seed: bytes, *, table_id: bytes, first: int, count: int) -> tuple[list[bytes], bytes]:
    """Return all seeds of a batch in the order of play, and its anchor."""
    *seeds, anchor = unroll(last_seed, table_id=table_id, last=first + count - 1, count=count)
    seeds.reverse()
    return seeds, anchor
