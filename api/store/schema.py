"""A new database of the service, and what an older one lacks."""

from __future__ import annotations

from pathlib import Path

from api.sql.database import Database
from api.sql.schema import missing
from api.store import statements as sql
from api.store.models import SCHEMA
from api.store.rows import HeadRow
from fairness.log.merkle import EMPTY_ROOT


def create_database(path: Path, lock: Path, origin: str) -> Database:
    """A database with an empty log."""
    database = Database(path, lock)
    bring_up_to_date(database)
    head = HeadRow(id=1, origin=origin, size=0, root=EMPTY_ROOT.hex(), noted=0)
    database.write(lambda connection: sql.INSERT_HEAD.run(connection, head))
    return database


def bring_up_to_date(database: Database) -> None:
    """Create what is missing: everything, or what an older version of the service did not have."""
    database.create(SCHEMA)


def is_older(database: Database) -> bool:
    """Whether `bring_up_to_date` would create anything."""
    with database.read() as connection:
        return bool(missing(connection.driver, SCHEMA))
