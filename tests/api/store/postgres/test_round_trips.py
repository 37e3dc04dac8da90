"""How often a call waits for an answer of the server, and how statements are sent in one go."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from msgspec import UNSET

from api.http.view import PublicRounds
from api.sql.connection import Connection
from api.sql.postgres import PostgresDatabase
from api.store import statements as sql
from api.store.contents import DamagedStateError
from api.store.models import KeptRow, QueuedRow
from api.world.storage_failures import ServerFailure, is_damage
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService
from tests.support.running_service import wait_until


def answers_awaited(running: InProcessService, trace: Path, call: Callable[[], object]) -> int:
    """How often a call waited for an answer of the server, by libpq's own record of what it sent."""
    database = running.service.database
    assert isinstance(database, PostgresDatabase)
    with trace.open("w+b") as file:
        with database.read() as connection:
            connection.driver.pgconn.trace(file.fileno())
        call()
        with database.read() as connection:
            connection.driver.pgconn.untrace()
        file.seek(0)
        sides = b"".join(re.findall(rb"\t([FB])\t\d+\t", file.read()))
        return sides.count(b"FB")


def test_a_call_waits_for_two_answers(running: InProcessService, tmp_path: Path) -> None:
    """A change waits once for what it reads, and once for its commit.

    A reveal by a process that has not locked the round reads it once more before, and so does its first opening of a
    batch.
    """
    rounds, trace = running.service.rounds, tmp_path / "trace"
    assert answers_awaited(running, trace, lambda: rounds.open("keno-1", 1)) == 3
    with running.background_paused():
        assert answers_awaited(running, trace, lambda: rounds.lock("keno-1", 1, None, call=call_of("keno-1", 1))) == 2
    running.settle()
    assert answers_awaited(running, trace, lambda: rounds.reveal("keno-1", 1)) == 2
    assert answers_awaited(running, trace, lambda: rounds.open("keno-1", 2)) == 2
    rounds.lock("keno-1", 2, None, call=call_of("keno-1", 2))
    running.settle()
    service = running.service
    elsewhere = replace(service).rounds
    assert answers_awaited(running, trace, lambda: elsewhere.reveal("keno-1", 2)) == 3


def test_a_round_that_nobody_has_read_yet_is_read_with_one_answer(running: InProcessService, tmp_path: Path) -> None:
    """The second round of a table: what its table plays is asked once."""
    for _ in range(2):
        running.play("crash-1")
    rounds = PublicRounds(running.service.database, running.service.log)
    rounds.show("crash-1", 1)
    assert answers_awaited(running, tmp_path / "trace", lambda: rounds.show("crash-1", 2)) == 1


def test_who_walks_from_round_to_round_finds_them_read_ahead(running: InProcessService, tmp_path: Path) -> None:
    """The third round in a row brings those that follow; none that has not ended is kept."""
    for _ in range(6):
        running.play("crash-1")
    running.open("crash-1", 7)
    rounds, trace = PublicRounds(running.service.database, running.service.log), tmp_path / "trace"
    for number in (1, 2):
        rounds.show("crash-1", number)
    # The round itself, and those that follow.
    assert answers_awaited(running, trace, lambda: rounds.show("crash-1", 3)) == 2
    alone = PublicRounds(running.service.database, running.service.log)
    for number in (6, 5, 4):
        assert answers_awaited(running, trace, partial(rounds.show, "crash-1", number)) == 0
        assert rounds.show("crash-1", number) == alone.show("crash-1", number)
    for _ in range(2):
        assert answers_awaited(running, trace, lambda: rounds.show("crash-1", 7)) == 1
    assert rounds.show("crash-1", 7).outcome is UNSET


def wanted_of(rounds: PublicRounds) -> set[int]:
    """What is wanted by the calls that wait until somebody else has read rounds."""
    return set().union(*(group.wanted for group in rounds._together._forming.values()))


def test_a_crowd_that_wants_rounds_of_one_table_costs_one_answer(running: InProcessService, tmp_path: Path) -> None:
    """Each of it gets the round that it would have got alone: ended ones, and one that is open; others are kept for
    later.
    """
    for _ in range(5):
        running.play("crash-1")
    running.open("crash-1", 6)
    running.void("crash-1", 6)
    running.open("crash-1", 7)
    rounds, alone = (PublicRounds(running.service.database, running.service.log) for _ in range(2))
    rounds.show("crash-1", 5)
    wanted = (1, 2, 4, 6, 6, 7)
    found: list[object] = []

    def crowd() -> None:
        with ThreadPoolExecutor(len(wanted)) as threads:
            with rounds._together._locks.take("crash-1", 60):
                calls = [threads.submit(rounds.show, "crash-1", number) for number in wanted]
                wait_until(lambda: wanted_of(rounds) == set(wanted), "all to wait")
            found.extend(call.result(60) for call in calls)

    assert answers_awaited(running, tmp_path / "trace", crowd) == 1
    assert found == [alone.show("crash-1", number) for number in wanted]
    assert answers_awaited(running, tmp_path / "trace", lambda: rounds.show("crash-1", 3)) == 0


def test_a_damaged_round_hides_none_beside_it(running: InProcessService) -> None:
    """Neither from who walks towards it, nor from a crowd that somebody of wants it; who asks for it alone, sees the
    failure.
    """
    for _ in range(6):
        running.play("crash-1")
    alone = PublicRounds(running.service.database, running.service.log)
    sound = {number: alone.show("crash-1", number) for number in (1, 2, 3, 4, 6)}
    assert running.tamper("UPDATE rounds SET outcome = '{' WHERE round = ?", 5) == 1
    walked, crowded = (PublicRounds(running.service.database, running.service.log) for _ in range(2))
    for number, answer in sound.items():
        assert walked.show("crash-1", number) == answer
    with pytest.raises(DamagedStateError, match="the row of round 5 of crash-1 is damaged"):
        walked.show("crash-1", 5)
    with ThreadPoolExecutor(8) as threads:
        with crowded._together._locks.take("crash-1", 60):
            calls = {number: threads.submit(crowded.show, "crash-1", number) for number in range(1, 7)}
            wait_until(lambda: wanted_of(crowded) == set(calls), "all to wait")
        assert isinstance(calls.pop(5).exception(60), DamagedStateError)
        assert {number: call.result(60) for number, call in calls.items()} == sound


def test_a_commit_that_fails_is_not_taken_for_one(running: InProcessService) -> None:
    """What a statement of a pipeline refused ends the transaction, even if nobody looked; nothing of it is stored."""

    def work(connection: Connection) -> None:
        sql.SET_CLOSING.run(connection, where_name="crash-1")
        sql.ENQUEUE.run(connection, QueuedRow("keno-1", b"", 0))

    with pytest.raises(ServerFailure, match="queue_position") as caught:
        running.service.database.write(work)
    assert not is_damage(caught.value)
    assert not running.is_closing("crash-1")


def kept(running: InProcessService) -> list[KeptRow]:
    """The records of the log that the queue still has."""
    with running.service.database.read() as connection:
        return sql.KEPT.all(connection)


def test_a_long_list_is_sent_while_answers_come(running: InProcessService) -> None:
    """More than the buffers of either side hold: neither waits for the other without reading."""
    rows = [QueuedRow("keno-1", bytes(4000), 10_000 + number) for number in range(2507)]

    def write(connection: Connection) -> int:
        sql.ENQUEUE.run_many(connection, rows)
        return len(sql.KEPT.all(connection))

    with pytest.raises(ServerFailure, match="queue_position"):
        running.service.database.write(lambda connection: sql.ENQUEUE.run_many(connection, [*rows, rows[0]]))
    before = len(kept(running))
    assert running.service.database.write(write) == before + len(rows)


def test_a_statement_that_was_skipped_after_a_failure_is_parsed_when_it_comes_again(
    running: InProcessService,
) -> None:
    """The server parses nothing of a pipeline after a failure, and the connection is used again."""
    database = PostgresDatabase(running.server)

    def work(connection: Connection) -> None:
        sql.ENQUEUE.run(connection, QueuedRow("keno-1", b"", 0))
        sql.SET_CLOSING.run(connection, where_name="keno-1")

    def close(connection: Connection) -> object:
        sql.SET_CLOSING.run(connection, where_name="keno-1")
        return connection.rows("SELECT pg_backend_pid()", ())

    with database.read() as connection:
        before = connection.rows("SELECT pg_backend_pid()", ())
    with pytest.raises(ServerFailure, match="queue_position"):
        database.write(work)
    assert not running.is_closing("keno-1")
    assert database.write(close) == before
    assert running.is_closing("keno-1")
    database.dispose()
