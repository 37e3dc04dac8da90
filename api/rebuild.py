"""``foredraw rebuild``: the database from the published log, which is the truth.

The log says everything but secrets: tokens and the tables' settings are taken from the old
database, where there is one. Rounds that were only open, and records that waited in the queue, are
lost; nobody was told an outcome of theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy2, rmtree
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import Connection, Insert
from sqlalchemy.exc import SQLAlchemyError

from api import statements as sql
from api.aids_writer import AidsWriter
from api.background import hold_lock
from api.database import Database
from api.keys import load_signing_key
from api.ledger import DamagedStateError, decode_rules, encode_state
from api.settings import DEFAULT_TIMEOUT, Settings, SettingsError
from api.setup import create_database
from api.tables import DEFAULT_RULES, PLAIN_RULES
from api.world import LogFolder
from fairness.checkpoints import Checkpoint
from fairness.checks import Check
from fairness.errors import CheckFailed, ForedrawError
from fairness.hashing import leaf_hash, parse_hex
from fairness.records import BatchRecord, LockRecord, Record, RevealRecord, TableRecord
from fairness.replay import Replay
from fairness.round_code import RoundCode
from fairness.table_state import TableState
from fairness.tiles import WIDTH, AuthenticTiles, bundles_of, read_bundle
from games import GAMES

_ROWS_AT_ONCE = 5000


def rebuild(settings: Settings) -> int:
    """Make the database anew; the old one is kept beside it. Returns the number of records.

    Raises `SettingsError` where the log is not whole or does not replay: then nothing is replaced.
    """
    hold_lock(settings)
    key = load_signing_key(settings).verifier_key
    log = LogFolder(settings.log)
    tables, tokens = _kept_rows(settings)
    fresh = settings.database.with_name("rebuilding.db")
    aids = settings.folder / "rebuilding-aids"
    _remove(fresh)
    rmtree(aids, ignore_errors=True)
    database = create_database(fresh, settings.write_lock, key.name)
    try:
        checkpoint = Checkpoint.open(log.read("checkpoint"), key)

        def fill(connection: Connection) -> None:
            _Projection(connection, log, LogFolder(aids), checkpoint).fill(tables)
            if tokens:
                connection.execute(sql.INSERT_TOKEN, tokens)

        database.write(fill)
    except ForedrawError as error:
        raise SettingsError(f"the log does not prove itself, so nothing was rebuilt: {error}") from error
    finally:
        database.dispose()
    # The old aids may name records that were never published, whose places others will take.
    log.replace_aids(aids)
    rmtree(aids, ignore_errors=True)
    _replace(settings.database, fresh)
    return checkpoint.size


def _kept_rows(settings: Settings) -> tuple[Mapping[str, Mapping[str, Any]], list[dict[str, Any]]]:
    """What the log does not say: the tables' settings, and tokens; nothing, where the database is gone."""
    if not settings.database.exists():
        return {}, []
    old = Database(settings.database, settings.write_lock)
    try:
        with old.read() as connection:
            tables = {row.name: dict(row._mapping) for row in connection.execute(sql.ALL_TABLES)}  # noqa: SLF001
            tokens = [dict(row._mapping) for row in connection.execute(sql.ALL_TOKENS)]  # noqa: SLF001
    except SQLAlchemyError:
        return {}, []
    finally:
        old.dispose()
    return tables, tokens


def _replace(database: Path, fresh: Path) -> None:
    """Put the fresh database in the old one's place; the old one stays under the first free name.

    A crash in between leaves one of the two in place, so that tokens and settings are found again.
    """
    number = 1
    while (kept := database.with_name(f"{database.name}.before-rebuild-{number}")).exists():
        number += 1
    if database.exists():
        copy2(database, kept)
    for ending in ("-wal", "-shm"):
        # The fresh database must not find the old one's.
        old = database.with_name(database.name + ending)
        if old.exists():
            old.rename(kept.with_name(kept.name + ending))
    fresh.rename(database)


def _remove(database: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)


def _rules(kept: Mapping[str, Any], state: TableState) -> str:
    """The rules of a table's next batch: as they were kept, or else those of its last batch."""
    try:
        decode_rules(GAMES[state.game], kept.get("rules", ""))
    except DamagedStateError:
        rules = state.batches[-1].rules if state.batches else DEFAULT_RULES.get(state.game, PLAIN_RULES)
        return json.dumps(rules, sort_keys=True)
    return str(kept["rules"])


@dataclass(slots=True)
class _Projection:
    """The rows that a log amounts to, in one transaction."""

    connection: Connection
    log: LogFolder
    new_aids: LogFolder
    checkpoint: Checkpoint
    positions: dict[str, int] = field(default_factory=dict)
    locked: dict[str, dict[str, Any]] = field(default_factory=dict)
    pages: dict[Insert, list[dict[str, Any]]] = field(default_factory=dict)

    def fill(self, settings: Mapping[str, Mapping[str, Any]]) -> None:
        """Read the log from its first record to its last, through replay."""
        replay = Replay(self.checkpoint.origin, GAMES)
        tiles, aids = AuthenticTiles(self.checkpoint, self.log.read), AidsWriter(self.new_aids)
        for number, width in bundles_of(0, self.checkpoint.size):
            leaves = tiles.tile(0, number)
            for i, data in enumerate(read_bundle(self.log.read, number, width)):
                position = number * WIDTH + i
                try:
                    record = _checked(replay, data, leaves[i])
                except CheckFailed as error:
                    raise error.at(index=position) from error
                self._project(record, data, position, replay)
                table = replay.tables[record.table]
                aids.note(record, position, table.table_id, self.positions[table.name])
        aids.sync()
        for row in self.locked.values():
            self._add(sql.INSERT_ROUND, row)
        for name, state in replay.tables.items():
            kept = settings.get(name, {})
            row = {"name": name, "table_id": state.table_id.hex(), "game": state.game, "lead": state.lead}
            row |= {"queued_state": encode_state(state), "timeout": kept.get("timeout", DEFAULT_TIMEOUT)}
            row |= {"rules": _rules(kept, state), "closing": kept.get("closing", state.ended)}
            self._add(sql.INSERT_TABLE, row)
            appended = {"table": name, "state": encode_state(state), "position": self.positions[name]}
            self._add(sql.INSERT_APPENDED, appended)
        for statement in list(self.pages):
            self._flush(statement)
        head = {"new_size": self.checkpoint.size, "new_root": self.checkpoint.root.hex()}
        self.connection.execute(sql.SET_HEAD, head)
        self.connection.execute(sql.SET_NOTED, {"position": self.checkpoint.size})

    def _project(self, record: Record, data: bytes, position: int, replay: Replay) -> None:
        name = record.table
        if position >= self.checkpoint.size // WIDTH * WIDTH:
            # The edge of the log: the sequencer starts from these.
            self._add(sql.INSERT_QUEUED, {"table": name, "data": data, "position": position})
        if isinstance(record, LockRecord):
            self.locked[name] = _locked_row(record)
        elif isinstance(record, RevealRecord):
            state = replay.tables[name]
            self._add(sql.INSERT_ROUND, self.locked.pop(name) | _ended_values(record, state.game, state.table_id))
        elif isinstance(record, BatchRecord):
            row = {"table": name, "number": record.batch, "batch_id": leaf_hash(data).hex(), "first": record.first}
            last = record.first + record.count - 1
            self._add(sql.INSERT_BATCH, {**row, "last": last, "custodians": len(record.anchors)})
        elif isinstance(record, TableRecord):
            self.positions[name] = position

    def _add(self, statement: Insert, row: dict[str, Any]) -> None:
        page = self.pages.setdefault(statement, [])
        page.append(row)
        if len(page) == _ROWS_AT_ONCE:
            self._flush(statement)

    def _flush(self, statement: Insert) -> None:
        if page := self.pages.pop(statement, []):
            self.connection.execute(statement, page)


def _checked(replay: Replay, data: bytes, leaf: bytes) -> Record:
    if leaf_hash(data) != leaf:
        raise CheckFailed(Check.BUNDLE, expected=leaf.hex(), found=leaf_hash(data).hex())
    return replay.advance(data)


def _locked_row(record: LockRecord) -> dict[str, Any]:
    return {
        "table": record.table,
        "round": record.round,
        "status": "locked",
        "opened": None if record.opened is UNSET else record.opened,
        "locked": record.locked,
        "bets": None if record.bets is UNSET else msgspec.json.encode(record.bets).decode(),
        "given_up": record.given_up,
        "reason": None if record.reason is UNSET else record.reason,
        "outcome": None,
        "seeds": None,
        "code": None,
    }


def _ended_values(record: RevealRecord, game: str, table_id: bytes) -> dict[str, Any]:
    seeds = [parse_hex(seed) for seed in record.seeds]
    values: dict[str, Any] = {
        "status": record.status,
        "outcome": msgspec.json.encode(record.outcome).decode(),
        "seeds": msgspec.json.encode(record.seeds).decode(),
        "code": str(RoundCode.of(game, table_id, record.round, seeds)),
    }
    return values if record.reason is UNSET else {**values, "reason": record.reason}
