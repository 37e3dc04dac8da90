"""One log follows another: the last record of the old one, and the first record of the new one (SPEC 4.10)."""

from __future__ import annotations

from typing import NamedTuple

from api.journal.chain import append
from api.journal.entry import Act, Deed
from api.log.successor import successor_of
from api.refusal import RefusalError
from api.rounds.change import TableWriter
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_state
from api.store.models import QueuedRow, TableRow
from fairness.errors import ForedrawError
from fairness.log.checkpoints import Checkpoint, is_sandbox
from fairness.log.notes import VerifierKey
from fairness.records.record import OWN_NAME
from fairness.records.succession import predecessor_record, successor_record

_MOST_SHOWN = 10


class SuccessionRefusedError(RefusalError):
    """One log does not follow the other; the message says what was expected, and what to do."""


class LastHead(NamedTuple):
    """What is said of the log before: its key, and the last checkpoint that it signed."""

    key: VerifierKey
    checkpoint: Checkpoint

    @classmethod
    def open(cls, note: bytes, key: VerifierKey) -> LastHead:
        """Check the old log's last checkpoint. Raises `SuccessionRefusedError`."""
        try:
            return cls(key, Checkpoint.open(note, key))
        except ForedrawError as error:
            raise SuccessionRefusedError(
                f"this is no checkpoint of the log before, whose key (--key) you gave: {error}. Give the file log/checkpoint of the"
                " old log, as it was published last, and the key that the old log published"
            ) from error


def check_other_log(key: VerifierKey, origin: str, own: VerifierKey | None = None) -> None:
    """Raise `SuccessionRefusedError` unless the key is of another log than ``origin``, whose ``own`` key this is."""
    if key.name == origin or (own is not None and key.public_key == own.public_key):
        raise SuccessionRefusedError(
            f"expected the key of another log than {origin}, found {key}: no log follows itself. Another log has another name,"
            " because witnesses know a log by its name, and another key"
        )
    if is_sandbox(key.name):
        raise SuccessionRefusedError(
            f"{key.name} ends in /sandbox: such a log proves nothing, so none follows another"
        )


def end_log(writer: TableWriter, successor: VerifierKey, *, by: str, reason: str | None = None) -> None:
    """Queue the log's last record, which names the ``successor``; do nothing if it stands there, or waits.

    Raises `SuccessionRefusedError` while anything is unfinished, and if another successor is named.
    """
    at = writer.timekeeper.stamp()

    def queue(connection: Connection) -> None:
        sql.TAKE_NAMES.run(connection)
        named = successor_of(connection)
        if named == str(successor):
            return
        _check_can_end(connection, named)
        sql.ENQUEUE.run(connection, QueuedRow(OWN_NAME, successor_record(at, successor)))
        append(connection, at, Deed(by, Act.SUCCEED, writer.origin, after={"key": str(successor)}, reason=reason))

    writer.database.write(queue)


def _check_can_end(connection: Connection, named: str) -> None:
    """Raise `SuccessionRefusedError` if a successor is ``named``, a table is not closed, or a record waits."""
    if named:
        raise SuccessionRefusedError(
            f"this log names another log that follows it, for ever: {named}. Nothing more can be written to it"
        )
    unfinished = [row.name for row in sql.ALL_TABLES.all(connection) if not _is_closed(row)]
    if unfinished:
        shown = ", ".join(unfinished[:_MOST_SHOWN]) + (", …" if len(unfinished) > _MOST_SHOWN else "")
        raise SuccessionRefusedError(
            f"after its last record a log takes no other, so every table must be closed; {len(unfinished)} are not: {shown}. Close"
            " each (`foredraw table close NAME`), with the service running, and try again"
        )
    if waiting := sql.QUEUE_LENGTH.one(connection):
        raise SuccessionRefusedError(
            f"{waiting} records wait to enter the log, and would have no place behind its last one: let the running service"
            " publish them (`foredraw doctor` says what is in their way), and try again"
        )


def begin_after(writer: TableWriter, before: LastHead, *, by: str) -> None:
    """Queue the first record of a log that has none, which names the log ``before``; do nothing if it waits already.

    Raises `SuccessionRefusedError` if the log has begun.
    """
    at = writer.timekeeper.shown()
    key, last = before
    record = predecessor_record(at, key, last)

    def queue(connection: Connection) -> None:
        # A start, which names the program, takes the names as well.
        sql.TAKE_NAMES.run(connection)
        first = sql.WAITING.all(connection, after_id=0, limit=1)
        size = sql.ONE_HEAD.one(connection).size
        if first and _but_its_time(first[0].data) == _but_its_time(record):
            return
        if size or first:
            raise SuccessionRefusedError(
                f"the log {writer.origin} has begun: {size} records are in it, and more may wait. The record that names the log"
                " before must be its first. Begin in a new folder, and start the service only after `init --after`"
            )
        sql.ENQUEUE.run(connection, QueuedRow(OWN_NAME, record))
        after = {"key": str(key), "root": last.root.hex(), "size": last.size}
        append(connection, at, Deed(by, Act.FOLLOW, writer.origin, after=after))

    writer.database.write(queue)


def _but_its_time(record: bytes) -> bytes:
    """Leave out the first key, ``at``."""
    return record.partition(b",")[2]


def _is_closed(row: TableRow) -> bool:
    try:
        return decode_state(row.queued_state).closed
    except DamagedStateError as error:
        raise SuccessionRefusedError(f"table {row.name}: {error}") from error
