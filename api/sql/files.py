"""A database as a file: whether it is whole, and copying it while it is used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from api.sql.sqlite import connect


def check_whole(path: Path) -> None:
    """Read every page of a database file, which may be in use. Raises `DatabaseFailure` if one is damaged."""
    with closing(connect(path).driver) as driver:
        (found,) = driver.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        error = sqlite3.DatabaseError(" ".join(str(found).split()))
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def copy_database(source: Path, target: Path) -> None:
    """Copy a database file, which may be in use, as it is at one moment. Nobody waits for it.

    ``target`` must not exist. It is not durable when this returns.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target.touch(mode=0o600, exist_ok=False)
    with closing(connect(source).driver) as old, closing(sqlite3.connect(target)) as new:
        # In one step: a reader of WAL sees one state, whatever is committed meanwhile.
        old.backup(new)
