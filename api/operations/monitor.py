"""The monitor: follows every table's played rounds, and keeps the sums of `drift` in a file beside the database.

It reads rounds that have ended, so all that it knows is public. It runs in the background program, a few hundred
rounds at a turn, and nobody waits for what it writes. Its file may be lost at any time: it then starts from the first
round, and arrives at the same sums and the same alarms.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from api.operations.drift import CountNow, Law, TableDrift, law_of, stand
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules, decode_state
from api.store.models import RoundStatus, TableRow
from api.world.storage_failures import STORAGE_FAILURES
from games import GAMES

ROUNDS_PER_TURN = 500
"""Rounds of all tables together: some twenty milliseconds of work, a hundred if each has eight decks of cards, twice
a second.
"""
WRITE_SECONDS = 5.0
"""How old the file may be."""
AT_ONCE = 16
"""Rounds of one table that are worth a question to the database; fewer wait until the file is written."""

_logger = logging.getLogger("foredraw.monitor")


class Drifts(Struct, forbid_unknown_fields=True):
    """The file: every table that has been looked at, by its name."""

    tables: dict[str, TableDrift]
    v: int = 1


_DECODER = msgspec.json.Decoder(Drifts)


def read_drifts(path: Path) -> dict[str, TableDrift]:
    """Return what the monitor knows; nothing if the file cannot be read or is damaged."""
    try:
        found = _DECODER.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return found.tables if found.v == 1 else {}


def drifts_now(path: Path, rows: Iterable[TableRow]) -> dict[str, list[CountNow]]:
    """Return the present state of what is counted at these tables, by table."""
    known = read_drifts(path)
    found = {}
    for row in rows:
        drift = known.get(row.name)
        if drift is not None and drift.rules == row.rules:
            law = _law(row)
            if law is not None and law.tests and law.fits(drift):
                found[row.name] = stand(law, drift)
    return found


def _law(row: TableRow) -> Law | None:
    """Return the law of a table; `None` if its state is damaged."""
    try:
        state = decode_state(row.queued_state)
        decode_rules(GAMES.of(state), row.rules)
    except DamagedStateError:
        return None
    return law_of(state.game, row.rules, state.declaration_text)


class Monitor:
    """The one writer of that file."""

    def __init__(self, database: Database, path: Path) -> None:
        self._database, self._path = database, path
        self._tables = read_drifts(path)
        self._first = 0
        self._written: float | None = None
        self._failed = False

    def turn(self) -> None:
        """Look at the rounds that have ended since. An error here stops the monitor, and no game."""
        if self._failed:
            return
        try:
            self._look()
        except STORAGE_FAILURES:
            # It starts again from its file when that and the database can be read.
            raise
        except Exception as error:
            # Rounds continue; the age of the file shows the operator that something is wrong.
            self._failed = True
            _logger.critical("the monitor died: %s", type(error).__name__, exc_info=error)

    def _look(self) -> None:
        with self._database.read() as connection:
            rows = sql.ALL_TABLES.all(connection)
        writes = self._written is None or time.monotonic() - self._written >= WRITE_SECONDS
        left = ROUNDS_PER_TURN
        # Each turn begins with another table, so that no table has to wait for one that is far behind.
        self._first = (self._first + 1) % max(1, len(rows))
        for row in rows[self._first :] + rows[: self._first]:
            left -= self._follow(row, left, least=1 if writes else AT_ONCE)
        if writes:
            self._write()

    def _follow(self, row: TableRow, most: int, *, least: int) -> int:
        """Look at up to ``most`` rounds of a table, if there are as many as ``least``; return at how many."""
        law = _law(row)
        if law is None or not law.tests:
            return 0
        following = decode_state(row.queued_state).next_round
        drift = self._tables.get(row.name)
        if (
            drift is None
            or (drift.table_id, drift.rules) != (row.table_id, row.rules)
            or drift.through >= following
            or not law.fits(drift)
        ):
            drift = self._tables[row.name] = law.begin(row.table_id, row.rules)
        first = drift.through + 1
        if following - first < least:
            return 0
        end = min(first + most, following)
        with self._database.read() as connection:
            found = sql.ROUNDS_BETWEEN.all(connection, table=row.name, from_round=first, before_round=end)
        for ended in found:
            if ended.round != drift.through + 1 or not ended.status.has_ended:
                break
            before = sum(map(bool, drift.alarms))
            law.look(drift, ended.round, ended.outcome if ended.status is RoundStatus.PLAYED else None)
            if sum(map(bool, drift.alarms)) > before:
                _logger.critical("%s drifts from its law: see /ops, and audit the log", row.name)
        return drift.through + 1 - first

    def _write(self) -> None:
        """Write the file; a crash here leaves the old one or the new one; a power cut may leave neither, and then it
        is made again.
        """
        temporary = self._path.with_name(f".{self._path.name}.new")
        temporary.write_bytes(msgspec.json.encode(Drifts(self._tables)))
        temporary.replace(self._path)
        self._written = time.monotonic()
