"""The custodian: what holds the seeds and releases them one at a time.

It trusts the published log and nobody else. A seed leaves only for a round whose lock stands in a
signed checkpoint; the last seeds of a table only after its end does. What the database says, an
older database included, cannot make it say a seed early.

It also remembers what it has released, in a mark per table that is durable before the seed leaves.
An older log, even if the database is as old, lacks the record of the mark, and gets no more seeds.

Its store is its own (`seed_store`). It holds one row per batch: the chain's last seed, encrypted with
AES-256-GCM and bound to the batch; and the marks. The store must never be restored to an older state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.custody.kept_chain import KeptChain
from api.custody.seed_store import Mark, SeedStore, SeedsUnavailableError
from api.world.bounded import BoundedCache
from api.world.clock import entropy
from api.world.cooperation import Offload, inline
from fairness.draws.commitments import commitments, commitments_root
from fairness.draws.seed_chain import SEED_SIZE, seeds_and_anchor
from fairness.errors import Malformed
from fairness.hashing import leaf_hash, u48, u64
from fairness.records.record import EndRecord, LockRecord, parse_record
from fairness.records.table_state import PendingBatch, TableState
from fairness.round.finding_aids import RoundPositions

__all__ = ["NAME", "CommittedChain", "Custodian", "SeedsUnavailableError"]

NAME = "house"
_NONCE_SIZE = 12
_CACHED_CHAINS = 256
_FREED_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class CommittedChain:
    """What is public about a new chain."""

    anchor: bytes
    root: bytes
    commitments: bytes
    """The commitments in order, one after the other."""


class PublishedLog(Protocol):
    """The published log, as far as the custodian asks."""

    def positions(self, table_id: bytes, round_number: int) -> RoundPositions:
        """Where the finding aids say that a round's records stand."""

    def record(self, position: int) -> bytes | None:
        """The record at a position, proven by the checkpoint; `None` beyond it."""

    def holds(self, position: int, leaf: bytes) -> bool:
        """Whether the record with this leaf hash stands at a position."""


class Custodian:
    """Makes seed chains, keeps them, and releases their seeds against the published log."""

    def __init__(self, store: Path, key: bytes, log: PublishedLog, offload: Offload = inline) -> None:
        """Open the store, or make an empty one."""
        self._cipher = AESGCM(key)
        self._log = log
        self._store = SeedStore(store, offload)
        self._checked_tables: set[bytes] = set()
        self._freed: BoundedCache[tuple[str, int], None] = BoundedCache(_FREED_REMEMBERED)
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
        self._store.put_chain(anchor, nonce, sealed)
        # What is published is computed from what was stored, not from what was to be stored.
        seeds = self._unrolled(table.name, table.table_id, first, count, anchor)
        digests = commitments(seeds, table_id=table.table_id, first=first)
        return CommittedChain(anchor, commitments_root(digests), b"".join(digests))

    def commitments(self, table: TableState, batch: PendingBatch) -> bytes:
        """The commitments of a batch again, in order. Raises `SeedsUnavailableError` without its seeds."""
        anchor = batch.anchors[table.custodians.index(NAME)]
        seeds = self._unrolled(table.name, table.table_id, batch.first, batch.count, anchor)
        return b"".join(commitments(seeds, table_id=table.table_id, first=batch.first))

    def check_holds(self, table: TableState, batch: PendingBatch) -> None:
        """Raise `SeedsUnavailableError` unless the seeds of a batch are here, before anybody bets on them."""
        self._chain_of(table, batch)

    def check_not_released(self, table: TableState, round_number: int) -> None:
        """Raise `SeedsUnavailableError` if the seed of a round has left already: nobody may bet on it again."""
        mark = self._store.mark(table.table_id)
        if mark is None or mark.round < round_number:
            return
        if self._log.holds(mark.position, mark.leaf):
            raise SeedsUnavailableError(f"{mark}: the database is older than the log. Run `foredraw rebuild`")
        raise SeedsUnavailableError(f"{table.name} round {round_number}: {mark.missing}")

    def seed(self, table: TableState, batch: PendingBatch, round_number: int) -> bytes:
        """The seed of a locked round. Raises `SeedsUnavailableError` unless its lock is published."""
        mark = None if self.knows_lock(table.name, round_number) else self._mark_of_lock(table, round_number)
        if not batch.first <= round_number <= batch.last:
            raise SeedsUnavailableError(f"{table.name} round {round_number}: it is not of batch {batch.number}")
        # Before the mark: a table's state whose id was changed does not decrypt, and so marks nothing.
        seed = self._chain_of(table, batch).seed(round_number)
        if mark is not None:
            self._raise(mark)
            # The log never takes a lock back, so one look is enough.
            self._freed.put((table.name, round_number), None)
        return seed

    def last_seeds(self, table: TableState, end_position: int) -> list[tuple[int, bytes]]:
        """The last seed of each pending batch of an ended table, with the batch's number.

        Raises `SeedsUnavailableError` unless the table's end is published at ``end_position``.
        """
        end = self._record_at(end_position, EndRecord, table.name)
        if end is None:
            raise SeedsUnavailableError(f"{table.name}: its end is not published")
        seeds = [(batch.number, self._chain_of(table, batch).seed(batch.last)) for batch in table.batches]
        if seeds:
            self._raise(Mark(table.table_id, table.name, table.batches[-1].last, end_position, leaf_hash(end)))
        return seeds

    def check_readable(self) -> None:
        """Raise `SeedsUnavailableError` if the store cannot be read."""
        self._store.check_readable()

    def marks(self) -> list[Mark]:
        """How far the seeds of each table have left."""
        return self._store.marks()

    def knows_lock(self, table: str, round_number: int) -> bool:
        """Whether this process has seen the round's lock in the published log."""
        return (table, round_number) in self._freed

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _mark_of_lock(self, table: TableState, round_number: int) -> Mark:
        position = self._log.positions(table.table_id, round_number).lock
        lock = self._record_at(position, LockRecord, table.name, round_number)
        if lock is None:
            raise SeedsUnavailableError(f"{table.name} round {round_number}: its lock is not published")
        return Mark(table.table_id, table.name, round_number, position, leaf_hash(lock))

    def _raise(self, new: Mark) -> None:
        """Move a table's mark up to ``new``, before its seed leaves.

        A crash after it leaves a mark that the published log has, for ``new`` stands there; so a start does not
        refuse what a crash left. Raises `SeedsUnavailableError` if the published log lacks the present mark's record.
        """
        if new.table_id not in self._checked_tables:
            mark = self._store.mark(new.table_id)
            if mark is not None and not self._log.holds(mark.position, mark.leaf):
                raise SeedsUnavailableError(f"{new.table} round {new.round}: {mark.missing}")
            # The published log only grows, and it is not exchanged under a running service.
            self._checked_tables.add(new.table_id)
        self._store.raise_mark(new)

    def _record_at(
        self, position: int, kind: type[LockRecord | EndRecord], table: str, round_number: int | None = None
    ) -> bytes | None:
        """This record, if it stands there in the published log. The position is a hint; the log decides."""
        data = self._log.record(position) if position else None
        if data is None:
            return None
        try:
            record = parse_record(data)
        except Malformed:
            return None
        if not isinstance(record, kind) or record.table != table:
            return None
        return data if isinstance(record, EndRecord) or record.round == round_number else None

    def _chain_of(self, table: TableState, batch: PendingBatch) -> KeptChain:
        anchor = batch.anchors[table.custodians.index(NAME)]
        return self._chain(table.name, table.table_id, batch.first, batch.count, anchor)

    def _open_chain(self, table: str, table_id: bytes, first: int, count: int, anchor: bytes) -> KeptChain:
        return KeptChain.of(self._unrolled(table, table_id, first, count, anchor), table_id=table_id, first=first)

    def _unrolled(self, table: str, table_id: bytes, first: int, count: int, anchor: bytes) -> list[bytes]:
        """All seeds of a batch in the order of play, from what the store holds."""
        row = self._store.chain(anchor)
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
