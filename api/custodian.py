"""The custodian: what holds the seeds and releases them one at a time.

It trusts the published log and nobody else. A seed leaves only for a round whose lock stands in a
signed checkpoint; the last seeds of a table only after its end does. What the database says, an
older database included, cannot make it say a seed early.

Its store is its own. It holds one row per batch: the chain's last seed, encrypted with AES-256-GCM
and bound to the batch. The store must never be restored to an older state, and it need not be: a
row is written once, before its batch is queued, and never changes.
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.kept_chain import KeptChain
from api.publication import Publication
from api.remembered import Remembered
from api.world import entropy
from fairness.commitments import commitments, commitments_root
from fairness.errors import Malformed
from fairness.hashing import u48, u64
from fairness.records import EndRecord, LockRecord, parse_record
from fairness.seed_chain import SEED_SIZE, seeds_and_anchor
from fairness.table_state import PendingBatch, TableState

NAME = "house"
_NONCE_SIZE = 12
_CACHED_CHAINS = 256
_FREED_REMEMBERED = 4096


class SeedsUnavailableError(Exception):
    """The custodian cannot or must not give this seed. The message names the batch, never a secret."""


@dataclass(frozen=True, slots=True)
class CommittedChain:
    """What is public about a new chain."""

    anchor: bytes
    root: bytes
    commitments: bytes
    """The commitments in order, one after the other."""


class Custodian:
    """Makes seed chains, keeps them, and releases their seeds against the published log."""

    def __init__(self, store: Path, key: bytes, publication: Publication) -> None:
        """Open the store, or make an empty one."""
        store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._cipher = AESGCM(key)
        self._publication = publication
        self._lock = threading.Lock()
        self._store = sqlite3.connect(store, check_same_thread=False, isolation_level=None, timeout=30)
        store.chmod(0o600)
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("PRAGMA synchronous = FULL")
        self._store.execute(
            "CREATE TABLE IF NOT EXISTS chains (anchor BLOB PRIMARY KEY, nonce BLOB NOT NULL, sealed BLOB NOT NULL)"
            " WITHOUT ROWID"
        )
        self._freed: Remembered[tuple[str, int], None] = Remembered(_FREED_REMEMBERED)
        # A chain unrolls from its end, so its first seed costs as much as all of them: chains are kept.
        self._chain = lru_cache(maxsize=_CACHED_CHAINS)(self._open_chain)

    def commit(self, table: TableState, *, first: int, count: int) -> CommittedChain:
        """Make the chain of a batch. When this returns, its last seed is durable.

        A crash before the batch is queued leaves a row that nothing points at, and does no harm.
        """
        last_seed = entropy(SEED_SIZE)
        _, anchor = seeds_and_anchor(last_seed, table_id=table.table_id, first=first, count=count)
        nonce = entropy(_NONCE_SIZE)
        sealed = self._cipher.encrypt(nonce, last_seed, _bound_to(table.name, table.table_id, first, count, anchor))
        with self._lock:
            self._store.execute("INSERT INTO chains VALUES (?, ?, ?)", (anchor, nonce, sealed))
        # What is published is computed from what was stored, not from what was to be stored.
        seeds = self._unrolled(table.name, table.table_id, first, count, anchor)
        digests = commitments(seeds, table_id=table.table_id, first=first)
        return CommittedChain(anchor, commitments_root(digests), b"".join(digests))

    def check_holds(self, table: TableState, batch: PendingBatch) -> None:
        """Raise `SeedsUnavailableError` unless the seeds of a batch are here, before anybody bets on them."""
        self._chain_of(table, batch)

    def seed(self, table: TableState, batch: PendingBatch, round_number: int) -> bytes:
        """The seed of a locked round. Raises `SeedsUnavailableError` unless its lock is published."""
        if (table.name, round_number) not in self._freed:
            position = self._publication.positions(table.table_id, round_number).lock
            if not self._stands(position, LockRecord, table.name, round_number):
                raise SeedsUnavailableError(f"{table.name} round {round_number}: its lock is not published")
            # The log never takes a lock back, so one look is enough.
            self._freed.put((table.name, round_number), None)
        if not batch.first <= round_number <= batch.last:
            raise SeedsUnavailableError(f"{table.name} round {round_number}: it is not of batch {batch.number}")
        return self._chain_of(table, batch).seed(round_number)

    def last_seeds(self, table: TableState, end_position: int) -> list[tuple[int, bytes]]:
        """The last seed of each pending batch of an ended table, with the batch's number.

        Raises `SeedsUnavailableError` unless the table's end is published at ``end_position``.
        """
        if not self._stands(end_position, EndRecord, table.name):
            raise SeedsUnavailableError(f"{table.name}: its end is not published")
        return [(batch.number, self._chain_of(table, batch).seed(batch.last)) for batch in table.batches]

    def knows_lock(self, table: str, round_number: int) -> bool:
        """Whether this process has seen the round's lock in the published log."""
        return (table, round_number) in self._freed

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _stands(
        self, position: int, kind: type[LockRecord | EndRecord], table: str, round_number: int | None = None
    ) -> bool:
        """Whether this record is part of the published log. The position is a hint; the log decides."""
        data = self._publication.record(position) if position else None
        if data is None:
            return False
        try:
            record = parse_record(data)
        except Malformed:
            return False
        if not isinstance(record, kind) or record.table != table:
            return False
        return not isinstance(record, LockRecord) or record.round == round_number

    def _chain_of(self, table: TableState, batch: PendingBatch) -> KeptChain:
        anchor = batch.anchors[table.custodians.index(NAME)]
        return self._chain(table.name, table.table_id, batch.first, batch.count, anchor)

    def _open_chain(self, table: str, table_id: bytes, first: int, count: int, anchor: bytes) -> KeptChain:
        return KeptChain.of(self._unrolled(table, table_id, first, count, anchor), table_id=table_id, first=first)

    def _unrolled(self, table: str, table_id: bytes, first: int, count: int, anchor: bytes) -> list[bytes]:
        """All seeds of a batch in the order of play, from what the store holds."""
        with self._lock:
            row = self._store.execute("SELECT nonce, sealed FROM chains WHERE anchor = ?", (anchor,)).fetchone()
        name = f"the seeds of the batch with anchor {anchor.hex()}"
        if row is None:
            raise SeedsUnavailableError(f"{name} are not in the custodian's store")
        try:
            last_seed = self._cipher.decrypt(row[0], row[1], _bound_to(table, table_id, first, count, anchor))
        except InvalidTag:
            raise SeedsUnavailableError(
                f"{name} do not decrypt: the key or the store is not the one they were made with"
            ) from None
        seeds, found = seeds_and_anchor(last_seed, table_id=table_id, first=first, count=count)
        if found != anchor:
            raise SeedsUnavailableError(f"{name} do not unroll to it")
        return seeds


def _bound_to(table: str, table_id: bytes, first: int, count: int, anchor: bytes) -> bytes:
    """What a sealed seed is bound to: under another table's name, or moved to another batch, it does not decrypt.

    The name is part of it because a lock in the log names its table so, and is what frees a seed.
    """
    return b"foredraw/v1/sealed\0" + table.encode().ljust(32, b"\0") + table_id + u64(first) + u48(count) + anchor
