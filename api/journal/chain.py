"""The chain of entries in the database: appending, reading, and finding what was changed.

An entry is written in the transaction of the deed that it records, so neither exists without the other. The head is a
row of its own: the number and hash of the last entry. Whoever can write to the database can compute the whole chain
again, or cut off its end; only somebody who kept an earlier head finds that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from api.journal.entry import NO_HASH, Act, Deed, hash_of, row_of
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import JournalHeadRow, JournalRow

_PAGE = 1000


class JournalBrokenError(Exception):
    """The journal is not as it was written; the message says which entry is the first to show it."""


class Head(NamedTuple):
    """How far the journal reaches: the number of its last entry, and that entry's hash."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


EMPTY = Head(0, NO_HASH)


def parse_head(text: str) -> Head | None:
    """Return the head of its text, ``17:`` and 64 hexadecimal digits; `None` of any other text."""
    found = re.fullmatch(r"(0|[1-9][0-9]{0,17}):([0-9a-f]{64})", text, re.ASCII)
    return None if found is None else Head(int(found[1]), found[2])


def append(connection: Connection, time: str, deed: Deed) -> None:
    """Append an entry, inside the transaction of the deed that it records."""
    head = sql.JOURNAL_HEAD_TO_CHANGE.find(connection)
    if head is None:
        # A folder that is new, or was made again without its journal.
        head = JournalHeadRow(1, *EMPTY)
        sql.INSERT_JOURNAL_HEAD.run(connection, head)
    row = row_of(head.number + 1, head.hash, time, deed)
    sql.INSERT_JOURNAL.run(connection, row)
    sql.SET_JOURNAL_HEAD.run(connection, new_number=row.number, new_hash=hash_of(row))


def note(database: Database, time: str, deed: Deed) -> None:
    """Append an entry by itself. When this returns, it is durable."""
    database.write(lambda connection: append(connection, time, deed))


def journal_head(database: Database) -> Head:
    """Return the present head."""
    with database.read() as connection:
        found = sql.ONE_JOURNAL_HEAD.find(connection)
    return EMPTY if found is None else Head(found.number, found.hash)


def entries(database: Database) -> Iterator[JournalRow]:
    """Yield all entries in their order, as the database has them."""
    after = 0
    while True:
        with database.read() as connection:
            rows = sql.JOURNAL_AFTER.all(connection, after_number=after, limit=_PAGE)
        yield from rows
        if len(rows) < _PAGE:
            return
        after = rows[-1].number


def last_of(database: Database, act: Act, subject: str | None = None) -> JournalRow | None:
    """Return the last entry about such an act; about that ``subject``, if it is given."""
    with database.read() as connection:
        if subject is None:
            return sql.LAST_OF_ACT.find(connection, act=act.value)
        return sql.LAST_OF_ACT_ON.find(connection, act=act.value, subject=subject)


def verify(database: Database, kept: Head = EMPTY) -> Head:
    """Check every entry, and that the journal continues the head that somebody ``kept``.

    Returns the head that it reaches. Raises `JournalBrokenError`.
    """
    head, reached = journal_head(database), EMPTY
    for row in entries(database):
        _check_next(row, reached)
        reached = Head(row.number, hash_of(row))
        for known in (head, kept):
            if row.number == known.number and reached != known:
                raise JournalBrokenError(f"entry {row.number}: expected the hash {known.hash}, found {reached.hash}")
    if reached.number < max(head.number, kept.number):
        raise JournalBrokenError(
            f"the journal ends at entry {reached.number}: expected entry {max(head.number, kept.number)}, at least"
        )
    # Entries that were appended meanwhile have moved the head on.
    if journal_head(database).number < reached.number:
        raise JournalBrokenError(f"the head is {head.number}, and there is an entry {reached.number}")
    return reached


def _check_next(row: JournalRow, reached: Head) -> None:
    if row.number != reached.number + 1:
        raise JournalBrokenError(f"entry {reached.number + 1} is missing: the next one is {row.number}")
    if row.previous != reached.hash:
        raise JournalBrokenError(
            f"entry {row.number} was written after an entry with the hash {row.previous}, found {reached.hash}: it was"
            " changed, or the one before"
        )
