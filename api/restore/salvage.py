"""What can still be read of an old database, row by row if it is damaged.

A rebuild needs the rows that the log does not have (tokens and the tables' settings), and the end of the
log as the database knows it. If rows cannot be read from first to last, they are read one by one; an index, which
lies on other pages, says which there are. A value that the service would not have written counts as lost.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from api.access.tokens import Role
from api.settings import LONGEST_TIMEOUT
from api.store.rows import TokenRow

_MOST_ROWS = 10_000
"""How many rows are tried if not even an index can be read."""
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What an operator chose for a table, and the log does not say."""

    timeout: int
    rules: str
    closing: bool


@dataclass(slots=True)
class Salvage:
    """What was found. Everything is empty if there is no database, or none that can be read."""

    unreadable: str | None = None
    """Why nothing at all could be read."""
    origin: str | None = None
    """The log's name, size and root, as the database has them; `None` if they could not be read."""
    size: int | None = None
    root: str | None = None
    queued: dict[int, bytes] = field(default_factory=dict)
    """The newest records of the log, by position."""
    waiting: int = 0
    """How many records waited for a position."""
    tables: dict[str, TableSettings] = field(default_factory=dict)
    tokens: list[TokenRow] = field(default_factory=list)
    lost_tokens: list[str] = field(default_factory=list)
    """The names of tokens that could not be read; an empty one stands for any number of others."""


def salvage(database: Path) -> Salvage:
    """Read what can be read. Changes nothing."""
    found = Salvage()
    if not database.exists():
        found.unreadable = "it is missing"
        return found
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        try:
            names = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as error:
            found.unreadable = str(error)
            return found
        if "tables" not in names:
            found.unreadable = "it is empty, or another program's"
            return found
        _read_log(connection, found)
        for name, row in _rows(connection, "tables"):
            if row is not None and _is_settings(row):
                found.tables[name] = TableSettings(row["timeout"], row["rules"], bool(row["closing"]))
        for name, row in _rows(connection, "tokens"):
            if row is not None and _is_token(row):
                found.tokens.append(TokenRow(*(row[column] for column in TokenRow._fields)))
            else:
                found.lost_tokens.append(name)
    return found


def _read_log(connection: sqlite3.Connection, found: Salvage) -> None:
    with suppress(sqlite3.DatabaseError):
        row = connection.execute("SELECT origin, size, root FROM head").fetchone()
        if row is not None and [type(value) for value in row] == [str, int, str]:
            found.origin, found.size, found.root = row
    for order in ("ASC", "DESC"):
        # From both ends, up to what cannot be read.
        with suppress(sqlite3.DatabaseError):
            for row in connection.execute(f"SELECT position, data FROM queue ORDER BY id {order}"):  # noqa: S608
                if type(row["position"]) is int and type(row["data"]) is bytes:
                    found.queued[row["position"]] = row["data"]
    with suppress(sqlite3.DatabaseError):
        found.waiting = connection.execute("SELECT count(*) FROM queue WHERE position IS NULL").fetchone()[0]


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, sqlite3.Row | None]]:
    """The rows of ``tables`` or ``tokens`` by their names; `None` for one that is there and cannot be read.

    An empty name stands for rows of which not even the names can be read, if there are any.
    """
    try:
        whole = connection.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall()  # noqa: S608
    except sqlite3.DatabaseError:
        pass
    else:
        yield from ((str(row["name"]), row) for row in whole)
        return
    names: dict[int, str] = {}
    rowids: Iterable[int] = names
    try:
        # Answered from the index of the names alone.
        for row in connection.execute(f"SELECT rowid, name FROM {table} ORDER BY name"):  # noqa: S608
            names[row["rowid"]] = str(row["name"])
    except sqlite3.DatabaseError:
        rowids = sorted(names.keys() | range(1, _MOST_ROWS))
        yield "", None
    for rowid in rowids:
        row = None
        with suppress(sqlite3.DatabaseError):
            row = connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (rowid,)).fetchone()  # noqa: S608
        if row is not None:
            yield str(row["name"]), row
        elif rowid in names:
            yield names[rowid], None


def _is_settings(row: sqlite3.Row) -> bool:
    timeout = row["timeout"]
    return (
        type(timeout) is int
        and 1 <= timeout <= LONGEST_TIMEOUT
        and type(row["rules"]) is str
        and row["closing"] in (0, 1)
    )


def _is_token(row: sqlite3.Row) -> bool:
    texts = [row[column] for column in TokenRow._fields if column != "revoked"]
    if not all(type(text) is str for text in texts) or not isinstance(row["revoked"], str | None):
        return False
    try:
        tables = json.loads(row["tables"])
    except ValueError:
        return False
    return (
        _DIGEST.fullmatch(row["digest"]) is not None
        and row["role"] in set(Role)
        and isinstance(tables, list)
        and all(isinstance(name, str) for name in tables)
    )
