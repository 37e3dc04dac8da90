"""Queueing records: a change of state and its record are one transaction, with replay's step inside.

Whoever changes a table works on a `TableChange`: the table's row, its replay state as far as records are
queued, and the open transaction. Nothing enters the queue that replay refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Row

from api.problems import Code, Problem
from api.service import Service
from api.store import statements as sql
from fairness.draws.game import Game, RulesRefused
from fairness.records.record import Record, encode_record
from fairness.records.replay import Replay
from fairness.records.table_state import TableState

Result = TypeVar("Result")

_STATE_DECODER = msgspec.json.Decoder(TableState)
_RULES_DECODER = msgspec.json.Decoder(dict[str, int])


class DamagedStateError(Exception):
    """A row does not hold a table's state: the file was damaged, or changed by hand."""


def decode_state(data: bytes) -> TableState:
    """Read a table's state from its row. Raises `DamagedStateError`."""
    try:
        return _STATE_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedStateError(f"its row in the database is damaged ({error}): run `foredraw rebuild`") from error


def decode_rules(game: Game, data: str) -> dict[str, int]:
    """Read the rules of a table's next batch from its row. Raises `DamagedStateError`."""
    try:
        rules = _RULES_DECODER.decode(data)
        game.check_rules(rules)
    except (msgspec.MsgspecError, UnicodeDecodeError, RulesRefused) as error:
        raise DamagedStateError(f"its rules in the database are damaged ({error}): run `foredraw rebuild`") from error
    return rules


def encode_state(state: TableState) -> bytes:
    """Spell a table's state for its row."""
    return msgspec.json.encode(state)


@dataclass(slots=True)
class TableChange:
    """One table, and one round of it, inside a write transaction."""

    service: Service
    connection: Connection
    row: Row[Any]
    state: TableState

    @property
    def round(self) -> Row[Any] | None:
        """The round's row; `None` while nothing has happened to it."""
        return self.row if self.row.status is not None else None

    def now(self, *not_before: str) -> str:
        """The present; if the clock stepped back, the table's last time again. Raises `ClockJumped`."""
        return max(self.service.timekeeper.stamp(), self.state.latest, *not_before)

    def queue(self, record: Record) -> None:
        """Put a record through replay and into the queue. Raises `CheckFailed` where a rule forbids it."""
        data = encode_record(record)
        Replay(self.service.origin, self.service.games, {self.state.name: self.state}).advance(data)
        sql.ENQUEUE.run(self.connection, {"table": self.state.name, "data": data})
        state = {"of_table": self.state.name, "state": encode_state(self.state)}
        sql.SET_QUEUED_STATE.run(self.connection, state)


def change_table(service: Service, table: str, number: int, work: Callable[[TableChange], Result]) -> Result:
    """Do ``work`` on a round of a table, in a transaction; a number of 0 stands for no round.

    Raises `Problem` where the table is unknown or halted.
    """

    def on_table(connection: Connection) -> Result:
        return work(read_change(service, connection, table, number))

    return service.database.write(on_table)


def read_change(service: Service, connection: Connection, table: str, number: int) -> TableChange:
    """A table and a round as they are. Raises `Problem` where the table is unknown or halted."""
    row = sql.TABLE_AND_ROUND.one(connection, {"of_table": table, "of_round": number})
    if row is None:
        raise unknown_table(table)
    if row.halted is not None:
        raise Problem(Code.TABLE_HALTED, f"{table} is halted: {row.halted}", table=table)
    try:
        return TableChange(service, connection, row, decode_state(row.queued_state))
    except DamagedStateError as error:
        raise Problem(Code.TABLE_HALTED, f"{table} is halted: {error}", table=table) from error


def known_table(connection: Connection, table: str) -> Row[Any]:
    """A table's row. Raises `Problem`."""
    row = connection.execute(sql.ONE_TABLE, {"of_table": table}).one_or_none()
    if row is None:
        raise unknown_table(table)
    return row


def unknown_table(table: str) -> Problem:
    """What is said of a table that there is not."""
    return Problem(Code.UNKNOWN_TABLE, f"no table {table[:40]!r}")
