"""The sequencer: takes queued records, gives them their positions, and publishes the log.

A start queues a record that names this program, if none of this version is in the log: what is not used rusts. The
head's row remembers it, so that nobody reads the log for it. After a record that names the log's successor (SPEC
4.10), nothing is appended any more.

Only one runs per database, and others stand by (`api.log.leadership`). If an operator's policy demands witnesses,
nothing is appended before they have vouched for the head that was found at the start: records after an old backup
would be a fork. Each turn does, in this order:

1. every waiting record goes through replay; one that is refused halts its table, no other;
2. one transaction gives the accepted ones their positions and moves the head by compare-and-swap:
   the commit point. If another sequencer has moved it, or leads, this one changes nothing and ends. A crash
   before the commit leaves the records waiting; after it they are part of the log, come what may;
3. the full tiles and bundles, and the paytables of new tables, are written durably. The queue forgets their records
   only later, in a transaction after this;
4. the partial tiles and the finding aids are written, without waiting for the disk: should the
   machine lose them, the start writes them again from the queue and from the full bundles;
5. the head is signed and handed to the publisher, which replaces ``/checkpoint``: at once, or when the
   operator's policy allows it (`api.witnesses`). Only what ``/checkpoint`` covers is published.

So a signed head is always one that the database has, and the log never signs two that disagree.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeGuard

from msgspec import UNSET

from api import traces
from api.custody.mark import Mark
from api.log.finding_aids import AidsWriter
from api.log.paytable_files import PaytableFiles
from api.log.publishing import CheckpointSink, SaltedBatch
from api.log.recovery import Recovered, records_between, recover
from api.log.successor import successor_of
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import LOG_ENDED, DamagedStateError, decode_state, encode_state
from api.store.models import AppendedRow, QueuedRow, WaitingRow
from api.world.published.log_folder import LogFolder
from fairness.beacon.chain import time_of_pulse
from fairness.checks import Check
from fairness.errors import CheckFailed, Unknown
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.edge import File
from fairness.log.notes import SigningKey
from fairness.log.tiles import WIDTH, filled_between
from fairness.records.record import (
    OWN_NAME,
    Aside,
    BatchRecord,
    Record,
    SaltRecord,
    TableRecord,
    encode_record,
    table_and_type,
)
from fairness.records.replay import Known, Replay, read_record
from fairness.records.rules import UNSALTED
from fairness.records.succession import made_record, successor_named
from fairness.records.table_state import TableState
from fairness.version import VERSION

MOST_PER_TURN = 4000
NOTED_EVERY = 4096
"""How many records are appended before the finding aids are made durable."""
SYNCED_PER_TURN, SYNCED_PER_RECORD = 8, 1 / 32
"""How many files of finding aids are made durable in a turn: at least so many, and so many for each record of the
turn.

All at once, those of a thousand tables would take seconds.
"""

MAKER = f"foredraw {VERSION}"
"""What this program calls itself in a log."""
LOOKED_EVERY_SECONDS = 1.0
"""Whether the finding aids of the rounds to come are there; what is noted in them finds out at once."""

_logger = logging.getLogger("foredraw.sequencer")


class HeadMovedError(Exception):
    """Another sequencer writes this log: the head in the database is not the one that this one left there."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"expected the head of {size} records that this sequencer left, found another, or another leader: a second sequencer"
            " writes this log. Stop one of them"
        )


class Sequencer:
    """The one writer of the log."""

    def __init__(
        self,
        database: Database,
        log: LogFolder,
        known: Known,
        key: SigningKey,
        marks: Iterable[Mark],
        publisher: CheckpointSink,
        leader: str = "",
    ) -> None:
        """Start where the database's head is, and finish publishing it. Raises `RecoveryError`.

        The log must have the records of the custodian's ``marks``. ``leader`` is the name of the term (`Leadership`).
        """
        self._leader = leader
        self._database = database
        self._log = log
        self._key = key
        self._publisher = publisher
        self._aids = AidsWriter(log)
        self._paytables = PaytableFiles(database, log)
        self._halted: set[str] = set()
        self._looked = 0.0
        with self._database.read() as connection:
            rows = sql.ALL_APPENDED.all(connection)
            self._ids = {row.name: bytes.fromhex(row.table_id) for row in sql.ALL_TABLES.all(connection)}
        self._table_positions = {row.table: row.position for row in rows}
        states, damaged = _states(rows)
        self._replay = Replay(key.name, known.games, states, known.beacons)
        self._beacons = known.beacons
        recovered = recover(database, log, key.verifier_key, marks)
        # What was halted is tried again; not before it is sure that this database is the log's.
        self._successor = self._database.write(_cleared)
        for table, why in damaged.items():
            self._halt(table, why)
        for mark in recovered.abandoned:
            if self._ids.get(mark.table) == mark.table_id:
                self._halt(mark.table, f"{mark}, in a history that was discarded: its outcomes are known")
        self._edge = recovered.edge
        self._noted = self._forgotten = recovered.kept_from
        self._noting: int | None = None
        """The size of the log whose finding aids are being made durable."""
        self._finish(recovered)
        self._name_maker()

    def _name_maker(self) -> None:
        """Queue the record that names this program, if the log has no such record: once, whoever leads; never behind
        the log's last.
        """
        with self._database.read() as connection:
            made = sql.ONE_HEAD.one(connection).made
        if MAKER in made.splitlines():
            return
        seen = {"where_made": made, "where_leader": self._leader}

        def queue(connection: Connection) -> None:
            sql.TAKE_NAMES.run(connection)
            if successor_of(connection):
                return
            if sql.ADD_MAKER.count(connection, new_made=f"{made}{MAKER}\n", **seen) == 1:
                sql.ENQUEUE.run(connection, QueuedRow(OWN_NAME, made_record(MAKER)))

        self._database.write(queue)

    def _finish(self, recovered: Recovered) -> None:
        """Write again what a crash may have left unwritten, and publish the head."""
        for path, data in recovered.partial_files:
            self._log.write_soon(path, data)
        # Of these the queue has forgotten the records, and the checkpoint may still wait for its witnesses.
        self._log.settle_again(filled_between(recovered.since, recovered.kept_from))
        self._write(recovered.full_files, recovered.unnoted)
        self._paytables.check(state.paytable for state in self._replay.tables.values() if state.paytable)
        self._look_for_aids(everywhere=True)
        self._sync_aids()
        self._publisher.begin(recovered.since)
        self._publish(self._pending_salted())

    def turn(self) -> int:
        """Append and publish what waits; returns how many records. What it raises, ends the sequencer."""
        if time.monotonic() - self._looked >= LOOKED_EVERY_SECONDS:
            self._publisher.look()
            self._look_for_aids()
        if self._successor or not self._publisher.may_grow:
            return 0
        accepted = self._accept_all(self._waiting())
        if accepted:
            with traces.span("publish records", records=len(accepted)):
                self._append(accepted)
        return len(accepted)

    def _accept_all(self, rows: list[WaitingRow]) -> list[tuple[WaitingRow, Record | Aside]]:
        """Return those that replay accepts, up to one that names the log's successor."""
        accepted = list[tuple[WaitingRow, Record | Aside]]()
        for row in rows:
            record = self._accept(row)
            if record is None:
                continue
            accepted.append((row, record))
            if isinstance(record, Aside) and (key := successor_named(row.data)) is not None:
                self._successor = key
                break
        return accepted

    def _append(self, accepted: list[tuple[WaitingRow, Record | Aside]]) -> None:
        """Append them to the log, and publish its new head."""
        start, root = self._edge.size, self._edge.root
        full: list[File] = []
        for row, _ in accepted:
            full += self._edge.append(row.data)
        self._commit(accepted, start, root)
        # No state, file or finding aid depends on an aside.
        placed = [(start + i, record) for i, (_, record) in enumerate(accepted) if not isinstance(record, Aside)]
        self._paytables.write(_paytables_of(record for _, record in placed))
        self._write(full, placed)
        self._publish([self._salted(record, position) for position, record in placed if _names_a_pulse(record)])
        if self._aids.lost is not None:
            self._look_for_aids()
        self._sync_some_aids(len(accepted))

    def _waiting(self) -> list[WaitingRow]:
        """Return the next records in queue order; those of halted tables stay where they are."""
        with self._database.read() as connection:
            rows = sql.WAITING.all(connection, after_id=0, limit=MOST_PER_TURN)
            found = [row for row in rows if row.table not in self._halted]
            while not found and len(rows) == MOST_PER_TURN:
                rows = sql.WAITING.all(connection, after_id=rows[-1].id, limit=MOST_PER_TURN)
                found = [row for row in rows if row.table not in self._halted]
        return found

    def _accept(self, row: WaitingRow) -> Record | Aside | None:
        if row.table in self._halted:
            return None
        claimed = table_and_type(row.data)
        if claimed is not None and claimed[0] != row.table:
            self._halt(row.table, f"queue entry {row.id} holds a record of {claimed[0]}")
            return None
        try:
            return _own_aside(row.data) if row.table == OWN_NAME else self._replay.advance(row.data)
        except (CheckFailed, Unknown) as error:
            self._check_head()
            self._halt(row.table, f"queue entry {row.id}: {error}")
            return None

    def _check_head(self) -> None:
        """Raise `HeadMovedError` unless the head is where this sequencer left it, and the term is its own.

        A leader that was cut off sees records that follow those of the next leader, and must not halt their table for
        it.
        """
        with self._database.read() as connection:
            head = sql.ONE_HEAD.one(connection)
        if (head.size, head.root, head.leader) != (self._edge.size, self._edge.root.hex(), self._leader):
            raise HeadMovedError(self._edge.size)

    def _halt(self, table: str, why: str) -> None:
        """Stop one table. Its records stay queued; a restart tries them again."""
        _logger.critical("table %s is halted: %s", table, why)
        self._halted.add(table)
        self._database.write(lambda connection: sql.SET_HALTED.run(connection, where_name=table, new_halted=why))

    def _commit(self, accepted: list[tuple[WaitingRow, Record | Aside]], start: int, root: bytes) -> None:
        """Make the accepted records part of the log, if its head is still the one of ``start`` records and
        ``root``.
        """
        positions = list(runs([row.id for row, _ in accepted], start))
        tables = {record.table for _, record in accepted if not isinstance(record, Aside)}
        states = {name: encode_state(self._replay.tables[name]) for name in tables}
        created = {
            record.table: start + i for i, (_, record) in enumerate(accepted) if isinstance(record, TableRecord)
        }
        new = [AppendedRow(name, states[name], at) for name, at in created.items()]
        old = [{"where_table": name, "new_state": states[name]} for name in states if name not in created]
        moved = {"new_size": self._edge.size, "new_root": self._edge.root.hex()}
        seen = {"where_size": start, "where_root": root.hex(), "where_leader": self._leader}
        self._table_positions |= created

        def commit(connection: Connection) -> None:
            if sql.MOVE_HEAD.count(connection, **moved, **seen) != 1:
                raise HeadMovedError(start)
            sql.SET_POSITIONS.run_many(connection, positions)
            sql.INSERT_APPENDED.run_many(connection, new)
            sql.SET_APPENDED.run_many(connection, old)
            sql.FORGET_KEPT.run(connection, before_position=self._forgotten)
            if self._successor:
                sql.SET_SUCCESSOR.run(connection, new_successor=self._successor)
                sql.HALT_ALL.run(connection, new_halted=LOG_ENDED)

        self._database.write(commit)

    def _write(self, full: list[File], records: Iterable[tuple[int, Record]]) -> None:
        """Write all that the present head needs."""
        self._log.write_all(full)
        for path, data in self._edge.partial_files():
            self._log.write_soon(path, data)
        self._note(records)
        if full:
            # The next commit forgets their records, so by then they must be wherever the log is published.
            self._log.settle()
            self._forgotten = self._edge.size // WIDTH * WIDTH

    def _publish(self, batches: list[SaltedBatch]) -> None:
        """Sign the head, and hand it over with the batches in it that may need a witnessed file."""
        checkpoint = Checkpoint(self._replay.origin, self._edge.size, self._edge.root)
        self._publisher.take(SignedCheckpoint(checkpoint.sign(self._key), checkpoint), batches)

    def _salted(self, record: BatchRecord, position: int) -> SaltedBatch:
        salt = self._replay.tables[record.table].salt
        pulse = None if record.beacon is UNSET else time_of_pulse(self._beacons, salt, record.beacon)
        return SaltedBatch(record.table, record.batch, leaf_hash(encode_record(record)), position, pulse)

    def _pending_salted(self) -> list[SaltedBatch]:
        """Return the batches of the log with rounds to play that name a pulse, as far as the finding aids show where
        they are.
        """
        return [
            SaltedBatch(
                state.name,
                batch.number,
                batch.batch_id,
                self._aids.batch_at(state.table_id, batch.first),
                None if batch.awaits is None else time_of_pulse(self._beacons, state.salt, batch.awaits),
                is_salted=batch.awaits is None,
            )
            for state in self._replay.tables.values()
            if state.salt != UNSALTED
            for batch in state.batches
        ]

    def _look_for_aids(self, *, everywhere: bool = False) -> None:
        """Make the finding aids again from the log if any is missing: of the rounds to come, or ``everywhere``."""
        self._looked = time.monotonic()
        missing, states = self._aids.lost, self._replay.tables.values()
        if everywhere:
            self._aids.drop_wrong((state, self._table_positions[state.name]) for state in states)
        for state in states:
            first = 1 if everywhere else state.next_round
            last = state.committed_through if everywhere else min(state.committed_through, first + state.lead)
            missing = missing or self._aids.first_missing(state, first, last)
        if missing is None:
            return
        _logger.warning(
            "finding aids are missing (%s): they are made again from the %d records of the log",
            missing,
            self._edge.size,
        )
        self._note(records_between(self._log.read, 0, self._edge.size))
        self._aids.lost = None
        self._sync_aids()
        _logger.warning("the finding aids are whole again")

    def _note(self, records: Iterable[tuple[int, Record]]) -> None:
        for position, record in records:
            state = self._replay.tables.get(record.table)
            # A table whose state is damaged has no new records, but may have some that are published again.
            table_id = self._ids[record.table] if state is None else state.table_id
            salted = self._rounds_of(record) if isinstance(record, SaltRecord) else None
            self._aids.note(record, position, table_id, self._table_positions[record.table], salted)
        self._aids.write()

    def _rounds_of(self, salt: SaltRecord) -> range | None:
        """Return the rounds that a salt is for; `None` if the row of its batch is lost."""
        with self._database.read() as connection:
            batch = sql.ONE_BATCH.find(connection, table=salt.table, number=salt.batch)
        return None if batch is None else range(batch.first, batch.last + 1)

    def _sync_aids(self) -> None:
        """Make all finding aids durable, and then remember how far they are."""
        self._aids.sync()
        self._remember_noted(self._edge.size)

    def _sync_some_aids(self, records: int) -> None:
        """Go on making finding aids durable, a few of them in a turn of so many records."""
        if self._noting is None and self._edge.size - self._noted >= NOTED_EVERY:
            self._aids.begin_sync()
            self._noting = self._edge.size
        most = max(SYNCED_PER_TURN, int(records * SYNCED_PER_RECORD))
        if self._noting is not None and self._aids.sync_some(most):
            self._remember_noted(self._noting)

    def _remember_noted(self, size: int) -> None:
        self._noted, self._noting = size, None
        changed = {"where_leader": self._leader, "new_noted": size}
        self._database.write(lambda connection: sql.SET_NOTED.run(connection, **changed))


def runs(ids: list[int], start: int) -> Iterator[dict[str, int]]:
    """Yield what gives rows of the queue, with ascending ``ids``, the positions from ``start`` on: one change for
    each run of ids.

    Another row never lies within a run, not even one that is committed meanwhile: each of its ids has been accepted.
    """
    for shift, run in groupby(enumerate(ids, start), key=lambda each: each[0] - each[1]):
        of_run = [number for _, number in run]
        yield {"from_id": of_run[0], "through_id": of_run[-1], "shift": shift}


def _own_aside(data: bytes) -> Aside:
    """Return what stands in the log's own name, or `CheckFailed`."""
    record = read_record(data)
    if not isinstance(record, Aside):
        raise CheckFailed(Check.RECORD_FORM, expected="an aside", found=f"a {record.type}")
    return record


def _cleared(connection: Connection) -> str:
    """Have what was halted tried again, unless the log has ended; returns the key of the log after it, if one is
    named.
    """
    successor = sql.ONE_HEAD.one(connection).successor
    if successor:
        sql.HALT_ALL.run(connection, new_halted=LOG_ENDED)
    else:
        sql.CLEAR_HALTED.run(connection)
    return successor


def _paytables_of(records: Iterable[Record]) -> Iterator[str]:
    """Yield what the bets of new tables pay, by the hashes of the files."""
    for record in records:
        if isinstance(record, TableRecord) and record.paytable is not UNSET:
            yield record.paytable


def _names_a_pulse(record: Record | Aside) -> TypeGuard[BatchRecord]:
    return isinstance(record, BatchRecord) and record.beacon is not UNSET


def _states(rows: Iterable[AppendedRow]) -> tuple[dict[str, TableState], dict[str, str]]:
    """Return the tables' states; and of those whose row is damaged, why they are halted."""
    states, damaged = {}, {}
    for row in rows:
        try:
            states[row.table] = decode_state(row.state)
        except DamagedStateError as error:
            damaged[row.table] = str(error)
    return states, damaged
