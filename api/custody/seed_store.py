"""The custodian's store: an SQLite file of its own, with the sealed seeds and the high-water marks.

A **mark** says how far a table's seeds have left the custodian, and names the record of the published
log against which the last of them was released. The log only grows, so a log without that record is an older one, or
another one: restored from a backup, most likely. Whoever would play on it would offer bets on outcomes
that are known, and sign a second history.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError

from api.sql.database import Database
from api.sql.prepared import driver_of
from api.world.cooperation import Offload, inline
from api.world.storage_failures import of_database

_IF_DAMAGED = "Stop the service, and put the newest copy of the custodian's folder back, never an older state"
_TABLES = {
    "chains": "CREATE TABLE IF NOT EXISTS chains (anchor BLOB PRIMARY KEY, nonce BLOB NOT NULL, sealed BLOB NOT NULL)"
    " WITHOUT ROWID",
    "marks": "CREATE TABLE IF NOT EXISTS marks (table_id BLOB PRIMARY KEY, name TEXT NOT NULL, round INTEGER NOT NULL,"
    " position INTEGER NOT NULL, leaf BLOB NOT NULL, abandoned INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
}
_MARKS = "SELECT table_id, name, round, position, leaf, abandoned FROM marks"
_RAISE_MARK = (
    "INSERT INTO marks (table_id, name, round, position, leaf) VALUES (?, ?, ?, ?, ?) ON CONFLICT (table_id) DO UPDATE"
    " SET round = excluded.round, position = excluded.position, leaf = excluded.leaf, abandoned = 0"
    " WHERE excluded.round > marks.round"
)


class SeedsUnavailableError(Exception):
    """The custodian cannot or must not give this seed. The message names the batch, never a secret."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The highest round of a table whose seed has left the custodian."""

    table_id: bytes
    table: str
    round: int
    position: int
    """Where the record stands that allowed it: the round's lock, or the table's end."""
    leaf: bytes
    """That record's leaf hash."""
    abandoned: bool = False
    """Whether the operator forked the log on purpose, and so gave this table up (``foredraw rebuild``)."""

    def __str__(self) -> str:
        return (
            f"the custodian has released the seed of round {self.round} of {self.table} "
            f"against record {self.position} of the log"
        )

    @property
    def missing(self) -> str:
        """What is said of a log that lacks this record."""
        return (
            f"{self}, and the published log does not have that record: the log is older than the custodian's store, or "
            "another one, most likely from a backup. Stop the service and put the newest copy of the log's folder back; "
            'docs/operating.md says under "Back-up and restore" what is left to do if there is none'
        )


class SeedStore:
    """The rows of the store. What is written is durable when the call returns."""

    def __init__(self, path: Path, offload: Offload = inline) -> None:
        """Open the store, or make an empty one; a table that an older version did not have is created."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.chmod(0o600)
        # Calls that release seeds at the same time share one commit.
        self._database = Database(path, path.with_name("write.lock"), offload)
        try:
            self._create()
        except BaseException:
            self.close()
            raise

    def _create(self) -> None:
        present = {name for (name,) in self._read("SELECT name FROM sqlite_master")}
        for name in _TABLES.keys() - present:
            self._write(_TABLES[name])

    def put_chain(self, anchor: bytes, nonce: bytes, sealed: bytes) -> None:
        """Keep a chain's last seed, sealed."""
        self._write("INSERT INTO chains VALUES (?, ?, ?)", anchor, nonce, sealed)

    def check_readable(self) -> None:
        """Raise `SeedsUnavailableError` if the file cannot be read, as far as looking through its rows can tell."""
        for name in _TABLES:
            self._read(f"SELECT count(*) FROM {name}")  # noqa: S608

    def chain(self, anchor: bytes) -> tuple[bytes, bytes] | None:
        """The nonce and the sealed last seed of a chain; `None` if it is not here."""
        found = self._read("SELECT nonce, sealed FROM chains WHERE anchor = ?", anchor)
        return (found[0][0], found[0][1]) if found else None

    def marks(self) -> list[Mark]:
        """The mark of every table that has one."""
        return [_mark(row) for row in self._read(f"{_MARKS} ORDER BY name")]

    def mark(self, table_id: bytes) -> Mark | None:
        """The mark of one table; `None` if no seed of it has been released."""
        found = self._read(f"{_MARKS} WHERE table_id = ?", table_id)
        return _mark(found[0]) if found else None

    def raise_mark(self, mark: Mark) -> None:
        """Put a table's mark here, unless it is higher already."""
        self._write(_RAISE_MARK, mark.table_id, mark.table, mark.round, mark.position, mark.leaf)

    def abandon(self, marks: Iterable[Mark]) -> None:
        """Remember that the tables of these marks were given up."""
        for mark in marks:
            self._write("UPDATE marks SET abandoned = 1 WHERE table_id = ?", mark.table_id)

    def close(self) -> None:
        """Close the file."""
        self._database.dispose()

    def _read(self, statement: str, *parameters: object) -> list[Any]:
        with _in_words(), self._database.read() as connection:
            return driver_of(connection).execute(statement, parameters).fetchall()

    def _write(self, statement: str, *parameters: object) -> None:
        with _in_words():
            self._database.write(lambda connection: driver_of(connection).execute(statement, parameters))


@contextmanager
def _in_words() -> Iterator[None]:
    """Raise a failure of the file as `SeedsUnavailableError`, with the remedy."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        found = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(found, sqlite3.Error):
            raise
        raise SeedsUnavailableError(of_database(found, "custodian/seeds.db", _IF_DAMAGED)) from error


def _mark(row: tuple[bytes, str, int, int, bytes, int]) -> Mark:
    return Mark(*row[:5], abandoned=bool(row[5]))
