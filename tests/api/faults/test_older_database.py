"""The database goes back to an older state under the running service: nobody gets an outcome for other bets.

A PostgreSQL fails over to a standby that is behind, or is restored to a point in time, and the service's connections
are replaced without a word. The log and the custodian's store are those of before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.answers.rounds import Pending
from api.problems import Code, Problem
from api.sql.postgres import PostgresDatabase
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService, bets_of
from tests.support.postgres import PostgresServer

DRAW, FLIGHT = "keno-1", "crash-1"
TABLES = ((DRAW, "keno-express"), (FLIGHT, "crash"))
OTHER_BETS = bets_of("another table", 9)


@pytest.fixture
def running(tmp_path: Path, server: PostgresServer | None) -> Iterator[InProcessService]:
    """A service whose tables have been played."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES, server=server)
    for table, _ in TABLES:
        made.play(table, 2)
    made.settle()
    yield made
    made.stop()


def refused(call: Callable[[], object], code: Code) -> str:
    """The words in which a call is refused."""
    with pytest.raises(Problem) as caught:
        call()
    assert caught.value.code is code
    assert "`foredraw rebuild`" in caught.value.detail
    return caught.value.detail


@pytest.mark.parametrize("table", [DRAW, FLIGHT])
def test_a_locked_round_is_not_opened_again_after_a_failover(
    table: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    """The standby does not know of round 3, which the same process opened, locked and told."""
    running = InProcessService.create(tmp_path / "data", tables=TABLES, server=postgres)
    running.play(table, 2)
    running.settle()
    first = running.settings.server
    assert first is not None
    running.service.database.dispose()
    standby = postgres.new_database(first.name)
    running.open(table, 3)
    told = running.lock(table, 3)
    running.service.database.dispose()
    with postgres.administrator() as administrator:
        for name, other in ((first.name, f"{first.name}_before"), (standby.name, first.name)):
            administrator.execute(f"ALTER DATABASE {name} RENAME TO {other}".encode())
    rounds = running.service.rounds
    with running.background_paused():
        refused(lambda: rounds.open(table, 3), Code.OUT_OF_ORDER)
        with pytest.raises(Problem):
            rounds.lock(table, 3, OTHER_BETS, call=call_of(table, 3))
        # Even if it was open in the older state.
        older = """
            INSERT INTO rounds ("table", round, status, opened, given_up)
            VALUES (?, 3, 'open', '2026-01-01T00:00:00.000Z', false)
        """
        running.tamper(older, table)
        refused(lambda: rounds.lock(table, 3, OTHER_BETS, call=call_of(table, 3)), Code.OUT_OF_ORDER)
        refused(lambda: rounds.void(table, 3, "a reason"), Code.OUT_OF_ORDER)
    assert running.told[table, 3] == told
    running.stop()


@pytest.mark.parametrize(
    "change", ["UPDATE rounds SET locked = '2026-01-01T00:00:00.000Z'", "UPDATE rounds SET bets = NULL"]
)
def test_a_lock_that_is_not_the_published_one_gives_no_outcome(change: str, running: InProcessService) -> None:
    """Whatever happened to the row: the published record decides, for each call that leads to an outcome."""
    rounds, size = running.service.rounds, running.size
    running.open(FLIGHT, 3)
    running.lock(FLIGHT, 3)
    running.tamper(f'{change} WHERE "table" = ? AND round = 3', FLIGHT)
    bets = None if "bets" in change else bets_of(FLIGHT, 3)
    for call in (
        lambda: rounds.lock(FLIGHT, 3, bets, call=call_of(FLIGHT, 3)),
        lambda: rounds.locked_outcome(FLIGHT, 3),
        lambda: rounds.reveal(FLIGHT, 3),
        lambda: rounds.void(FLIGHT, 3, "a reason"),
    ):
        assert "the database is older than the published log" in refused(call, Code.SEEDS_UNAVAILABLE)
    running.turn()
    assert running.size == size + 1
    assert running.status(FLIGHT, 3) == "locked"


def test_a_round_that_was_given_up_with_another_reason_is_not_revealed(running: InProcessService) -> None:
    """The reason is in the lock as well."""
    with running.background_paused():
        assert isinstance(running.service.rounds.void(DRAW, 3, "a reason"), Pending)
    running.turn()
    running.tamper("UPDATE rounds SET reason = 'another' WHERE \"table\" = ? AND round = 3", DRAW)
    refused(lambda: running.service.rounds.void(DRAW, 3, "another"), Code.SEEDS_UNAVAILABLE)


@pytest.mark.parametrize("weaker", ["off", "local", "remote_write"])
def test_a_commit_waits_for_the_disk_of_synchronous_standbys(weaker: str, postgres: PostgresServer) -> None:
    """Whatever the server's default is for this database; one that is stronger is left."""
    place = postgres.new_database()
    for chosen, found in ((weaker, "on"), ("remote_apply", "remote_apply")):
        with postgres.administrator() as administrator:
            administrator.execute(f"ALTER DATABASE {place.name} SET synchronous_commit = {chosen}".encode())
        database = PostgresDatabase(place)
        with database.read() as connection:
            assert connection.rows("SHOW synchronous_commit", ()) == [(found,)]
        database.dispose()
