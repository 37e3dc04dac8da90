"""The connections of a process: who gets one, what it survives, and what none of them costs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest

from api.settings import Server
from api.sql.connection import Connection
from api.sql.pipeline import PostgresConnection
from api.sql.pool import NoConnectionLeft, Pool
from api.sql.postgres import CONNECTIONS, PostgresDatabase, connect
from api.store import statements as sql
from api.store.models import QueuedRow
from api.world.storage_failures import STORAGE_FAILURES, ServerFailure
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, wait_until


def test_calls_that_wait_for_a_table_keep_no_connection_from_other_tables(
    running: InProcessService, other: PostgresDatabase, postgres: PostgresServer
) -> None:
    """Of more callers than a process has connections, one waits for the row, and the others for that one."""
    callers = 3 * CONNECTIONS
    begun, done = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        sql.ONE_TABLE.one(connection, name="keno-1")
        begun.set()
        assert done.wait(PATIENCE_SECONDS)

    with ThreadPoolExecutor(callers + 1) as pool:
        holding = pool.submit(other.write, hold)
        assert begun.wait(PATIENCE_SECONDS)
        calls = [pool.submit(running.service.rounds.open, "keno-1", 1) for _ in range(callers)]
        wait_until(lambda: postgres.waiting_for_a_lock(running.server.name) == 1, "the first of them to wait")
        running.play("crash-1")
        done.set()
        holding.result(PATIENCE_SECONDS)
        assert all(call.result(PATIENCE_SECONDS).status == "open" for call in calls)
    running.check()


def is_waited_for(pool: Pool, number: int) -> bool:
    """Whether more calls than that wait for a connection."""
    return pool.waiting > number


def test_a_connection_goes_to_the_call_that_has_waited_longest(running: InProcessService) -> None:
    """Not to the one that gives it back and asks for it again at once."""
    served = list[str]()
    pool = Pool(lambda: PostgresConnection(connect(running.server)), 1, PATIENCE_SECONDS)

    def take(name: str) -> None:
        connection = pool.take()
        served.append(name)
        pool.give_back(connection)

    with ThreadPoolExecutor(2) as threads:
        connection = pool.take()
        calls = []
        for place, name in enumerate(("first", "second")):
            calls.append(threads.submit(take, name))
            wait_until(partial(is_waited_for, pool, place), f"the {name} to wait")
        pool.give_back(connection)
        take("last")
        for call in calls:
            call.result(PATIENCE_SECONDS)
    pool.close()
    assert served == ["first", "second", "last"]


def test_a_place_of_a_connection_is_never_lost(running: InProcessService) -> None:
    """Neither by one that breaks, nor by a call that waits in vain, nor when none can be made."""
    address = running.server
    made = list[Server]([address])
    pool = Pool(lambda: PostgresConnection(connect(made[0])), 1, 0.01)
    connection = pool.take()
    with pytest.raises(NoConnectionLeft):
        pool.take()
    assert pool.waiting == 0
    connection.close()
    pool.give_back(None)
    made[0] = Server.parse("postgresql://nobody@127.0.0.1:1/nothing")
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            pool.take()
    made[0] = address
    pool.close()
    last = pool.take()
    pool.give_back(last)
    assert last.driver.closed


def test_a_connection_that_was_cut_is_not_noticed_by_callers(
    running: InProcessService, postgres: PostgresServer
) -> None:
    """The server ended all connections while they were idle: the next calls make new ones, without an error."""
    running.play("keno-1")
    chosen = "FROM pg_stat_activity WHERE datname = %s"
    name = (running.server.name,)
    with postgres.administrator() as connection:
        connection.execute(f"SELECT pg_terminate_backend(pid) {chosen}".encode(), name)
        wait_until(
            lambda: connection.execute(f"SELECT count(*) {chosen}".encode(), name).fetchone() == (0,), "the cut"
        )
    running.play("keno-1")
    running.check()


def test_a_server_without_connections_left_is_a_failure_of_storage(
    running: InProcessService, postgres: PostgresServer
) -> None:
    """The sentence names it; when there are connections again, the service goes on."""
    database = PostgresDatabase(running.server)
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {running.server.name} CONNECTION LIMIT 0".encode())
    with pytest.raises(STORAGE_FAILURES, match="has no connection left"):
        database.write(sql.QUEUE_LENGTH.one)
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {running.server.name} CONNECTION LIMIT -1".encode())
    assert database.write(sql.QUEUE_LENGTH.one) == 0
    database.dispose()


def test_a_refused_statement_costs_no_connection(running: InProcessService) -> None:
    """A NUL in a name is refused by the driver, and a second row of a key by PostgreSQL: the connection is used
    again.
    """
    database = running.service.database

    def backend(connection: Connection) -> object:
        return connection.rows("SELECT pg_backend_pid()", ())

    before = database.write(backend)
    with pytest.raises(ServerFailure), database.read() as connection:
        sql.ONE_TABLE.find(connection, name="a\0b")
    with pytest.raises(ServerFailure), database.read() as connection:
        connection.rows("SELECT 1 / 0", ())
    with pytest.raises(ServerFailure):
        database.write(lambda connection: sql.ENQUEUE.run(connection, QueuedRow("keno-1", b"", 0)))
    assert database.write(backend) == before
