"""What can still be read of an old database, row by row if it is damaged.

A rebuild needs the rows that the log does not have (tokens, the journal and the tables' settings), and the end of the
log as the database knows it. A value that the service would not have written counts as lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from api.access.tokens import Role
from api.settings import LONGEST_TIMEOUT
from api.store.damaged import OldRows, UnreadableError, Values
from api.store.models import JournalHeadRow, JournalRow, TokenRow
from api.store.replacement import Replacement
from fairness.hashing import sha256

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What an operator chose for a table, and the log does not say."""

    timeout: int
    rules: str
    closing: bool
    paused: bool = False
    stopped: bool = False


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
    paytables: dict[str, bytes] = field(default_factory=dict)
    """The files of paytables, by their hashes."""
    tokens: list[TokenRow] = field(default_factory=list)
    journal: dict[int, JournalRow] = field(default_factory=dict)
    """The entries of the journal, by number."""
    journal_head: JournalHeadRow | None = None
    lost_tokens: list[str] = field(default_factory=list)
    """The names of tokens that could not be read; an empty one stands for any number of others."""


def salvage(replaced: Replacement) -> Salvage:
    """Read what can be read of the old database. Changes nothing."""
    found = Salvage()
    try:
        with replaced.old() as rows:
            _read_log(rows, found)
            _read_journal(rows, found)
            found.paytables = dict(_paytables(rows))
            for name, row in rows.tables():
                if row is not None and (settings := _settings(row)) is not None:
                    found.tables[name] = settings
            for name, row in rows.tokens():
                if row is not None and (token := _token(row)) is not None:
                    found.tokens.append(token)
                else:
                    found.lost_tokens.append(name)
    except UnreadableError as error:
        found.unreadable = str(error)
    return found


def _read_log(rows: OldRows, found: Salvage) -> None:
    match rows.head():
        case {"origin": str(origin), "size": int(size), "root": str(root)}:
            found.origin, found.size, found.root = origin, size, root
    for row in rows.queue():
        match row:
            case {"position": int(position), "data": bytes(data)}:
                found.queued[position] = data
    found.waiting = rows.waiting()


def _paytables(rows: OldRows) -> Iterator[tuple[str, bytes]]:
    """Those that are what their hashes say."""
    for row in rows.paytables():
        match row:
            case {"hash": str(paytable), "data": bytes(data)} if sha256(data).hex() == paytable:
                yield paytable, data


def _read_journal(rows: OldRows, found: Salvage) -> None:
    for values in rows.journal():
        with suppress(msgspec.ValidationError):
            row = msgspec.convert([values.get(name) for name in JournalRow._fields], JournalRow)
            found.journal[row.number] = row
    head = rows.journal_head() or {}
    with suppress(msgspec.ValidationError):
        found.journal_head = msgspec.convert([head.get(name) for name in JournalHeadRow._fields], JournalHeadRow)


def _settings(row: Values) -> TableSettings | None:
    match row:
        case {"timeout": int(timeout), "rules": str(rules), "closing": 0 | 1 as closing}:
            # An older version has no pauses; what cannot be read is one.
            paused, stopped = bool(row.get("paused")), bool(row.get("stopped"))
            settings = TableSettings(timeout, rules, bool(closing), paused, stopped)
            return settings if 1 <= timeout <= LONGEST_TIMEOUT else None
    return None


def _token(row: Values) -> TokenRow | None:
    match row:
        case {
            "digest": str(digest),
            "name": str(name),
            "role": str(role),
            "tables": str(tables),
            "created": str(created),
            "revoked": str() | None as revoked,
            **others,
        } if _DIGEST.fullmatch(digest) and role in set(Role) and _are_names(tables):
            # An older version has fewer columns.
            added = {column: others.get(column) for column in ("account", "expires", "used")}
            values = [digest, name, role, tables, created, revoked, *added.values()]
            with suppress(msgspec.ValidationError):
                return msgspec.convert(values, TokenRow)
    return None


def _are_names(text: str) -> bool:
    try:
        names = json.loads(text)
    except ValueError:
        return False
    return isinstance(names, list) and all(isinstance(name, str) for name in names)
