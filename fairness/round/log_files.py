"""Which files a log has, and how large each may be (SPEC 5)."""

from __future__ import annotations

import re
from functools import lru_cache

from fairness.hashing import HASH_SIZE
from fairness.limits import (
    LARGEST_BATCH,
    LARGEST_CUSTODY_NOTE,
    LARGEST_NEWER_PAYTABLE,
    LARGEST_NOTE,
    LARGEST_POLICY,
    LARGEST_TLOG_PROOF,
    MOST_CUSTODIANS,
)
from fairness.log.folders import hashed_pattern
from fairness.log.tiles import LARGEST_BUNDLE, WIDTH
from fairness.round.finding_aids import ROUNDS_PER_FILE, RoundPositions, TablePositions

_ID, _PREFIX = 64, 8
"""Digits of the id of a table or a batch, and of a code's four bytes of it."""
_NUMBER = r"(?:x\d{3}/)*\d{3}"
_LARGEST = tuple(
    (re.compile(pattern, re.ASCII), size)
    for pattern, size in (
        (rf"tile/entries/{_NUMBER}(?:\.p/\d{{1,3}})?", LARGEST_BUNDLE),
        (rf"tile/\d{{1,2}}/{_NUMBER}(?:\.p/\d{{1,3}})?", WIDTH * HASH_SIZE),
        (r"checkpoint", LARGEST_NOTE),
        (hashed_pattern("commitments", _ID), MOST_CUSTODIANS * LARGEST_BATCH * HASH_SIZE),
        (hashed_pattern("witnessed", _ID), LARGEST_TLOG_PROOF),
        (hashed_pattern("custody", _ID) + "/[a-z0-9-]{1,32}", LARGEST_CUSTODY_NOTE),
        (r"policies/[0-9a-f]{64}", LARGEST_POLICY),
        (r"paytables/[0-9a-f]{64}", LARGEST_NEWER_PAYTABLE),
        (hashed_pattern("find/tables", _PREFIX), ROUNDS_PER_FILE * TablePositions.SIZE),
        (hashed_pattern("find/rounds", _ID) + f"/{_NUMBER}", ROUNDS_PER_FILE * RoundPositions.SIZE),
    )
)


@lru_cache(maxsize=64)
def largest_file(path: str) -> int:
    """Return the largest size in bytes of the file at ``path``. `ValueError` for a path that no log has."""
    for pattern, size in _LARGEST:
        if pattern.fullmatch(path):
            return size
    raise ValueError(f"a log has no file {path!r}")
