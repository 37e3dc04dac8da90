"""The read model: what the database says of tables and rounds, as typed rows, for calls and pages that only show
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec import Struct

from api.journal.entry import Act, holder
from api.log.publication import Publication
from api.problems import Code, Problem
from api.rounds.change import check_name, known_table, unknown_table
from api.rounds.status import TableStatus, table_status
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules, decode_state
from api.store.models import BatchAndRound, BatchRow, EndedRow, HeadRow, RoundRow, SaltRow, TableAndRound, TableRow
from fairness.records.record import BatchRecord
from fairness.records.table_state import TableState
from games import GAMES

_EVERY_TABLE = 2**62
"""More tables than there are."""


class TableWithRounds(NamedTuple):
    """A table and its newest rounds, the newest first."""

    row: TableRow
    status: TableStatus
    rounds: list[RoundRow]


class Appended(NamedTuple):
    """The head of the log, and of each table its state after the head's records and the position of its first one."""

    head: HeadRow
    states: list[tuple[TableState, int]]
    damaged: list[str]
    """The tables whose rows cannot be read, by name."""


def table_row(database: Database, table: str) -> TableRow:
    """Return a table's row. Raises `Problem` if there is none."""
    with database.read() as connection:
        return known_table(connection, table)


def published_roots(database: Database, publication: Publication, batch_id: bytes) -> tuple[int, list[bytes]] | None:
    """Return how many rounds a batch has, and the roots of its commitments, as its published record says; `None` if
    it is not found.
    """
    with database.read() as connection:
        batch = sql.BATCH_OF_ID.find(connection, batch_id=batch_id.hex())
        table = None if batch is None else known_table(connection, batch.table)
    log = publication.newest()
    if batch is None or table is None or log is None:
        return None
    position = publication.batch_at(batch_id, bytes.fromhex(table.table_id), batch.first)
    if position is None:
        return None
    record = log.record(position, BatchRecord, f"batch {batch.number}", batch.table).record
    return record.count, [bytes.fromhex(root) for root in record.commitments]


def status_of_table(database: Database, table: str) -> TableStatus:
    """Return how one table stands. Raises `Problem` if there is none."""
    with database.read() as connection:
        return table_status(connection, known_table(connection, table))


def was_voided_by_hand(database: Database, table: str, number: int) -> bool:
    """Return whether a person voided a round, by the journal; an engine may be in it, too."""
    with database.read() as connection:
        entries = sql.VOIDS_NOTED.all(
            connection, act=Act.ROUND_VOID.value, subject=table, round=f'{{"round":{number},%'
        )
    return any(not entry.who.startswith(holder("engine", "")) for entry in entries)


def status_of_tables(database: Database) -> list[TableStatus]:
    """Return how each table stands."""
    with database.read() as connection:
        return [table_status(connection, row) for row in sql.ALL_TABLES.all(connection)]


def status_of_tables_after(database: Database, name: str, limit: int) -> list[TableStatus]:
    """Return how so many tables stand whose names follow this one."""
    with database.read() as connection:
        rows = sql.TABLES_AFTER.all(connection, after_name=name, limit=limit)
        return [table_status(connection, row) for row in rows]


def head_row(database: Database) -> HeadRow | None:
    """Return the head of the log, as the database knows it; `None` if it has none."""
    with database.read() as connection:
        return sql.ONE_HEAD.find(connection)


def has_ended(database: Database) -> bool:
    """Return whether the log's last record names the log after it, so that nothing is appended any more."""
    head = head_row(database)
    return head is not None and bool(head.successor)


def appended_tables(database: Database) -> Appended:
    """Return what the log has, as the database knows it."""
    states, damaged = [], []
    with database.read() as connection:
        for row in sql.ALL_APPENDED.all(connection):
            try:
                states.append((decode_state(row.state), row.position))
            except DamagedStateError:
                damaged.append(row.table)
        return Appended(sql.ONE_HEAD.one(connection), states, damaged)


def tables_without_rules(database: Database) -> list[str]:
    """Return the tables the rules of whose next batch cannot be read, by name; those whose state cannot be read are
    not among them.
    """
    with database.read() as connection:
        rows = sql.ALL_TABLES.all(connection)
    return [row.name for row in rows if _lacks_rules(row)]


def _lacks_rules(row: TableRow) -> bool:
    try:
        state = decode_state(row.queued_state)
    except DamagedStateError:
        return False
    try:
        decode_rules(GAMES.of(state), row.rules)
    except DamagedStateError:
        return not state.ended
    return False


def newest_rounds(database: Database, most: int, *, tables: int = _EVERY_TABLE) -> list[TableWithRounds]:
    """Return all tables, or so many, in the order of their names, each with ``most`` rounds at the most. If there are
    more tables, those that are being closed are left out first, then the last ones.
    """
    with database.read() as connection:
        rows = sql.NEWEST_ROUNDS.all(connection, limit=most, tables=tables)
        return [_with_rounds(connection, list(same)) for _, same in groupby(rows, key=lambda each: each.table.name)]


def newest_rounds_of(database: Database, table: str, most: int) -> TableWithRounds:
    """Return a table with ``most`` rounds at the most. Raises `Problem` if there is none."""
    check_name(table)
    with database.read() as connection:
        rows = sql.NEWEST_ROUNDS_OF_TABLE.all(connection, name=table, limit=most)
        if not rows:
            raise unknown_table(table)
        return _with_rounds(connection, rows)


def _with_rounds(connection: Connection, rows: list[TableAndRound]) -> TableWithRounds:
    row = rows[0].table
    return TableWithRounds(
        row, table_status(connection, row), [each.round for each in rows if each.round is not None]
    )


def find_round(database: Database, table: str, number: int) -> BatchAndRound:
    """Return a committed round. Raises `Problem` if there is none, or no such table."""
    check_name(table)
    with database.read() as connection:
        found = sql.BATCH_AND_ROUND.find(connection, table=table, round=number)
        if found is None or number > found.batch.last:
            known_table(connection, table)
            through = 0 if found is None else found.batch.last
            detail = f"{table} round {number} is not committed yet"
            raise Problem(Code.UNKNOWN_ROUND, detail, committed_through=through)
    return found


def find_rounds(database: Database, table: str, first: int, before: int) -> list[BatchAndRound]:
    """Return the rounds from ``first`` on and before ``before`` that anything has happened to, each with its
    batch.
    """
    with database.read() as connection:
        return sql.BATCHES_AND_ROUNDS.all(connection, table=table, from_round=first, before_round=before)


def round_row(database: Database, table: str, number: int) -> RoundRow | None:
    """Return a round's row; `None` if nothing has happened to it. Raises `Problem` if there is no such table."""
    with database.read() as connection:
        known_table(connection, table)
        return sql.ONE_ROUND.find(connection, table=table, round=number)


def played_before(database: Database, table: str, number: int) -> Iterator[EndedRow]:
    """Yield the rounds before ``number`` that were played, the newest first; each is read when it is asked for."""
    while True:
        with database.read() as connection:
            row = sql.PLAYED_BEFORE.find(connection, table=table, before_round=number)
        if row is None:
            return
        yield row
        number = row.round


def rounds_between(database: Database, table: str, first: int, before: int) -> list[RoundRow]:
    """Return the rounds from ``first`` on and before ``before`` that anything has happened to."""
    with database.read() as connection:
        return sql.ROUNDS_BETWEEN.all(connection, table=table, from_round=first, before_round=before)


def batches_between(database: Database, table: str, first: int, before: int) -> list[BatchRow]:
    """Return the batches of the rounds from ``first`` on and before ``before``."""
    with database.read() as connection:
        return sql.BATCHES_BETWEEN.all(connection, table=table, from_round=first, before_round=before)


def salts_between(database: Database, table: str, first: int, before: int) -> dict[int, SaltRow]:
    """Return what salts the batches from number ``first`` on and before ``before``, by their numbers; empty without a
    salt.
    """
    with database.read() as connection:
        found = sql.SALTS_BETWEEN.all(connection, table=table, from_batch=first, before_batch=before)
    return {row.batch: row for row in found}


def salt_of(database: Database, table: str, batch: int) -> SaltRow | None:
    """Return what salts a batch; `None` without a salt."""
    return salts_between(database, table, batch, batch + 1).get(batch)


class OutcomeFilter(NamedTuple):
    """Which of the rounds that have ended are wanted; each thing may be left open."""

    status: str = ""
    """``played`` or ``void``."""
    words: tuple[str, ...] = ()
    """Values that an outcome has to contain, in lower case. Only the first three of them are looked for."""
    least_hundredths: int | None = None
    most_hundredths: int | None = None
    """Bounds of a multiplier, for games whose outcome is one."""


def ended_rounds(
    database: Database, table: str, span: range, wanted: OutcomeFilter, *, newest_first: bool, limit: int
) -> list[EndedRow]:
    """Return the first rounds of a span that have ended and are wanted, and perhaps some that are not."""
    statement = sql.ENDED_DOWNWARDS if newest_first else sql.ENDED_UPWARDS
    patterns = [*map(sql.outcome_pattern, wanted.words), *[""] * len(sql.OUTCOME_PATTERNS)]
    with database.read() as connection:
        return statement.all(
            connection,
            table=table,
            from_round=span.start,
            before_round=span.stop,
            status=wanted.status,
            least_hundredths=wanted.least_hundredths,
            most_hundredths=wanted.most_hundredths,
            limit=limit,
            **dict(zip(sql.OUTCOME_PATTERNS, patterns, strict=False)),
        )


class _TimeOfState(Struct):
    latest: str


_TIME_DECODER = msgspec.json.Decoder(_TimeOfState)


def newest_time(database: Database) -> str | None:
    """Return the newest time of all records, those that are queued included; `None` before the first table."""
    with database.read() as connection:
        states = sql.QUEUED_STATES.all(connection)
    return max(filter(None, map(_time_of, states)), default=None)


def _time_of(state: bytes) -> str | None:
    try:
        return _TIME_DECODER.decode(state).latest
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # A damaged row halts its own table, and hides no time of another one.
        return None
