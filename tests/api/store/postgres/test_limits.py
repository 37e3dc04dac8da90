"""Nobody waits for ever: neither the server for a program that was halted, nor a call for another, or for the
server.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.sql.connection import Connection
from api.sql.database import Database
from api.sql.postgres import HALTED_SECONDS, PostgresDatabase
from api.store import statements as sql
from api.store.schema import disposed
from api.world.storage_failures import ServerFailure
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, wait_until


def test_only_work_at_length_may_leave_the_server_idle(running: InProcessService) -> None:
    """A rebuild replays the whole log in one transaction: the server must not take it for one that was halted."""
    database = running.service.database

    def limit(connection: Connection) -> object:
        return connection.rows("SELECT current_setting('idle_in_transaction_session_timeout')", ())

    assert database.write(limit) == [(f"{HALTED_SECONDS}s",)]
    assert database.write_at_length(limit) == [("0",)]
    assert database.write(limit) == [(f"{HALTED_SECONDS}s",)]


def test_who_is_halted_within_a_transaction_keeps_no_row(running: InProcessService, other: PostgresDatabase) -> None:
    """The server finds it idle, and ends its transaction: a leader that was halted there would keep the head for
    ever.
    """
    begun, woken = threading.Event(), threading.Event()

    def halted(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        sql.ONE_TABLE.one(connection, name="keno-1")
        begun.set()
        assert woken.wait(PATIENCE_SECONDS)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(other.write, halted)
        try:
            assert begun.wait(PATIENCE_SECONDS)
            running.play("keno-1")
        finally:
            woken.set()
        with pytest.raises(ServerFailure):
            holding.result(PATIENCE_SECONDS)


def test_a_call_that_hangs_keeps_others_on_its_table_for_seconds_only(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They get a sentence, other tables are played, and all goes on when the server answers again."""
    monkeypatch.setattr("api.sql.postgres._LOCK_SECONDS", 0.1)
    database, begun, done = running.service.database, threading.Event(), threading.Event()

    def hang(connection: Connection) -> None:
        # It stands for a server that does not answer, and is not to be ended by one that does.
        connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        sql.QUEUE_LENGTH.one(connection)
        begun.set()
        assert done.wait(PATIENCE_SECONDS)

    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(database.write, hang, "keno-1")
        assert begun.wait(PATIENCE_SECONDS)
        with pytest.raises(ServerFailure, match="keno-1 waits for another call on it"):
            running.service.rounds.open("keno-1", 1)
        running.play("crash-1")
        done.set()
        hanging.result(PATIENCE_SECONDS)
    running.play("keno-1")


def test_a_statement_that_does_not_end_is_ended(running: InProcessService) -> None:
    """By PostgreSQL, and the sentence does not claim that it cannot be reached."""
    with running.service.database.read() as connection:
        assert connection.rows("SHOW statement_timeout", ()) == [("15s",)]

    def sleep(connection: Connection) -> None:
        connection.run("SET LOCAL statement_timeout = 1")
        connection.rows("SELECT pg_sleep(60)", ())

    with pytest.raises(ServerFailure, match="canceling statement due to statement timeout"):
        running.service.database.write(sleep)


def test_a_limit_on_temporary_files_is_no_full_disk(running: InProcessService, postgres: PostgresServer) -> None:
    """Whether there is room is asked with such a file; an administrator may allow smaller ones only."""
    name = running.server.name
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {name} SET temp_file_limit = '1MB'".encode())
    with disposed(PostgresDatabase(running.server)) as limited:
        with limited.read() as connection:
            assert connection.rows("SHOW temp_file_limit", ()) == [("1MB",)]
        limited.check_writable()


@pytest.mark.parametrize("mode", ["SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"])
def test_a_table_that_another_program_has_locked_is_a_failure(
    running: InProcessService, postgres: PostgresServer, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After seconds, until it is over, and also while nobody plays."""
    database = running.service.database
    with postgres.administrator(running.server.name) as other, other.transaction():
        # A lock that begins and ends is none of this.
        other.execute(f"LOCK TABLE head IN {mode} MODE".encode())
        database.check_writable()
        monkeypatch.setattr("api.sql.postgres.HELD_SECONDS", 0.0)
        with pytest.raises(ServerFailure, match=r"is held by another program .* End that program"):
            database.check_writable()
    database.check_writable()


def test_rows_that_another_program_has_locked_are_a_failure_if_somebody_waits_for_them(
    running: InProcessService, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until that transaction ends, also when who waited has given up."""
    database, name = running.service.database, running.server.name
    monkeypatch.setattr("api.sql.postgres.HELD_SECONDS", 0.0)

    def take(connection: Connection) -> None:
        connection.run("SET LOCAL lock_timeout = '2s'")
        connection.rows("SELECT name FROM tables FOR UPDATE", ())

    with ThreadPoolExecutor(1) as pool, postgres.administrator(name) as other, other.transaction():
        other.execute("SELECT name FROM tables FOR UPDATE")
        database.check_writable()
        waiting = pool.submit(database.write, take)
        wait_until(lambda: postgres.waiting_for_a_lock(name) > 0, "a change to wait")
        with pytest.raises(ServerFailure, match="is held by another program"):
            database.check_writable()
        with pytest.raises(ServerFailure, match="is held by another program"):
            waiting.result(PATIENCE_SECONDS)
        with pytest.raises(ServerFailure, match="a transaction has locked rows or tables, and does not end"):
            database.check_writable()
    database.check_writable()
    running.play("keno-1")


def test_our_own_locks_are_no_other_programs(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade, for instance, of this process or of another."""
    monkeypatch.setattr("api.sql.postgres.HELD_SECONDS", 0.0)

    def look(connection: Connection) -> None:
        connection.run("LOCK TABLE head IN EXCLUSIVE MODE")
        connection.rows("SELECT 1", ())
        running.service.database.check_writable()

    running.service.database.write(look)


def reading(database: Database, work: Callable[[Connection], object]) -> None:
    """Do work outside a transaction."""
    with database.read() as connection:
        work(connection)


def changing(database: Database, work: Callable[[Connection], object]) -> None:
    """Do work in a transaction on a table."""
    database.write(work, "keno-1")


@pytest.mark.parametrize("call", [reading, changing])
def test_a_halted_server_keeps_no_call_for_ever(
    call: Callable[[Database, Callable[[Connection], object]], None],
    running: InProcessService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its connection stands, and nothing comes: the call gives up, others go on, and the table when the halted one
    does.
    """
    halted: list[int] = []

    def halt(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        ((pid,),) = connection.rows("SELECT pg_backend_pid()", ())
        halted.append(pid)
        monkeypatch.setattr("api.sql.pipeline.ANSWER_SECONDS", 0.1)
        os.kill(pid, signal.SIGSTOP)
        sql.ONE_TABLE.one(connection, name="keno-1")

    try:
        with pytest.raises(ServerFailure, match=r"no answer for 0\.1 seconds.* and the service can go on"):
            call(running.service.database, halt)
        monkeypatch.undo()
        running.play("crash-1")
    finally:
        for pid in halted:
            os.kill(pid, signal.SIGCONT)
    running.play("keno-1")
    running.check()
