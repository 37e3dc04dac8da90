"""Positions of queued records: those that were accepted get them, in their order, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.log.sequencer import runs
from api.settings import Settings
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.models import QueuedRow
from api.store.schema import disposed, new_database
from tests.support.postgres import PostgresServer

START = 10


@pytest.mark.parametrize("accepted", [[1, 2, 3, 4, 5, 6], [1, 2, 4, 6], [5], [6, 3, 2], []])
def test_only_accepted_records_get_positions(
    accepted: list[int], tmp_path: Path, server: PostgresServer | None
) -> None:
    """Rows between them, of halted tables or committed a moment later, keep waiting."""
    settings = Settings(tmp_path / "data", server=None if server is None else server.new_database())
    with disposed(new_database(settings, "positions.example/log")) as database:

        def place(connection: Connection) -> dict[int, int]:
            sql.ENQUEUE.run_many(connection, [QueuedRow("t", b"%d" % number) for number in range(6)])
            first = min(row.id for row in sql.WAITING.all(connection, after_id=0, limit=9))
            sql.SET_POSITIONS.run_many(connection, runs([first - 1 + each for each in accepted], START))
            waiting = {row.id - first + 1 for row in sql.WAITING.all(connection, after_id=0, limit=9)}
            placed = {row.position: int(row.data) + 1 for row in sql.KEPT.all(connection)}
            assert waiting == {1, 2, 3, 4, 5, 6} - {*accepted}
            return placed

        assert database.write(place) == dict(enumerate(accepted, START))
