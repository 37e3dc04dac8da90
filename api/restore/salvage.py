"""What a rebuild takes from the database that it replaces.

These are the rows that the log does not have (tokens, the journal and the tables' settings), and the end of the log
as the database knows it. A value that the service would not have written counts as lost. A file with a page that
cannot be read is refused: SQLite's own program takes out of it what can be read.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from api.access.tokens import Role
from api.settings import LONGEST_TIMEOUT, SettingsError
from api.sql.connection import Connection
from api.sql.statement import Query
from api.store import statements as sql
from api.store.models import HeadRow, JournalHeadRow, JournalRow, KeptRow, PaytableRow, TableRow, TokenRow
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
    """The log's name, size and root, as the database has them; `None` if it has no head, or a damaged one."""
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
    for head in _whole(sql.ONE_HEAD, HeadRow, connection):
        found.origin, found.size, found.root = head.origin, head.size, head.root
    found.queued = {row.position: row.data for row in _whole(sql.KEPT, KeptRow, connection)}
    found.waiting = sql.QUEUE_LENGTH.one(connection)
    # Nobody can have chosen another time.
    chosen = range(1, LONGEST_TIMEOUT + 1)
    tables = _whole(sql.ALL_TABLES, TableRow, connection)
    found.tables = {row.name: row for row in tables if row.timeout in chosen}
    paytables = _whole(sql.ALL_PAYTABLES, PaytableRow, connection)
    found.paytables = {row.hash: row.data for row in paytables if sha256(row.data).hex() == row.hash}
    found.tokens = [row for row in _whole(sql.ALL_TOKENS, TokenRow, connection) if _can_be_used(row)]
    kept = {row.digest for row in found.tokens}
    found.lost_tokens = [str(name) for digest, name, *_ in sql.ALL_TOKENS.stored(connection) if digest not in kept]
    found.journal = _whole(sql.JOURNAL_AFTER, JournalRow, connection, after_number=0, limit=_ALL)
    for journal_head in _whole(sql.ONE_JOURNAL_HEAD, JournalHeadRow, connection):
        found.journal_head = journal_head


def _whole(query: Query[Row], kind: type[Row], connection: Connection, **parameters: object) -> list[Row]:
    """Read the rows whose values have the types of their columns: SQLite keeps whatever is written into its file."""
    rows = []
    for values in query.stored(connection, **parameters):
        with suppress(msgspec.ValidationError):
            # SQLite has no truth values: they are 0 and 1.
            rows.append(msgspec.convert(values, kind, strict=False))
    return rows


def _can_be_used(token: TokenRow) -> bool:
    with suppress(msgspec.MsgspecError):
        msgspec.json.decode(token.tables, type=list[str])
        return token.role in set(Role)
    return False
