"""A database as a file: whether it is whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from api.sql.connection import connect


def check_whole(path: Path) -> None:
    """Read every page of a database file, which may be in use. Raises `DatabaseFailure` if one is damaged."""
    with closing(connect(path).driver) as driver:
        (found,) = driver.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        error = sqlite3.DatabaseError(" ".join(str(found).split()))
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
