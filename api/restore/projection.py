"""The rows of the database that follow from a log: every row is a projection of its records, except tokens, the
journal and settings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from api.log.finding_aids import AidsWriter
from api.settings import DEFAULT_TIMEOUT
from api.sql.connection import Connection
from api.sql.statement import Insertion
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules, digest_of, encode_state
from api.store.models import AppendedRow, BatchRow, QueuedRow, RoundRow, RoundStatus, SaltRow, TableRow
from fairness.hashing import leaf_hash, parse_hex
from fairness.player.round_code import RoundCode
from fairness.records.record import (
    BatchRecord,
    LockRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    aside_of,
)
from fairness.records.replay import Replay, read_record
from fairness.records.succession import maker_named, successor_named
from fairness.records.table_state import TableState
from games import GAMES
from games.facts import facts_of
from games.order import can_be_kept

_ROWS_AT_ONCE = 5000

Row = TypeVar("Row", bound=tuple[Any, ...])


@dataclass(slots=True)
class Projection:
    """The rows, and the finding aids, of the records that are taken one after the other, in one transaction."""

    connection: Connection
    replay: Replay
    aids: AidsWriter
    kept_from: int
    """The position from which on the queue keeps the records: the sequencer starts from these."""
    positions: dict[str, int] = field(default_factory=dict)
    locked: dict[str, RoundRow] = field(default_factory=dict)
    salts: dict[tuple[str, int], SaltRow] = field(default_factory=dict)
    """The salts that batches still await, by table and batch."""
    pages: dict[Insertion[Any], list[Any]] = field(default_factory=dict)
    makers: list[str] = field(default_factory=list)
    """The programs that the log names as those that wrote it."""
    successor: str = ""
    """The key of the log after it, if the last record names one."""

    def take(self, data: bytes, position: int) -> None:
        """Take the log's next record. Raises `CheckFailed` if replay refuses it."""
        self.successor = successor_named(data) or ""
        if (aside := aside_of(data)) is not None:
            read_record(data, position)
            self._take_aside(aside.table, data, position)
            return
        record = self.replay.advance(data)
        self._project(record, data, position)
        table = self.replay.tables[record.table]
        salted = _rounds_of(table, record) if isinstance(record, SaltRecord) else None
        self.aids.note(record, position, table.table_id, self.positions[table.name], salted)

    def _take_aside(self, name: str, data: bytes, position: int) -> None:
        """Take an aside: the queue keeps it like any record; beside that, the head remembers what the log says of
        itself.
        """
        if position >= self.kept_from:
            self._add(sql.ENQUEUE, QueuedRow(name, data, position))
        maker = maker_named(data)
        if maker is not None and maker not in self.makers:
            self.makers.append(maker)

    def finish(self, settings: Mapping[str, TableRow], size: int, root: bytes) -> list[str]:
        """Write the rows of the tables, and the head. Returns what ``settings`` lack, a line for each table."""
        self.aids.sync()
        for row in self.locked.values():
            self._add(sql.INSERT_ROUND, row)
        for awaited in self.salts.values():
            self._add(sql.INSERT_SALT, awaited)
        lost = [line for state in self.replay.tables.values() for line in self._add_table(state, settings)]
        for statement in list(self.pages):
            self._flush(statement)
        sql.SET_HEAD.run(self.connection, new_size=size, new_root=root.hex())
        sql.SET_NOTED.run(self.connection, where_leader="", new_noted=size)
        made = "".join(f"{maker}\n" for maker in self.makers)
        sql.SET_OWN.run(self.connection, new_made=made, new_successor=self.successor)
        return lost

    def _add_table(self, state: TableState, settings: Mapping[str, TableRow]) -> list[str]:
        name, last_rules = state.name, _last_rules(state)
        chosen = settings.get(name)
        own = chosen or TableRow(
            *(name, "", state.game, state.lead, b"", DEFAULT_TIMEOUT, last_rules),
            closing=state.ended,
            keeps_order=can_be_kept(GAMES.of(state)),
        )
        rules = own.rules if _are_rules(own.rules, state) else last_rules
        row = own._replace(
            table_id=state.table_id.hex(),
            game=state.game,
            lead=state.lead,
            queued_state=encode_state(state),
            rules=rules,
            halted=None,
        )
        self._add(sql.INSERT_TABLE, row)
        self._add(sql.INSERT_APPENDED, AppendedRow(name, row.queued_state, self.positions[name]))
        if state.closed:
            return []
        if chosen is None:
            now = f"its time-out is {own.timeout} seconds now, the rules of its next batch {rules}"
            now += ", its order is kept" if own.keeps_order else ""
            return [f"the settings of {name}: {now}; if it was paused, pause it again"]
        return [] if rules == own.rules else [f"the rules of the next batch of {name}: they are {rules} now"]

    def _project(self, record: Record, data: bytes, position: int) -> None:
        name = record.table
        if position >= self.kept_from:
            self._add(sql.ENQUEUE, QueuedRow(name, data, position))
        if isinstance(record, LockRecord):
            self.locked[name] = _locked_row(record)
        elif isinstance(record, RevealRecord):
            state = self.replay.tables[name]
            self._add(sql.INSERT_ROUND, _ended_row(self.locked.pop(name), record, state.game, state.table_id))
        elif isinstance(record, BatchRecord):
            self._add(sql.INSERT_BATCH, BatchRow.of(record, leaf_hash(data)))
            if record.beacon is not UNSET:
                self.salts[name, record.batch] = SaltRow(name, record.batch, record.beacon)
        elif isinstance(record, SaltRecord):
            awaited = self.salts.pop((name, record.batch))
            self._add(sql.INSERT_SALT, awaited._replace(signature=record.signature))
        elif isinstance(record, TableRecord):
            self.positions[name] = position

    def _add(self, statement: Insertion[Row], row: Row) -> None:
        page = self.pages.setdefault(statement, [])
        page.append(row)
        if len(page) == _ROWS_AT_ONCE:
            self._flush(statement)

    def _flush(self, statement: Insertion[Any]) -> None:
        if page := self.pages.pop(statement, []):
            statement.run_many(self.connection, page)


def _rounds_of(table: TableState, salt: SaltRecord) -> range:
    batch = next(batch for batch in table.batches if batch.number == salt.batch)
    return range(batch.first, batch.last + 1)


def _last_rules(state: TableState) -> str:
    """Return the rules of a table's last batch; nothing says which a table without batches had."""
    rules = state.batches[-1].rules if state.batches else facts_of(state.game, state.declaration_text).default_rules
    return json.dumps(rules, sort_keys=True)


def _are_rules(text: str, state: TableState) -> bool:
    try:
        decode_rules(GAMES.of(state), text)
    except DamagedStateError:
        return False
    return True


def _locked_row(record: LockRecord) -> RoundRow:
    return RoundRow(
        table=record.table,
        round=record.round,
        status=RoundStatus.LOCKED,
        opened=None if record.opened is UNSET else record.opened,
        locked=record.locked,
        bets=digest_of(record.bets),
        given_up=record.given_up,
        reason=None if record.reason is UNSET else record.reason,
    )


def _ended_row(locked: RoundRow, record: RevealRecord, game: str, table_id: bytes) -> RoundRow:
    seeds = [parse_hex(seed) for seed in record.seeds]
    return locked._replace(
        status=RoundStatus(record.status),
        outcome=msgspec.json.encode(record.outcome).decode(),
        seeds=msgspec.json.encode(record.seeds).decode(),
        code=str(RoundCode.of(game, table_id, record.round, seeds)),
        reason=locked.reason if record.reason is UNSET else record.reason,
    )
