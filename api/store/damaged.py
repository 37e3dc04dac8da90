"""Reading a database file that may be damaged: as many rows as can be read, one by one if need be.

Values are returned as the file has them, of any type: the caller decides which can be used. If rows
cannot be read from first to last, they are read one by one; an index, which lies on other pages, says which there are.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from api.store.revisions import VERSION_TABLE

Values = Mapping[str, object]

_MOST_ROWS = 10_000
"""How many rows are tried if not even an index can be read."""


class UnreadableError(Exception):
    """Nothing at all can be read; the message says why."""


class OldRows(Protocol):
    """What a rebuild reads of the database that it replaces."""

    def head(self) -> Values | None:
        """The row of the log's head."""

    def queue(self) -> Iterator[Values]:
        """The rows of the queue; a row may come twice."""

    def waiting(self) -> int:
        """How many records wait for a position."""

    def tables(self) -> Iterator[tuple[str, Values | None]]:
        """The rows of the tables by their names."""

    def paytables(self) -> Iterator[Values]:
        """The rows of the paytables; a row may come twice."""

    def tokens(self) -> Iterator[tuple[str, Values | None]]:
        """The rows of the tokens by their names."""

    def journal(self) -> Iterator[Values]:
        """The rows of the journal; a row may come twice."""

    def journal_head(self) -> Values | None:
        """The row of the journal's head."""


class DamagedFile:
    """A file of which some rows may be unreadable. Reading changes nothing in it."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def revision(self) -> str | None:
        """Which revision of the schema it has; `None` if none can be read."""
        with suppress(sqlite3.DatabaseError):
            row = self._driver.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
            if row is not None and re.fullmatch(r"\w+", str(row["version_num"])):
                return str(row["version_num"])
        return None

    def head(self) -> Values | None:
        """The row of the log's head; `None` if there is none that can be read."""
        with suppress(sqlite3.DatabaseError):
            row = self._driver.execute("SELECT * FROM head").fetchone()
            return None if row is None else dict(row)
        return None

    def queue(self) -> Iterator[Values]:
        """The rows of the queue, from both ends up to what cannot be read; a row may come twice."""
        return self._from_both_ends("queue", "id")

    def waiting(self) -> int:
        """How many records wait for a position, as far as that can be counted."""
        with suppress(sqlite3.DatabaseError):
            found: int = self._driver.execute("SELECT count(*) FROM queue WHERE position IS NULL").fetchone()[0]
            return found
        return 0

    def tables(self) -> Iterator[tuple[str, Values | None]]:
        """The rows of the tables by their names; `None` for one that is there and cannot be read.

        An empty name stands for rows of which not even the names can be read, if there are any.
        """
        return self._named("tables")

    def paytables(self) -> Iterator[Values]:
        """The rows of the paytables, which an older version has not, in the same way as the queue's."""
        return self._from_both_ends("paytables", "hash")

    def tokens(self) -> Iterator[tuple[str, Values | None]]:
        """The rows of the tokens, in the same way."""
        return self._named("tokens")

    def journal(self) -> Iterator[Values]:
        """The rows of the journal, in the same way as the queue's."""
        return self._from_both_ends("journal", "number")

    def journal_head(self) -> Values | None:
        """The row of the journal's head; `None` if there is none that can be read."""
        with suppress(sqlite3.DatabaseError):
            row = self._driver.execute("SELECT * FROM journal_head").fetchone()
            return None if row is None else dict(row)
        return None

    def _from_both_ends(self, table: str, column: str) -> Iterator[Values]:
        for order in ("ASC", "DESC"):
            with suppress(sqlite3.DatabaseError):
                yield from map(dict, self._driver.execute(f"SELECT * FROM {table} ORDER BY {column} {order}"))

    def _named(self, table: str) -> Iterator[tuple[str, Values | None]]:
        try:
            whole = self._driver.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall()
        except sqlite3.DatabaseError:
            pass
        else:
            yield from ((str(row["name"]), dict(row)) for row in whole)
            return
        names: dict[int, str] = {}
        rowids: Iterable[int] = names
        try:
            # Answered from the index of the names alone.
            for row in self._driver.execute(f"SELECT rowid, name FROM {table} ORDER BY name"):
                names[row["rowid"]] = str(row["name"])
        except sqlite3.DatabaseError:
            rowids = sorted(names.keys() | range(1, _MOST_ROWS))
            yield "", None
        for rowid in rowids:
            row = None
            with suppress(sqlite3.DatabaseError):
                row = self._driver.execute(f"SELECT * FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
            if row is not None:
                yield str(row["name"]), dict(row)
            elif rowid in names:
                yield names[rowid], None


@contextmanager
def open_damaged(path: Path) -> Iterator[DamagedFile]:
    """Open a file that may be missing, damaged or another program's. Raises `UnreadableError`."""
    if not path.exists():
        raise UnreadableError("it is missing")
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        driver.row_factory = sqlite3.Row
        try:
            names = {row["name"] for row in driver.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as error:
            raise UnreadableError(str(error)) from error
        if "tables" not in names:
            raise UnreadableError("it is empty, or another program's")
        yield DamagedFile(driver)
