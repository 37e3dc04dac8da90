"""Several calls and programs change the same rows at once: one waits for the other, and none is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

import psycopg
import pytest

from api.access.tokens import Role, TokenRefusedError, create_token, list_tokens, revoke_token, rotate_token
from api.rounds.control import stop_tables
from api.rounds.reading import status_of_tables
from api.rounds.tables import TableRefusedError, add_table
from api.sql.connection import Connection
from api.sql.postgres import PostgresDatabase
from api.store import statements as sql
from api.store.models import RoundRow, RoundStatus
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, wait_until


def test_a_second_change_of_a_table_sees_all_of_the_first(
    running: InProcessService, other: PostgresDatabase, postgres: PostgresServer
) -> None:
    """It waits for the table's row, then reads what the first has committed, rows of rounds included."""
    begun = threading.Event()

    def first(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        sql.ONE_TABLE.one(connection, name="keno-1")
        begun.set()
        wait_until(lambda: postgres.waiting_for_a_lock(running.server.name) == 1, "the second change to wait")
        sql.INSERT_ROUND.run(connection, RoundRow("keno-1", 1, RoundStatus.OPEN, opened="now"))

    def second(connection: Connection) -> RoundRow | None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        found = sql.TABLE_AND_ROUND.one(connection, name="keno-1", round=1)
        return found.round

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(other.write, first)
        assert begun.wait(PATIENCE_SECONDS)
        # Another table waits for nobody.
        running.play("crash-1")
        seen = pool.submit(running.service.database.write, second).result(PATIENCE_SECONDS)
        holding.result(PATIENCE_SECONDS)
    assert seen is not None
    assert seen.opened == "now"


def test_work_that_lost_against_another_is_done_again(running: InProcessService, other: PostgresDatabase) -> None:
    """No work of ours waits in a circle; if PostgreSQL ends one of two that do, it is repeated, and both are done."""
    both, tried = threading.Barrier(2), list[str]()

    def work(first: str, second: str) -> Callable[[Connection], None]:
        def close_both(connection: Connection) -> None:
            tried.append(first)
            sql.SET_CLOSING.count(connection, where_name=first)
            if len(tried) <= 2:
                both.wait(PATIENCE_SECONDS)
            sql.SET_CLOSING.count(connection, where_name=second)

        return close_both

    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(running.service.database.write_at_length, work("keno-1", "crash-1")),
            pool.submit(other.write_at_length, work("crash-1", "keno-1")),
        ]
        for call in calls:
            call.result(PATIENCE_SECONDS)
    assert len(tried) == 3
    assert running.is_closing("keno-1")
    assert running.is_closing("crash-1")


def test_names_are_taken_once(running: InProcessService, other: PostgresDatabase) -> None:
    """Of several who make a table or a token of one name at the same time, one succeeds, and the others are told."""
    service, ready = running.service, threading.Barrier(4)

    def make(_: object) -> str:
        ready.wait(PATIENCE_SECONDS)
        try:
            add_table(service.writer, "hi-lo-1", "hi-lo")
        except TableRefusedError as error:
            return error.field
        return ""

    def name(_: object) -> str:
        ready.wait(PATIENCE_SECONDS)
        try:
            create_token(other, service.clock, "ani", Role.ENGINE, ["*"])
        except TokenRefusedError:
            return "taken"
        return ""

    with ThreadPoolExecutor(4) as pool:
        for work in (make, name):
            assert sorted(pool.map(work, range(4))) == ["", "taken", "taken", "taken"]
    running.check()


@contextmanager
def journal_held(running: InProcessService) -> Iterator[None]:
    """Whoever appends to the journal waits, at the end of a transaction."""
    with psycopg.connect(running.server.secret_address) as connection:
        connection.execute("SELECT FROM journal_head FOR UPDATE")
        yield


def one_during_another(
    running: InProcessService, postgres: PostgresServer, *works: Callable[[], object]
) -> list[object]:
    """Do each work while the one before has changed its rows, and has not committed yet; what they return."""
    with ThreadPoolExecutor(len(works)) as pool:
        with journal_held(running):
            calls = []
            for number, work in enumerate(works, 1):
                calls.append(pool.submit(work))
                wait_until(partial(waits_are, running, postgres, number), "the work to wait for a lock")
        return [call.result(PATIENCE_SECONDS) for call in calls]


def waits_are(running: InProcessService, postgres: PostgresServer, number: int) -> bool:
    """Whether so many connections wait for another one's lock."""
    return postgres.waiting_for_a_lock(running.server.name) == number


def test_a_token_that_is_made_while_its_account_is_revoked_is_revoked(
    running: InProcessService, other: PostgresDatabase, postgres: PostgresServer
) -> None:
    """The account's new token is not left behind by whoever revoked it during `token rotate`."""
    database, clock = running.service.database, running.clock
    create_token(database, clock, "ani", Role.ENGINE, ["*"])
    one_during_another(
        running,
        postgres,
        lambda: rotate_token(database, clock, "ani", overlap=timedelta(hours=1)),
        lambda: revoke_token(other, clock, "ani"),
    )
    tokens = [row for row in list_tokens(database) if row.owner == "ani"]
    assert len(tokens) == 2
    assert not [row.name for row in tokens if row.is_valid(clock.now())]


@pytest.mark.parametrize("first", ["add", "halt"])
def test_a_halt_stops_a_table_that_is_being_added(
    first: str, running: InProcessService, other: PostgresDatabase, postgres: PostgresServer
) -> None:
    """Whichever of the two began first."""
    writer = running.service.writer
    works: list[Callable[[], object]] = [
        lambda: add_table(writer, "late-1", "keno-express"),
        lambda: stop_tables(replace(writer, database=other), stopped=True),
    ]
    one_during_another(running, postgres, *(works if first == "add" else reversed(works)))
    assert {status.state.name for status in status_of_tables(other) if status.paused} == {
        "keno-1",
        "crash-1",
        "late-1",
    }
