"""A new database of the service."""

from __future__ import annotations

from pathlib import Path

from api.sql.database import Database
from api.store import statements as sql
from fairness.log.merkle import EMPTY_ROOT


def create_database(path: Path, lock: Path, origin: str) -> Database:
    """A database with an empty log."""
    database = Database(path, lock)
    database.create()
    head = {"id": 1, "origin": origin, "size": 0, "root": EMPTY_ROOT.hex(), "noted": 0}
    database.write(lambda connection: connection.execute(sql.INSERT_HEAD, head))
    return database
