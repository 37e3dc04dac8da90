"""Queueing records: a change of state and its record are one transaction, with replay's step inside.

A caller that changes a table works on a `TableChange`: the table's row, its replay state as far as records are
queued, and the open transaction. Nothing enters the queue that replay refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from api.problems import Code, Problem
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import LOG_ENDED, DamagedStateError, decode_state, encode_state
from api.store.models import QueuedRow, RoundRow, TableRow
from api.world.timekeeper import Timekeeper
from fairness.beacon.chain import Beacons, known_beacons
from fairness.records.record import NAME_PATTERN, Record, encode_record
from fairness.records.replay import Replay
from fairness.records.table_state import TableState
from games import GAMES

Result = TypeVar("Result")
_NAME = re.compile(NAME_PATTERN)


@dataclass(frozen=True, slots=True)
class TableWriter:
    """Changes the tables of one log: their rows, and the queue of their records."""

    database: Database
    timekeeper: Timekeeper
    origin: str
    """The log's name."""
    beacons: Beacons = field(default_factory=known_beacons)
    """The beacons that tables can have."""

    def change(self, table: str, number: int, work: Callable[[TableChange], Result]) -> Result:
        """Do ``work`` on a round of a table, in a transaction; a number of 0 stands for no round.

        Raises `Problem` if the table is unknown or halted.
        """
        check_name(table)

        def on_table(connection: Connection) -> Result:
            # The lock is a statement of its own: the one that follows sees what the last holder committed, of all
            # tables.
            sql.TAKE_TABLE.run(connection, name=table)
            row, state, found = _read(connection, table, number)
            return work(TableChange(self, connection, row, state, found))

        return self.database.write(on_table, table)

    def read(self, table: str, number: int) -> tuple[TableState, RoundRow | None]:
        """Return a table and a round as they are now. Raises `Problem` if the table is unknown or halted."""
        check_name(table)
        with self.database.read() as connection:
            _, state, found = _read(connection, table, number)
        return state, found


@dataclass(slots=True)
class TableChange:
    """One table, and one round of it, inside a write transaction."""

    writer: TableWriter
    connection: Connection
    row: TableRow
    state: TableState
    round: RoundRow | None
    """The round's row; `None` while nothing has happened to it."""

    def now(self, *not_before: str) -> str:
        """Return the present; if the clock stepped back, the table's last time again. Raises `ClockJumped`."""
        return max(self.writer.timekeeper.stamp(), self.state.latest, *not_before)

    def tick(self) -> str:
        """Return the present by the monotonic clock, from which the age of what is written is counted."""
        return self.writer.timekeeper.tick()

    def queue(self, record: Record) -> None:
        """Put a record through replay and into the queue. Raises `CheckFailed` if a rule forbids it."""
        data = encode_record(record)
        Replay(self.writer.origin, GAMES, {self.state.name: self.state}, self.writer.beacons).advance(data)
        sql.ENQUEUE.run(self.connection, QueuedRow(self.state.name, data))
        state = encode_state(self.state)
        sql.SET_QUEUED_STATE.run(self.connection, where_name=self.state.name, new_queued_state=state)


def _read(connection: Connection, table: str, number: int) -> tuple[TableRow, TableState, RoundRow | None]:
    found = sql.TABLE_AND_ROUND.find(connection, name=table, round=number)
    if found is None:
        raise unknown_table(table)
    row = found.table
    if row.halted is not None:
        raise halted(table, row.halted)
    try:
        return row, decode_state(row.queued_state), found.round
    except DamagedStateError as error:
        raise halted(table, str(error)) from error


def halted(table: str, why: str) -> Problem:
    """Return the refusal of a halted table: of all of them, if the log has ended."""
    if why == LOG_ENDED:
        return Problem(Code.LOG_ENDED, f"{table}: {why}")
    return Problem(Code.TABLE_HALTED, f"{table} is halted: {why}")


def known_table(connection: Connection, table: str) -> TableRow:
    """Return a table's row. Raises `Problem`."""
    check_name(table)
    row = sql.ONE_TABLE.find(connection, name=table)
    if row is None:
        raise unknown_table(table)
    return row


def check_name(table: str) -> None:
    """Raise `Problem` if no table can have this name: a database may fail at a text that is none, such as a zero
    byte.
    """
    if not _NAME.fullmatch(table):
        raise unknown_table(table)


def unknown_table(table: str) -> Problem:
    """Return the refusal of an unknown table."""
    return Problem(Code.UNKNOWN_TABLE, f"no table {table[:40]!r}")
