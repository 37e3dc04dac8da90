"""A service with its database in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.sql.postgres import PostgresDatabase
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer

TABLES = (("keno-1", "keno-express"), ("crash-1", "crash"))


@pytest.fixture
def running(tmp_path: Path, postgres: PostgresServer) -> Iterator[InProcessService]:
    """A service with two tables in a database of its own."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES, server=postgres)
    yield made
    made.stop()


@pytest.fixture
def other(running: InProcessService) -> Iterator[PostgresDatabase]:
    """The same database, as another process has it."""
    made = PostgresDatabase(running.server)
    yield made
    made.dispose()
