"""What a rebuild takes from the database that it replaces.

These are the rows that the log does not have (tokens, the journal and the tables' settings), and the end of the log
as the database knows it. A value that the service would not have written counts as lost. A file with a page that
cannot be read is refused: SQLite's own program takes out of it what can be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from api.settings import LONGEST_TIMEOUT, SettingsError
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.models import JournalHeadRow, JournalRow, TableRow, TokenRow
from api.store.replacement import Replacement, UnreadableError
from api.world.storage_failures import DatabaseFailure, is_damage
from fairness.hashing import sha256

_ALL = 1 << 62
Row = TypeVar("Row", bound=tuple[Any, ...])


@dataclass(slots=True)
class Salvage:
    """What was found. Everything is empty if there is no database."""

    unreadable: str | None = None
    """Why there is none."""
    origin: str | None = None
    """The log's name, size and root, as the database has them; `None` if it has no head."""
    size: int | None = None
    root: str | None = None
    queued: dict[int, bytes] = field(default_factory=dict)
    """The newest records of the log, by position."""
    waiting: int = 0
    """How many records waited for a position."""
    tables: dict[str, TableRow] = field(default_factory=dict)
    """The tables with their settings, by name."""
    paytables: dict[str, bytes] = field(default_factory=dict)
    """The files of paytables, by their hashes."""
    tokens: list[TokenRow] = field(default_factory=list)
    journal: list[JournalRow] = field(default_factory=list)
    """The entries of the journal, in their order."""
    journal_head: JournalHeadRow | None = None
    lost_tokens: list[str] = field(default_factory=list)
    """The names of tokens that are damaged."""


def salvage(replaced: Replacement) -> Salvage:
    """Read the old database. Changes nothing. Raises `SettingsError` if it is damaged, or of another version."""
    found = Salvage()
    try:
        with replaced.old() as connection:
            _read(connection, found)
    except UnreadableError as error:
        found.unreadable = str(error)
    except DatabaseFailure as error:
        if not is_damage(error):
            raise
        raise SettingsError(
            f"foredraw.db is damaged ({error}), so nothing was changed. Take out of it what can be read, with SQLite's own"
            " program: `sqlite3 foredraw.db .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 readable.db`. Move foredraw.db with"
            " its companions (-wal, -shm) out of the folder, give readable.db its name, and run this again"
        ) from error
    return found


def _read(connection: Connection, found: Salvage) -> None:
    if (head := sql.ONE_HEAD.find(connection)) is not None:
        found.origin, found.size, found.root = head.origin, head.size, head.root
    found.queued = dict(_whole(sql.KEPT.all(connection)))
    found.waiting = sql.QUEUE_LENGTH.one(connection)
    # Nobody can have chosen another time.
    chosen = range(1, LONGEST_TIMEOUT + 1)
    found.tables = {row.name: row for row in _whole(sql.ALL_TABLES.all(connection)) if row.timeout in chosen}
    found.paytables = {
        row.hash: row.data for row in _whole(sql.ALL_PAYTABLES.all(connection)) if sha256(row.data).hex() == row.hash
    }
    tokens = sql.ALL_TOKENS.all(connection)
    found.tokens = _whole(tokens)
    found.lost_tokens = [str(row.name) for row in tokens if not _is_whole(row)]
    found.journal = _whole(sql.JOURNAL_AFTER.all(connection, after_number=0, limit=_ALL))
    found.journal_head = sql.ONE_JOURNAL_HEAD.find(connection)


def _whole(rows: Iterable[Row]) -> list[Row]:
    """Choose the rows whose values have the types of their columns: SQLite keeps whatever is written into its
    file.
    """
    return [row for row in rows if _is_whole(row)]


def _is_whole(row: tuple[Any, ...]) -> bool:
    try:
        msgspec.convert(list(row), type(row))
    except msgspec.ValidationError:
        return False
    return True
