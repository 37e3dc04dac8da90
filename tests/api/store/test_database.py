"""Group commit: each caller gets the result of its own work."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from api.sql.connection import Connection
from api.sql.database import Database
from api.sql.sqlite import SqliteConnection, SqliteDatabase
from api.world.storage_failures import DatabaseFailure
from tests.support.faulty_world import Fault, Faults, FaultyDatabase, When

pytestmark = pytest.mark.both_databases("transactions are the database's")

PATIENCE = 30.0
CALLERS = 24


@pytest.fixture
def faults() -> Faults:
    """No faults, until they are armed."""
    return Faults(only="commit", fatal=False)


@pytest.fixture
def database(tmp_path: Path, faults: Faults) -> Iterator[FaultyDatabase]:
    """A database with a table of notes."""
    made = FaultyDatabase(tmp_path / "notes.db", tmp_path / "write.lock", faults)
    made.write(lambda connection: connection.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT)"))
    yield made
    made.dispose()


def note(text: object) -> Callable[[Connection], int]:
    """The work of writing a note; returns its number."""

    def work(connection: Connection) -> int:
        ((number,),) = connection.rows("INSERT INTO notes (note) VALUES (?) RETURNING id", (str(text),))
        return int(number)

    return work


def notes(database: Database) -> list[str]:
    """All notes, in order."""
    with database.read() as connection:
        return [note for (note,) in connection.rows("SELECT note FROM notes ORDER BY id", ())]


def test_a_write_that_returned_is_there(database: FaultyDatabase) -> None:
    """The result is that of the work, and a read sees the write at once."""
    assert database.write(note("a")) == 1
    assert notes(database) == ["a"]


def test_work_that_fails_hurts_only_its_own_caller(database: FaultyDatabase) -> None:
    """Among many, a caller whose work raises gets the error and leaves no partial write; the others are written."""
    ready = threading.Barrier(CALLERS)

    def call(number: int) -> str:
        def work(connection: Connection) -> str:
            note(number)(connection)
            if number % 3 == 0:
                raise LookupError(number)
            note(f"{number} again")(connection)
            return str(number)

        ready.wait(PATIENCE)
        return database.write(work)

    with ThreadPoolExecutor(CALLERS) as pool:
        calls = [pool.submit(call, number) for number in range(CALLERS)]
        for number, called in enumerate(calls):
            if number % 3 == 0:
                with pytest.raises(LookupError, match=f"^{number}$"):
                    called.result(PATIENCE)
            else:
                assert called.result(PATIENCE) == str(number)
    good = [str(number) for number in range(CALLERS) if number % 3]
    assert sorted(notes(database)) == sorted(good + [f"{number} again" for number in good])


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_that_fails_is_reported_to_everybody_whose_work_it_was(
    when: When, database: FaultyDatabase, faults: Faults
) -> None:
    """No caller returns as if its write were durable when it is not; and the next commit works."""
    begun, opened = [threading.Event() for _ in range(CALLERS)], threading.Event()

    def first(connection: Connection) -> None:
        opened.set()
        # While this transaction is open, the others queue behind it.
        assert all(event.wait(PATIENCE) for event in begun)
        note("first")(connection)

    def call(number: int) -> str:
        begun[number].set()
        try:
            database.write(note(number))
        except Fault:
            return "failed"
        return "there"

    faults.arm(2, when)
    with ThreadPoolExecutor(CALLERS + 1) as pool:
        pool.submit(database.write, first)
        assert opened.wait(PATIENCE)
        fates = list(pool.map(call, range(CALLERS)))
    found = set(notes(database))
    assert {number for number, fate in enumerate(fates) if fate == "there"} <= {int(x) for x in found - {"first"}}
    assert "failed" in fates
    if when == "before":
        assert not found & {str(number) for number, fate in enumerate(fates) if fate == "failed"}
    else:
        assert found == {"first", *map(str, range(CALLERS))}
    database.write(note("later"))
    assert notes(database)[-1] == "later"


def test_the_order_of_writes_is_kept(database: FaultyDatabase) -> None:
    """A write that returned before another began comes before it."""
    found: list[tuple[int, int, int]] = []

    def call() -> None:
        for _ in range(20):
            begun = time.monotonic_ns()
            number = database.write(note(""))
            found.append((begun, time.monotonic_ns(), number))

    with ThreadPoolExecutor(8) as pool:
        for called in [pool.submit(call) for _ in range(8)]:
            called.result(PATIENCE)
    assert len(found) == 160
    for _, ended, number in found:
        assert all(number < later for begun, _, later in found if begun > ended)


_ADD = """
import sys
from pathlib import Path
from api.sql.connection import Connection
from api.sql.sqlite import SqliteDatabase
from tests.api.store.test_database import add
add(SqliteDatabase(Path(sys.argv[1]), Path(sys.argv[2])), 150)
"""


def add(database: Database, times: int) -> None:
    """Increment a number that others also increment: read it, and write the next."""

    def work(connection: Connection) -> None:
        ((count,),) = connection.rows("SELECT note FROM notes WHERE id = 1", ())
        connection.run("UPDATE notes SET note = ? WHERE id = 1", (str(int(count) + 1),))

    for _ in range(times):
        database.write(work)


def test_two_processes_write_one_after_the_other(database: FaultyDatabase, tmp_path: Path) -> None:
    """What one process reads in a transaction, no other process changes before the write."""
    database.write(note(0))
    arguments = [sys.executable, "-c", _ADD, str(database.path), str(tmp_path / "write.lock")]
    with subprocess.Popen(arguments) as other, ThreadPoolExecutor() as pool:
        for called in [pool.submit(add, database, 50) for _ in range(4)]:
            called.result(PATIENCE)
        assert other.wait(PATIENCE) == 0
    assert notes(database) == ["350"]


def test_a_connection_that_fails_once_keeps_nobody_waiting(
    database: FaultyDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The callers of the failed group get the error; the work of all others is done."""
    later, tried, ready = SqliteDatabase(database.path, tmp_path / "write.lock"), [0], threading.Barrier(CALLERS)
    connect = later._connect

    def fail_once() -> SqliteConnection:
        tried[0] += 1
        if tried[0] == 1:
            raise Fault("the first connection")
        return connect()

    monkeypatch.setattr(later, "_connect", fail_once)
    there: list[str] = []

    def call(number: int) -> None:
        ready.wait(PATIENCE)
        with suppress(Fault):
            later.write(note(number))
            there.append(str(number))

    callers = [threading.Thread(target=call, args=[number], daemon=True) for number in range(CALLERS)]
    join_all(callers)
    assert sorted(notes(database)) == sorted(there)
    assert tried[0] >= 1
    later.dispose()


def test_a_lock_that_cannot_be_had_keeps_nobody_waiting(
    database: FaultyDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leader of the group gets the error that the lock was refused, and passes the leadership on."""
    refused = SqliteDatabase(database.path, tmp_path / "write.lock")
    held, times = refused._between_processes.held, iter(range(CALLERS))

    def refuse() -> AbstractContextManager[None]:
        if next(times, 1) % 2 == 0:
            raise Fault("no lock")
        return held()

    monkeypatch.setattr(refused._between_processes, "held", refuse)
    told: list[str] = []

    def call(number: int) -> None:
        try:
            refused.write(note(number))
        except Fault:
            told.append(str(number))

    join_all([threading.Thread(target=call, args=[number], daemon=True) for number in range(CALLERS)])
    assert told
    assert sorted(notes(database) + told) == sorted(str(number) for number in range(CALLERS))
    monkeypatch.undo()
    refused.dispose()


def join_all(callers: list[threading.Thread]) -> None:
    """Start threads, and check that all of them end."""
    for caller in callers:
        caller.start()
    deadline = time.monotonic() + PATIENCE
    for caller in callers:
        caller.join(max(0.0, deadline - time.monotonic()))
    assert not any(caller.is_alive() for caller in callers)


def test_a_database_that_cannot_be_opened_tells_everybody(tmp_path: Path) -> None:
    """If there is no file to write to, every caller gets the error, and none waits for ever."""
    database = SqliteDatabase(tmp_path / "nowhere" / "notes.db", tmp_path / "write.lock")
    ready = threading.Barrier(CALLERS)

    def call() -> None:
        ready.wait(PATIENCE)
        with pytest.raises(DatabaseFailure, match="unable to open"):
            database.write(note(""))

    join_all([threading.Thread(target=call, daemon=True) for _ in range(CALLERS)])
    database.dispose()
