"""The rounds that a measure puts into a database without playing them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from api.programs.setup import initialise
from api.settings import Server, Settings
from api.store import statements as sql
from api.store.models import RoundStatus
from api.store.schema import disposed, open_database
from benchmarks.postgres import insert_history
from tests.support.postgres import ENGINES, postgres_server


@pytest.fixture(params=ENGINES)
def server(request: pytest.FixtureRequest) -> Iterator[Server | None]:
    """A database on a server, or none, for a file."""
    if request.param == "sqlite":
        yield None
        return
    with postgres_server() as running:
        yield running.new_database()


@pytest.mark.lattice
def test_a_history_is_rounds_that_the_service_reads(server: Server | None, tmp_path: Path) -> None:
    """Ten thousand of a table, and then those of the next one."""
    settings = Settings(tmp_path / "data", server=server)
    initialise(settings, "bench.example/log")
    with disposed(open_database(settings)) as database:
        database.alter(partial(insert_history, 10_002))
        with database.read() as connection:
            first = sql.ROUNDS_BETWEEN.all(connection, table="past-0", from_round=9_999, before_round=20_000)
            second = sql.ROUNDS_BETWEEN.all(connection, table="past-1", from_round=0, before_round=20_000)
    assert [row.round for row in first] == [9_999, 10_000]
    assert [(row.round, row.status, row.ending.outcome) for row in second] == [
        (1, RoundStatus.PLAYED, {"multiplier": "21.23"}),
        (2, RoundStatus.PLAYED, {"multiplier": "21.23"}),
    ]
