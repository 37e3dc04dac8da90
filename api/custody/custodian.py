"""The custodian: what holds the seeds and releases them one at a time.

It trusts the published log and nobody else, and it reads neither the log nor any database: a caller that asks
for a seed brings the proof. A seed leaves only for a record that a signed checkpoint vouches for: the lock
of its round; or the end of its table, which frees the last seed of each chain. No database, older or
changed by hand, can make it release a seed early.

It also remembers what it has released, in a mark per table that is durable before the seed leaves.
An older log, even if the database is as old, lacks the record of the mark, and gets no more seeds.

Its store is its own (`seed_store`). It holds one row per batch: the chain's last seed, encrypted with
AES-256-GCM and bound to the batch; and the marks. The store must never be restored to an older state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.custody.chain import ChainId
from api.custody.kept_chain import KeptChain
from api.custody.mark import Mark
from api.custody.rotation import NONCE_SIZE
from api.custody.seed_store import SeedStore, SeedsUnavailableError
from api.custody.source import Source
from api.settings import Server
from api.sharing.bounded import BoundedCache
from api.world.cooperation import Offload, inline
from fairness.draws.commitments import commitments, commitments_root
from fairness.draws.seed_chain import SEED_SIZE, seeds_and_anchor
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey
from fairness.log.proof import Inclusion, Proven
from fairness.records.record import EndRecord, LockRecord, parse_record

__all__ = ["NAME", "CommittedChain", "Custodian", "SeedsUnavailableError"]

NAME = "house"
_CACHED_CHAINS = 256


@dataclass(frozen=True, slots=True)
class CommittedChain:
    """What is public about a new chain."""

    anchor: bytes
    root: bytes
    commitments: bytes
    """The commitments in order, one after the other."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A seed that has left, and the proof that freed it, which need not be checked a second time."""

    number: int
    freed_by: Proven
    seed: bytes = field(repr=False)


class Custodian:
    """Makes seed chains, keeps them, and releases their seeds against records of the log that ``log_key`` signs.

    Store and key are opened when they are first needed: a program that asks for nothing opens no secret.
    """

    def __init__(
        self, store: Path | Server, load_key: Callable[[], bytes], log_key: VerifierKey, offload: Offload = inline
    ) -> None:
        self._place, self._load_key, self._offload = store, load_key, offload
        self._log_key = log_key
        self._source = Source()
        self._marked: dict[bytes, int] = {}
        """How far the seeds of a table have left, as far as this process knows: it has written that mark, or seen its
        proof.
        """
        # A chain unrolls from its end, so its first seed costs as much as all of them: chains are kept.
        self._chain = lru_cache(maxsize=_CACHED_CHAINS)(self._open_chain)
        # An engine that locks a round asks for its seed, and once more when it reveals it.
        self._left: BoundedCache[ChainId, _Left] = BoundedCache(_CACHED_CHAINS)

    @cached_property
    def _store(self) -> SeedStore:
        return SeedStore(self._place, self._offload)

    @cached_property
    def _cipher(self) -> AESGCM:
        return AESGCM(self._load_key())

    def open(self) -> None:
        """Open store and key now. Raises `SeedsUnavailableError`, or what loading the key raises."""
        _ = self._store, self._cipher

    def commit(self, table: str, table_id: bytes, *, first: int, count: int) -> CommittedChain:
        """Make the chain of a batch. When this returns, its last seed is durable.

        Raises `EntropyFailsError`, and stores nothing. A crash before the batch is queued leaves a row that nothing
        points at, and does no harm.
        """
        last_seed, nonce = self._source.take(SEED_SIZE), self._source.take(NONCE_SIZE)
        _, anchor = seeds_and_anchor(last_seed, table_id=table_id, first=first, count=count)
        chain = ChainId(table, table_id, first, count, anchor)
        self._store.put_chain(anchor, nonce, self._cipher.encrypt(nonce, last_seed, bytes(chain)))
        # What is published is computed from what was stored, not from what was to be stored.
        digests = commitments(self._unrolled(chain), table_id=table_id, first=first)
        return CommittedChain(anchor, commitments_root(digests), b"".join(digests))

    def commitments(self, chain: ChainId) -> bytes:
        """Return the commitments of a batch again, in order. Raises `SeedsUnavailableError` without its seeds."""
        return b"".join(commitments(self._unrolled(chain), table_id=chain.table_id, first=chain.first))

    def check_holds(self, chain: ChainId) -> None:
        """Raise `SeedsUnavailableError` unless the seeds of a batch are here, before anybody bets on them."""
        self._chain(chain)

    def check_key(self, chains: Iterable[ChainId]) -> None:
        """Raise `SeedsUnavailableError` if the store has seeds of these batches, and the key opens none of them.

        Seeds that are missing, or do not decrypt while others do, concern their own table only.
        """
        found = 0
        for chain in chains:
            row = self._store.chain(chain.anchor)
            if row is None:
                continue
            try:
                self._cipher.decrypt(row[0], row[1], bytes(chain))
            except InvalidTag:
                found += 1
            else:
                return
        if found:
            raise SeedsUnavailableError(
                f"the seeds' key opens none of the {found} batches of rounds to come, so it is not the one that they were"
                " sealed with. Put keys/seed-encryption.key back as it was when this copy of custodian/ was made, from your"
                " back-up of keys; or the newest custodian/, if that is the older one"
            )

    def mark(self, table_id: bytes) -> Mark | None:
        """Return how far the seeds of a table have left; `None` if none has."""
        return self._store.mark(table_id)

    def marks(self) -> list[Mark]:
        """Return how far the seeds of each table have left."""
        return self._store.marks()

    def mark_to_prove(self, table_id: bytes) -> Mark | None:
        """Return the mark whose record the next `release` has to prove too; `None` if this process has had the
        proof.
        """
        return None if table_id in self._marked else self._store.mark(table_id)

    def release(self, chain: ChainId, number: int, freed_by: Proven, marked: Inclusion | None = None) -> bytes:
        """Return the seed of a round, for its lock; of the chain's last round also for the table's end.

        ``marked`` shows that the record of `mark_to_prove` stands in the same log. Raises `SeedsUnavailableError`
        if a proof fails, or proves something else.
        """
        left = self._left.get(chain)
        if left is not None and (left.number, left.freed_by) == (number, freed_by):
            return left.seed
        checkpoint, leaf = self._checked(chain, freed_by)
        _check_frees(chain, number, freed_by.data)
        # Before the mark: a chain of another table's id does not decrypt, and so marks nothing.
        seed = self._chain(chain).seed(number)
        index = freed_by.proof.inclusion.index
        self._raise(Mark(chain.table_id, chain.table, number, index, leaf), checkpoint, marked)
        self._left.put(chain, _Left(number, freed_by, seed))
        return seed

    def check_readable(self) -> None:
        """Raise `SeedsUnavailableError` if the store cannot be read."""
        self._store.check_readable()

    def look_whether_held(self) -> None:
        """Raise `SeedsUnavailableError` if another program holds the store; to be called each second."""
        self._store.look_whether_held()

    def close(self) -> None:
        """Close the store, if it was opened."""
        if "_store" in self.__dict__:
            self._store.close()

    def _checked(self, chain: ChainId, record: Proven) -> tuple[Checkpoint, bytes]:
        """Return the checkpoint that vouches for a record, and the record's leaf hash."""
        leaf = leaf_hash(record.data)
        try:
            checkpoint = record.proof.check(leaf, self._log_key)
        except CheckFailed as error:
            raise SeedsUnavailableError(
                f"{chain.table}: the record that should free a seed is not proven: {error}"
            ) from error
        return checkpoint, leaf

    def _raise(self, new: Mark, checkpoint: Checkpoint, marked: Inclusion | None) -> None:
        """Move a table's mark up to ``new``, before its seed leaves.

        A crash after this leaves a mark whose record is in the published log; so a start does not
        refuse what a crash left. Raises `SeedsUnavailableError` if the log lacks the present mark's record.
        """
        if new.table_id not in self._marked:
            mark = self._store.mark(new.table_id)
            if mark is not None and not _stands(mark, checkpoint, marked):
                raise SeedsUnavailableError(f"{new.table} round {new.round}: {mark.missing}")
            # The published log only grows, and it is not exchanged under a running service.
        if new.round > self._marked.get(new.table_id, 0):
            self._store.raise_mark(new)
            self._marked[new.table_id] = new.round

    def _open_chain(self, chain: ChainId) -> KeptChain:
        return KeptChain.of(self._unrolled(chain), table_id=chain.table_id, first=chain.first)

    def _unrolled(self, chain: ChainId) -> list[bytes]:
        """Return all seeds of a batch in the order of play, from what the store holds."""
        row = self._store.chain(chain.anchor)
        name = f"the seeds of the batch with anchor {chain.anchor.hex()}"
        if row is None:
            raise SeedsUnavailableError(f"{name} are not in the custodian's store")
        try:
            last_seed = self._cipher.decrypt(row[0], row[1], bytes(chain))
        except InvalidTag:
            raise SeedsUnavailableError(
                f"{name} do not decrypt: the key or the store is not the one they were made with"
            ) from None
        seeds, found = seeds_and_anchor(last_seed, table_id=chain.table_id, first=chain.first, count=chain.count)
        if found != chain.anchor:
            raise SeedsUnavailableError(f"{name} do not unroll to it")
        return seeds


def _check_frees(chain: ChainId, number: int, data: bytes) -> None:
    """Raise `SeedsUnavailableError` unless a record of the log frees the seed of a round of this chain."""
    if not chain.first <= number <= chain.last:
        raise SeedsUnavailableError(
            f"{chain.table} round {number}: it is not of the batch of rounds {chain.first} to {chain.last}"
        )
    try:
        record = parse_record(data)
    except (Malformed, Unknown) as error:
        raise SeedsUnavailableError(
            f"{chain.table} round {number}: expected its lock, found no record: {error}"
        ) from error
    if record.table == chain.table:
        if isinstance(record, LockRecord) and record.round == number:
            return
        if isinstance(record, EndRecord) and number == chain.last:
            return
    found = f"{record.type} of {record.table}" + (f" round {record.round}" if isinstance(record, LockRecord) else "")
    raise SeedsUnavailableError(f"{chain.table} round {number}: expected its lock, found the {found}")


def _stands(mark: Mark, checkpoint: Checkpoint, inclusion: Inclusion | None) -> bool:
    """Return whether the record of a mark is shown to stand in the checkpoint's log."""
    if inclusion is None or inclusion.index != mark.position:
        return False
    try:
        inclusion.check(mark.leaf, checkpoint)
    except CheckFailed:
        return False
    return True
