"""Databases as older versions made them: their statements are kept in ``older_schemas.json``, and never change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from api.sql.database import Database
from api.store.revisions import VERSION_TABLE
from tests.support.in_process_service import InProcessService

_KEPT: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("older_schemas.json").read_text("utf-8"))
BEFORE_REVISIONS = "before revisions"
RELEASE = "0.1.0"


def make_older(database: Database, version: str, engine: str) -> None:
    """Run the statements with which a version made its database."""
    database.prepare()

    def work(connection: Any) -> None:  # noqa: ANN401 -- either engine's
        for statement in _KEPT[version][engine]:
            connection.run(statement)

    database.write(work)


def forget_revisions(service: InProcessService) -> None:
    """Make a database one of before there were revisions; a column that a test has dropped stays away."""
    drop_newer_columns(service.tamper, on_server=service.settings.server is not None)
    service.tamper(f"DROP TABLE {VERSION_TABLE}")


def drop_newer_columns(tamper: Callable[[str], object], *, on_server: bool) -> None:
    """Drop the columns and the tables that revisions added; on a server, with the triggers that look at them."""
    for table in ("signs", "paytables"):
        tamper(f"DROP TABLE {table}")
    for column in ("leader", "made", "successor"):
        tamper(f"ALTER TABLE head DROP COLUMN {column}")
    for column in ("given", "opened_call", "locked_call"):
        tamper(f"ALTER TABLE rounds DROP COLUMN {column}" + " CASCADE" * on_server)


def make_file_older(path: Path) -> bytes:
    """Make the database of a back-up one of before there were revisions; returns its file."""
    with closing(sqlite3.connect(path)) as connection:
        drop_newer_columns(connection.execute, on_server=False)
        connection.execute(f"DROP TABLE {VERSION_TABLE}")
    return path.read_bytes()


def make_file_newer(path: Path) -> None:
    """Make the database of a back-up one of a later version."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
