"""A database in PostgreSQL: what it promises as the SQLite file does, and what a server adds.

What the service does on both databases is in all other files (`tests.support.databases`).
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import psycopg
import pytest

from api.access.tokens import Role, TokenRefusedError, create_token, list_tokens, revoke_token, rotate_token
from api.http.view import PublicRounds
from api.log.recovery import RecoveryError
from api.programs.setup import initialise
from api.restore.rebuild import rebuild
from api.rounds.control import stop_tables
from api.rounds.reading import OutcomeFilter, ended_rounds, status_of_tables
from api.rounds.tables import TableRefusedError, add_table
from api.settings import Server, Settings, SettingsError
from api.sql.connection import Connection
from api.sql.database import Database
from api.sql.pipeline import PostgresConnection
from api.sql.pool import NoConnectionLeft, Pool
from api.sql.postgres import CONNECTIONS, PostgresDatabase, connect
from api.sql.refusals import in_words as in_words_of
from api.store import statements as sql
from api.store.guards import GUARD, GUARDS
from api.store.models import SCHEMA
from api.store.rows import KeptRow, QueuedRow, RoundRow, RoundStatus
from api.store.schema import disposed
from api.store.upgrade import schema_of, upgrade
from api.world.storage_failures import STORAGE_FAILURES, ServerFailure, in_words, is_damage
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PASSWORD, USER, PostgresServer
from tests.support.running_service import wait_until

PATIENCE = 30.0
TABLES = (("keno-1", "keno-express"), ("crash-1", "crash"))


@pytest.fixture
def running(tmp_path: Path, postgres: PostgresServer) -> Iterator[InProcessService]:
    """A service with two tables in a database of its own."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES, server=postgres)
    yield made
    made.stop()


def server_of(running: InProcessService) -> Server:
    """Where its database is."""
    assert running.settings.server is not None
    return running.settings.server


@pytest.fixture
def other(running: InProcessService) -> Iterator[PostgresDatabase]:
    """The same database, as another process has it."""
    made = PostgresDatabase(server_of(running))
    yield made
    made.dispose()


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

    A reveal by a process that has not locked the round reads it once more before.
    """
    rounds, trace = running.service.rounds, tmp_path / "trace"
    assert answers_awaited(running, trace, lambda: rounds.open("keno-1", 1)) == 2
    with running.background_paused():
        assert answers_awaited(running, trace, lambda: rounds.lock("keno-1", 1, None)) == 2
    running.settle()
    assert answers_awaited(running, trace, lambda: rounds.reveal("keno-1", 1)) == 2
    running.service.rounds.open("keno-1", 2)
    running.service.rounds.lock("keno-1", 2, None)
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
    # The round itself; then rounds, and their batches and salts.
    assert answers_awaited(running, trace, lambda: rounds.show("crash-1", 3)) == 4
    alone = PublicRounds(running.service.database, running.service.log)
    for number in (6, 5, 4):
        assert answers_awaited(running, trace, partial(rounds.show, "crash-1", number)) == 0
        assert rounds.show("crash-1", number) == alone.show("crash-1", number)
    for _ in range(2):
        assert answers_awaited(running, trace, lambda: rounds.show("crash-1", 7)) == 1
    assert "outcome" not in rounds.show("crash-1", 7)


def test_only_work_at_length_may_leave_the_server_idle(running: InProcessService) -> None:
    """A rebuild replays the whole log in one transaction: the server must not take it for one that was halted."""
    database = running.service.database

    def limit(connection: Connection) -> object:
        return connection.rows("SELECT current_setting('idle_in_transaction_session_timeout')", ())

    assert database.write(limit) == [("5s",)]
    assert database.write_at_length(limit) == [("0",)]
    assert database.write(limit) == [("5s",)]


def test_a_second_change_of_a_table_sees_all_of_the_first(
    running: InProcessService, other: PostgresDatabase, postgres: PostgresServer
) -> None:
    """It waits for the table's row, then reads what the first has committed, rows of rounds included."""
    begun = threading.Event()

    def first(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        sql.ONE_TABLE.one(connection, name="keno-1")
        begun.set()
        wait_until(lambda: waiting_for_a_lock(running, postgres) == 1, "the second change to wait")
        sql.INSERT_ROUND.run(connection, RoundRow("keno-1", 1, RoundStatus.OPEN, opened="now"))

    def second(connection: Connection) -> RoundRow | None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        found = sql.TABLE_AND_ROUND.one(connection, name="keno-1", round=1)
        return found.round

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(other.write, first)
        assert begun.wait(PATIENCE)
        # Another table waits for nobody.
        running.play("crash-1")
        seen = pool.submit(running.service.database.write, second).result(PATIENCE)
        holding.result(PATIENCE)
    assert seen is not None
    assert seen.opened == "now"


def test_who_is_halted_within_a_transaction_keeps_no_row(running: InProcessService, other: PostgresDatabase) -> None:
    """The server finds it idle, and ends its transaction: a leader that was halted there would keep the head for ever."""
    begun, woken = threading.Event(), threading.Event()

    def halted(connection: Connection) -> None:
        sql.TAKE_TABLE.run(connection, name="keno-1")
        sql.ONE_TABLE.one(connection, name="keno-1")
        begun.set()
        assert woken.wait(PATIENCE)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(other.write, halted)
        try:
            assert begun.wait(PATIENCE)
            running.play("keno-1")
        finally:
            woken.set()
        with pytest.raises(ServerFailure):
            holding.result(PATIENCE)


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
        assert done.wait(PATIENCE)

    with ThreadPoolExecutor(callers + 1) as pool:
        holding = pool.submit(other.write, hold)
        assert begun.wait(PATIENCE)
        calls = [pool.submit(running.service.rounds.open, "keno-1", 1) for _ in range(callers)]
        wait_until(lambda: waiting_for_a_lock(running, postgres) == 1, "the first of them to wait")
        running.play("crash-1")
        done.set()
        holding.result(PATIENCE)
        assert all(call.result(PATIENCE)["status"] == "open" for call in calls)
    running.check()


def test_a_connection_goes_to_the_call_that_has_waited_longest(running: InProcessService) -> None:
    """Not to the one that gives it back and asks for it again at once."""
    served = list[str]()
    pool = Pool(lambda: PostgresConnection(connect(server_of(running))), 1, PATIENCE)

    def take(name: str) -> None:
        connection = pool.take()
        served.append(name)
        pool.give_back(connection)

    with ThreadPoolExecutor(2) as threads:
        connection = pool.take()
        calls = []
        for place, name in enumerate(("first", "second")):
            calls.append(threads.submit(take, name))
            wait_until(lambda place=place: pool.waiting > place, f"the {name} to wait")  # type: ignore[misc]
        pool.give_back(connection)
        take("last")
        for call in calls:
            call.result(PATIENCE)
    pool.close()
    assert served == ["first", "second", "last"]


def test_a_place_of_a_connection_is_never_lost(running: InProcessService) -> None:
    """Neither by one that breaks, nor by a call that waits in vain, nor when none can be made."""
    address = server_of(running)
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


def waiting_for_a_lock(running: InProcessService, postgres: PostgresServer) -> int:
    """How many connections wait for another one's lock."""
    with postgres.administrator(server_of(running).name) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    assert found is not None
    return int(found[0])


def test_work_that_lost_against_another_is_done_again(running: InProcessService, other: PostgresDatabase) -> None:
    """No work of ours waits in a circle; if PostgreSQL ends one of two that do, it is repeated, and both are done."""
    both, tried = threading.Barrier(2), list[str]()

    def work(first: str, second: str) -> Callable[[Connection], None]:
        def close_both(connection: Connection) -> None:
            tried.append(first)
            sql.SET_CLOSING.count(connection, where_name=first)
            if len(tried) <= 2:
                both.wait(PATIENCE)
            sql.SET_CLOSING.count(connection, where_name=second)

        return close_both

    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(running.service.database.write, work("keno-1", "crash-1")),
            pool.submit(other.write, work("crash-1", "keno-1")),
        ]
        for call in calls:
            call.result(PATIENCE)
    assert len(tried) == 3
    assert running.is_closing("keno-1")
    assert running.is_closing("crash-1")


REFUSED = (
    "UPDATE batches SET first = 2",
    "DELETE FROM batches",
    "UPDATE rounds SET outcome = '{}'",
    "UPDATE rounds SET round = 7 WHERE status = 'open'",
    "UPDATE rounds SET locked = 'later' WHERE status = 'locked'",
    "UPDATE rounds SET status = 'won' WHERE status = 'open'",
    "DELETE FROM rounds",
    "UPDATE queue SET data = '\\x00'",
    "UPDATE queue SET position = 1 WHERE position = 0",
    "DELETE FROM queue WHERE position IS NULL",
    "INSERT INTO queue (\"table\", data, position) VALUES ('keno-1', '', 0)",
    "INSERT INTO rounds (\"table\", round, status, given_up) VALUES ('keno-1', 1, 'open', false)",
    "UPDATE appended SET position = 7",
    "DELETE FROM appended",
    "UPDATE tables SET lead = 1",
    "DELETE FROM tables",
    "UPDATE head SET size = size - 1",
    "DELETE FROM head",
    "INSERT INTO head (id, origin, size, root, noted) VALUES (2, '', 0, '', 0)",
    "UPDATE tokens SET role = 'operator'",
    "DELETE FROM tokens",
    "UPDATE journal SET who = 'nobody'",
    "DELETE FROM journal",
    "UPDATE rounds SET locked_by = 'me' WHERE status = 'locked'",
    "UPDATE rounds SET given = 1 WHERE status = 'locked'",
    "UPDATE head SET root = 'another'",
    "UPDATE tokens SET expires = NULL",
    "UPDATE tokens SET expires = '9999' || expires",
    "UPDATE tokens SET tables = '[]'",
    "UPDATE tokens SET account = 'aram'",
    "UPDATE tokens SET created = ''",
    *(f"TRUNCATE {table}" for table in SCHEMA.tables if table not in {"sessions", "signs"}),
    "UPDATE journal_head SET number = number - 1",
)


@pytest.mark.parametrize("statement", REFUSED)
def test_postgresql_refuses_to_change_what_stays(statement: str, running: InProcessService) -> None:
    """Whoever asks: one record per index, one round per number, and what was added is not changed or removed."""
    running.play("keno-1")
    running.open("keno-1", 2)
    running.open("crash-1", 1)
    with running.background_paused():
        running.service.rounds.lock("crash-1", 1, None)
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"], lifetime=timedelta(days=1))
    before = running.states()
    with (
        psycopg.connect(server_of(running).secret_address) as connection,
        pytest.raises((psycopg.errors.IntegrityError, psycopg.errors.CheckViolation)),
    ):
        connection.execute(statement.encode())
    assert running.states() == before


def test_a_guard_of_an_older_version_is_replaced(running: InProcessService) -> None:
    """By its text, not by its table: an older database refuses afterwards what a new one does."""
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"])
    database = running.service.database
    with psycopg.connect(server_of(running).secret_address, autocommit=True) as connection:
        (now,) = (name for name in GUARDS if name.startswith("tokens_update_guard"))
        connection.execute(f"DROP TRIGGER {now} ON tokens".encode())
        connection.execute(
            "CREATE TRIGGER tokens_update_guard BEFORE UPDATE ON tokens FOR EACH ROW"
            f" WHEN (OLD.role <> NEW.role) EXECUTE FUNCTION {GUARD}('older')".encode()
        )
        connection.execute("UPDATE tokens SET account = 'aram'")
        assert schema_of(database).lacks_guards
        upgrade(database)
        assert schema_of(database).is_current
        with pytest.raises(psycopg.errors.IntegrityError):
            connection.execute("UPDATE tokens SET account = 'ani'")
        found = connection.execute("SELECT tgname FROM pg_trigger WHERE tgrelid = 'tokens'::regclass").fetchall()
    assert {name for (name,) in found if name.startswith("tokens_update")} == {now}


def test_nothing_of_a_password_is_shown(running: InProcessService, tmp_path: Path, postgres: PostgresServer) -> None:
    """Not in a representation, nor in any sentence about an address that is wrong, or a server that refuses it."""
    assert PASSWORD not in repr(running.settings)
    assert PASSWORD not in str(running.settings.server)
    secret = "Zq1/Zq2#Zq3@Zq4"  # noqa: S105
    with pytest.raises(SettingsError) as misspelled:
        Server.parse(f"postgresql://{USER}:{secret}@127.0.0.1/service")
    assert not [part for part in re.split("[/#@]", secret) if part in str(misspelled.value)]
    for text, said in (
        (postgres.address("nowhere"), "does not exist"),
        (postgres.address("postgres").replace(PASSWORD, "an0ther-Secret"), "password authentication failed"),
        (postgres.address("postgres").replace(str(postgres.port), "1"), "Connection refused"),
        (postgres.address("postgres").replace("127.0.0.1", "no.such.host.invalid"), "no.such.host.invalid"),
        (postgres.address("postgres") + "?sslmode=require", "SSL"),
        (postgres.address("postgres") + "?no_such_option=1", "Look at the options after the question mark"),
    ):
        database = PostgresDatabase(Server.parse(text))
        with pytest.raises(ServerFailure) as caught:
            database.write(sql.QUEUE_LENGTH.one)
        told = in_words(caught.value, Settings(tmp_path))
        assert said in told
        assert PASSWORD not in told
        assert "an0ther-Secret" not in told
        assert caught.value.__cause__ is None
        database.dispose()


PLACE = "127.0.0.1:1/service"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://{USER}:se%41cret%zz@{PLACE}",
        f"postgresql://{USER}:hunter2%00x@{PLACE}",
        f"postgresql://{USER}:hunter2%@{PLACE}",
        f"postgresql://{PLACE}?password=hunter2",
        f"postgresql://{PLACE}?password=abc%zz",
        f"postgresql://{PLACE}?sslmode=require&p%61ssword=hunter2",
        f"postgresql://{PLACE}?sslpassword=hunter2",
        f"postgresql://{PLACE}?passfile=/hunter2",
        f"postgresql://{USER}:hunter2/service",
        "postgresql://127.0.0.1:port-hunter2/service",
        f"postgresql://{PLACE}?hunter2=%0",
    ],
)
def test_an_address_that_libpq_would_quote_is_refused(address: str) -> None:
    """Before libpq sees it, and without a part of it; what is not taken in the query has another way."""
    with pytest.raises(SettingsError) as caught:
        Server.parse(address)
    told = str(caught.value)
    assert not [part for part in ("se%41cret", "seAcret", "hunter2", "abc") if part in told]
    assert "is not taken in the address" in told or "what was found is not shown" in told


def test_both_spellings_of_a_password_are_masked(postgres: PostgresServer) -> None:
    """Whatever quotes it: the server, which knows what it means, or libpq, which has its spelling."""
    server = Server.parse(f"postgresql://{USER}:s%65cret%2Fword@{PLACE}")
    for spelling in ("s%65cret%2Fword", "secret/word"):
        assert "the word ***" in str(in_words_of(psycopg.OperationalError(f"the word {spelling}"), server))
    database = PostgresDatabase(Server.parse(postgres.address("postgres") + "?connect_timeout=hunter2&hunter2=1"))
    with pytest.raises(ServerFailure, match="libpq does not take the address") as caught, database.read():
        pass
    assert "hunter2" not in str(caught.value)
    database.dispose()


def test_several_hosts_can_be_named() -> None:
    """Of each its port, if it has another one, and addresses of IPv6; a socket's folder is written with %2F."""
    for place in ("a.example,b.example:5433/x", "[::1]:5432/x", "%2Frun%2Fpostgresql/x", "/x"):
        assert Server.parse(f"postgresql://{USER}@{place}").place == place


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer) -> None:
    """Without the variable it is the file of the folder; what is misspelled is refused, and not shown."""
    monkeypatch.delenv("FOREDRAW_DATABASE", raising=False)
    assert Settings.from_environment().server is None
    monkeypatch.setenv("FOREDRAW_DATABASE", postgres.address("service"))
    found = Settings.from_environment().server
    assert found is not None
    assert (found.place, found.name) == (f"127.0.0.1:{postgres.port}/service", "service")
    for other in ("mysql://a:b@c/d", postgres.address("service").replace("@", ""), "service", "postgresql://host"):
        monkeypatch.setenv("FOREDRAW_DATABASE", other)
        with pytest.raises(SettingsError, match="what was found is not shown") as caught:
            Settings.from_environment()
        assert PASSWORD not in str(caught.value)


def test_a_connection_that_was_cut_is_not_noticed_by_callers(
    running: InProcessService, postgres: PostgresServer
) -> None:
    """The server ended all connections while they were idle: the next calls make new ones, without an error."""
    running.play("keno-1")
    chosen = "FROM pg_stat_activity WHERE datname = %s"
    name = (server_of(running).name,)
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
    database = PostgresDatabase(server_of(running))
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {server_of(running).name} CONNECTION LIMIT 0".encode())
    with pytest.raises(STORAGE_FAILURES, match="has no connection left"):
        database.write(sql.QUEUE_LENGTH.one)
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {server_of(running).name} CONNECTION LIMIT -1".encode())
    assert database.write(sql.QUEUE_LENGTH.one) == 0
    database.dispose()


def test_a_commit_that_fails_is_not_taken_for_one(running: InProcessService) -> None:
    """What a statement of a pipeline refused ends the transaction, even if nobody looked; nothing of it is stored."""

    def work(connection: Connection) -> None:
        sql.SET_CLOSING.run(connection, where_name="crash-1")
        sql.ENQUEUE.run(connection, QueuedRow("keno-1", b"", 0))

    with pytest.raises(ServerFailure, match="queue_position") as caught:
        running.service.database.write(work)
    assert not is_damage(caught.value)
    assert not running.is_closing("crash-1")


def test_names_are_taken_once(running: InProcessService, other: PostgresDatabase) -> None:
    """Of several who make a table or a token of one name at the same time, one succeeds, and the others are told."""
    service, ready = running.service, threading.Barrier(4)

    def make(_: object) -> str:
        ready.wait(PATIENCE)
        try:
            add_table(service.writer, "hi-lo-1", "hi-lo")
        except TableRefusedError as error:
            return error.field
        return ""

    def name(_: object) -> str:
        ready.wait(PATIENCE)
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
    with psycopg.connect(server_of(running).secret_address) as connection:
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
        return [call.result(PATIENCE) for call in calls]


def waits_are(running: InProcessService, postgres: PostgresServer, number: int) -> bool:
    """Whether so many connections wait for another one's lock."""
    return waiting_for_a_lock(running, postgres) == number


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


def test_values_are_compared_as_in_the_file(running: InProcessService) -> None:
    """Names by their bytes, and numbers beyond 2^31; whatever the server's own rules are."""
    far = (1 << 40) + 1
    for name in ("a-b", "ab", "a1"):
        add_table(running.service.writer, name, "crash")
    with running.service.database.read() as connection:
        assert [row.name for row in sql.ALL_TABLES.all(connection)] == ["a-b", "a1", "ab", "crash-1", "keno-1"]
    running.service.database.write(
        lambda connection: sql.INSERT_ROUND.run(connection, RoundRow("ab", far, RoundStatus.OPEN, opened="now"))
    )
    assert running.status("ab", far) == "open"


OUTCOMES = (
    """{"multiplier":"1.15"}""",
    """{"multiplier":"20.00"}""",
    """{"cards":["Q red","7 (x)"],"note":"a.b|c"}""",
    """{"dice":[6,6,1]}""",
    """{"dice":[16,1,2]}""",
)
WANTED = (
    OutcomeFilter(),
    OutcomeFilter(least_hundredths=115),
    OutcomeFilter(least_hundredths=116, most_hundredths=1 << 40),
    OutcomeFilter(most_hundredths=115),
    OutcomeFilter(status="void"),
    OutcomeFilter(words=("6",)),
    OutcomeFilter(words=("red", "q")),
    OutcomeFilter(words=("(x)",)),
    OutcomeFilter(words=("a.b|c",)),
    OutcomeFilter(words=("axb|c",)),
    OutcomeFilter(words=("[6", "*")),
)


def test_both_databases_find_the_same_outcomes(tmp_path: Path, postgres: PostgresServer) -> None:
    """Whatever is asked for: a status, values in an outcome, a range of multipliers, from both ends."""
    found = []
    for server in (None, postgres):
        made = InProcessService.create(tmp_path / str(server is None), server=server)
        rows = [
            RoundRow("t", number, status, opened="a", locked="b", outcome=outcome, seeds="[]", code="c")
            for number, outcome in enumerate(OUTCOMES, 1)
            for status in [RoundStatus.VOID if number % 2 else RoundStatus.PLAYED]
        ]
        made.service.database.write(partial(sql.INSERT_ROUND.run_many, rows=rows))
        found.append(
            [
                ended_rounds(made.service.database, "t", range(1, 9), wanted, newest_first=newest, limit=4)
                for wanted in WANTED
                for newest in (False, True)
            ]
        )
        made.stop()
    assert found[0] == found[1]
    assert {len(rows) for rows in found[0]} >= {0, 1, 2, 4}


def test_a_database_is_initialised_once(running: InProcessService, tmp_path: Path, postgres: PostgresServer) -> None:
    """A second service gets no database that holds a log, and leaves nothing behind in its folder."""
    with pytest.raises(SettingsError, match=r"holds the log fore\.example/log already"):
        initialise(Settings(tmp_path / "second", server=running.settings.server), "second.example/log")
    assert not (tmp_path / "second").exists()
    empty = Settings(running.settings.folder, server=postgres.new_database())
    assert empty.server is not None
    database = PostgresDatabase(empty.server)
    with pytest.raises(STORAGE_FAILURES, match="Run `foredraw init` for a new log"):
        database.write(sql.QUEUE_LENGTH.one)
    database.dispose()


def test_an_older_database_is_rolled_forward(running: InProcessService, postgres: PostgresServer) -> None:
    """A copy from yesterday is refused; a rebuild keeps its tokens and settings, and the old tables beside the new ones."""
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"])
    running.play("keno-1")
    running.settle()
    running.stop()
    yesterday = postgres.new_database(server_of(running).name)
    running.start()
    running.play("keno-1", 2)
    running.play("crash-1", 2)
    running.settle()
    before = running.states()
    running.stop()
    running.settings = replace(running.settings, server=yesterday)
    with pytest.raises(RecoveryError, match="Run `foredraw rebuild`"):
        running.start()
    for _ in range(2):
        assert rebuild(running.settings).lost == []
    running.start()
    assert running.states() == before
    assert [row.name for row in list_tokens(running.service.database)] == ["ani"]
    running.play("keno-1", 2)
    running.check()
    with postgres.administrator(yesterday.name) as connection:
        kept = connection.execute(
            "SELECT (SELECT size FROM foredraw_before_rebuild_1.head), (SELECT size FROM foredraw_before_rebuild_2.head),"
            " (SELECT size FROM head)"
        ).fetchone()
        with pytest.raises(psycopg.errors.IntegrityError):
            connection.execute("DELETE FROM rounds")
    assert kept is not None
    assert kept[0] < kept[1] < kept[2]


def test_a_lost_database_is_made_again_from_the_log(running: InProcessService, postgres: PostgresServer) -> None:
    """In an empty one; what the log does not have is named. A server that is away is no lost database."""
    running.play("keno-1")
    running.settle()
    running.stop()
    away = Server.parse(server_of(running).secret_address.replace(str(postgres.port), "1"))
    with pytest.raises(ServerFailure, match="cannot be reached"):
        rebuild(replace(running.settings, server=away))
    running.settings = replace(running.settings, server=postgres.new_database())
    made = rebuild(running.settings)
    assert "tokens: all of them" in made.lost
    assert made.unknown == ["the old database: it is empty, or another program's"]
    running.start()
    running.play("keno-1")
    running.check()


def test_a_call_that_hangs_keeps_others_on_its_table_for_seconds_only(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They get a sentence, other tables are played, and all goes on when the server answers again."""
    monkeypatch.setattr("api.sql.postgres._TURN_SECONDS", 0.1)
    database, begun, done = running.service.database, threading.Event(), threading.Event()

    def hang(connection: Connection) -> None:
        sql.QUEUE_LENGTH.one(connection)
        begun.set()
        assert done.wait(PATIENCE)

    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(database.write, hang, "keno-1")
        assert begun.wait(PATIENCE)
        with pytest.raises(ServerFailure, match="keno-1 waits for another call on it"):
            running.service.rounds.open("keno-1", 1)
        running.play("crash-1")
        done.set()
        hanging.result(PATIENCE)
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
    name = server_of(running).name
    with postgres.administrator() as connection:
        connection.execute(f"ALTER DATABASE {name} SET temp_file_limit = '1MB'".encode())
    with disposed(PostgresDatabase(server_of(running))) as limited:
        with limited.read() as connection:
            assert connection.rows("SHOW temp_file_limit", ()) == [("1MB",)]
        limited.check_writable()


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
    """Its connection stands, and nothing comes: the call gives up, others go on, and the table when the halted one does."""
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


def test_a_refused_statement_costs_no_connection(running: InProcessService) -> None:
    """A NUL in a name is refused by the driver, and a second row of a key by PostgreSQL: the connection is used again."""
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
    database = PostgresDatabase(server_of(running))

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
