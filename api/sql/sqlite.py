"""The embedded database: one SQLite file in WAL mode, with full durability.

A read sees the last committed state and never waits. Writes of one process are committed as a group (group commit):
one caller, the leader, runs the work of all waiting callers in one transaction. If one caller's work fails, the rest
is done again without it. The next leader is the first that queued meanwhile. Between processes a lock of ours keeps
order; SQLite's own would sleep and poll. So if SQLite's own is taken while we have ours, another program holds the
file: nothing can be changed, and that is noted for all processes in the file of our lock. Two things can block for
long, that lock and the commit: both go through `offload`, so that a process that answers all its callers on one
thread keeps serving the others.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import SQLITE_BUSY, OperationalError
from sqlite3 import Connection as DriverConnection
from sqlite3 import Error as DriverError
from sqlite3 import connect as connect_driver
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection as Alchemy
from sqlalchemy import NullPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from api.sql.connection import Connection, Engine, Parameters
from api.sql.database import HELD_SECONDS, Database
from api.sql.same_file import SameFile
from api.world.cooperation import Offload, inline
from api.world.file_lock import FileLock

_BUSY_MS = 10_000
_NOTED_SECONDS = 15.0
"""So long it counts that another program was seen to hold the file. It is looked for each second, unless a change
waits for it meanwhile: one that begins to wait just before it is noted, notes it itself, 13 seconds after the
beginning.
"""
_WAL_PAGES = 4000
_MOST_AT_ONCE = 64

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SqliteConnection(Connection):
    """An open connection to a file."""

    engine = Engine.SQLITE
    driver: DriverConnection

    def rows(self, sql: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        return self.driver.execute(sql, parameters).fetchall()

    def run(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement."""
        self.driver.execute(sql, parameters)

    def changed(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        return self.driver.execute(sql, parameters).rowcount

    def run_many(self, sql: str, each: Iterable[Parameters]) -> None:
        """Run a statement with each of many sets of parameters."""
        self.driver.executemany(sql, each)


def connect(path: Path, factory: type[DriverConnection] = DriverConnection) -> SqliteConnection:
    """Open a database file, in WAL mode and with full durability; each statement stands alone unless a transaction is
    begun.
    """
    driver = connect_driver(path, isolation_level=None, check_same_thread=False, factory=factory)
    driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    driver.execute("PRAGMA journal_mode = WAL")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
    return SqliteConnection(driver)


def _held() -> OperationalError:
    """Return what the driver raises after it has waited."""
    error = OperationalError("database is locked")
    error.sqlite_errorcode = SQLITE_BUSY
    return error


def _is_of_another_program(error: BaseException | None) -> bool:
    """Return whether SQLite's own lock was taken while we had ours."""
    return isinstance(error, OperationalError) and getattr(error, "sqlite_errorcode", 0) & 0xFF == SQLITE_BUSY


def _held_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(slots=True)
class _Task(Generic[Result]):
    """A piece of work, and what became of it."""

    work: Callable[[Connection], Result]
    done: bool = False
    result: Result | None = None
    error: BaseException | None = None
    woken: threading.Lock = field(default_factory=_held_lock)
    """Let go of once: when the work is done, or when this one writes for the next group."""


class SqliteDatabase(Database):
    """The one way to a file's rows."""

    system = "sqlite"

    def __init__(self, path: Path, lock: Path, offload: Offload = inline) -> None:
        self.path = path
        self._offload = offload
        self._same = SameFile(path)
        self._between_processes = FileLock(lock, offload)
        self._waiting: deque[_Task[object]] = deque()
        self._queue = threading.Lock()
        self._has_writer = False
        self._held_since: float | None = None
        """Since when every look has found another program (monotonic clock)."""
        self._writer: SqliteConnection | None = None
        self._idle_readers: deque[SqliteConnection] = deque()

    @contextmanager
    def read(self) -> Iterator[SqliteConnection]:
        """Lend a connection for reading; each statement sees what is committed when it runs."""
        try:
            connection = self._idle_readers.pop()
        except IndexError:
            connection = self._opened()
        try:
            with self._part("read"):
                yield connection
        except DriverError:
            # Whatever is wrong with this connection, the next read gets another.
            connection.driver.close()
            raise
        except BaseException:
            self._idle_readers.append(connection)
            raise
        self._idle_readers.append(connection)

    def write(self, work: Callable[[Connection], Result], lock_name: str = "") -> Result:  # noqa: ARG002 -- PostgreSQL uses it
        """Do ``work`` in a transaction; all work is done one after the other, whatever its name."""
        task = _Task(work)
        with self._part("write"):
            with self._queue:
                self._waiting.append(cast("_Task[object]", task))
                is_writer, self._has_writer = not self._has_writer, True
            if not is_writer:
                # Woken once, with the work done or as the writer: a lock that all wait for would wake them one by
                # one.
                task.woken.acquire()
            if not task.done:
                self._write_group()
        if task.error is not None:
            raise task.error
        return cast("Result", task.result)

    def write_if_free(self, work: Callable[[Connection], object]) -> None:
        """Do ``work`` in a transaction of its own, unless a thread or a process is writing."""
        task: _Task[object] = _Task(work)
        with self._part("write"), self._writer_if_free() as is_free:
            if is_free:
                self._write_at_once([task])
        if task.error is not None:
            raise task.error

    def check_writable(self) -> None:
        """Raise `ServerFailure` if another file has its name, or what a change would raise because another program
        holds it.

        Its disk is looked at elsewhere.
        """
        self._same.check()
        noted = self._between_processes.noted()
        if noted.isdigit() and 0 <= time.monotonic_ns() - int(noted) < _NOTED_SECONDS * 1e9:
            raise _held()

    def look_whether_held(self) -> None:
        """Try to begin a change, unless one is being made, and note for all processes whether another program holds
        the file.

        Raises what a change would raise, if it has held it for seconds.
        """
        with self._writer_if_free() as is_free:
            if not is_free:
                # The change that is being made notes it.
                self._held_since = None
            elif self._can_begin():
                self._held_since = None
                if self._between_processes.noted():
                    self._between_processes.note(b"")
            else:
                self._held_since = self._held_since or time.monotonic()
                if time.monotonic() - self._held_since >= HELD_SECONDS:
                    self._note_held()
                    raise _held()

    def prepare(self) -> None:
        """Make an empty file, if there is none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch(mode=0o600)

    def alter(self, work: Callable[[Alchemy], None]) -> None:
        """Do ``work`` in a transaction of its own."""
        self.prepare()
        engine = create_engine("sqlite://", creator=lambda: self._connect().driver, poolclass=NullPool)
        # The driver itself would begin only with the first change of a row, after changes of the schema.
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        try:
            with self._between_processes.held(), engine.begin() as connection:
                work(connection)
        except DBAPIError as error:
            raise error.orig or error from None

    def dispose(self) -> None:
        """Close all connections and the lock's file: nothing can be written any more."""
        with self._between_processes.held():
            if self._writer is not None:
                self._writer.driver.close()
                self._writer = None
        while self._idle_readers:
            self._idle_readers.pop().driver.close()
        self._between_processes.close()

    def _connect(self) -> SqliteConnection:
        return connect(self.path)

    def _opened(self) -> SqliteConnection:
        """Return a connection to the file that this service has. Raises `ServerFailure`."""
        self._same.check()
        connection = self._connect()
        self._same.check()
        return connection

    def _write_group(self) -> None:
        """Write one transaction for what has come together, most of it while waiting for the lock; then the next one
        writes.
        """
        tasks: list[_Task[object]] = []
        try:
            with self._between_processes.held():
                tasks = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST_AT_ONCE))]
                self._write_at_once(tasks)
        except BaseException as error:  # noqa: BLE001 -- each caller gets it
            # Report to every caller that was taken from the queue, because nobody else will do its work; without the
            # lock, to this one.
            tasks = tasks or [self._waiting.popleft()]
            for task in tasks:
                task.error = task.error or error
        self._pass_on()
        for task in tasks:
            task.done = True
            task.woken.release()

    @contextmanager
    def _writer_if_free(self) -> Iterator[bool]:
        """Become the writer and have the lock, unless a thread or a process is writing; says whether they are had."""
        with self._queue:
            is_writer, self._has_writer = not self._has_writer, True
        if not is_writer:
            yield False
            return
        try:
            with self._between_processes.held_if_free() as is_held:
                yield is_held
        finally:
            self._pass_on()

    def _write_at_once(self, tasks: list[_Task[object]]) -> None:
        """Write one transaction, for the writer, who has the lock."""
        _write(self._own_writer(), tasks, self._offload)
        if any(_is_of_another_program(task.error) for task in tasks):
            self._note_held()

    def _own_writer(self) -> SqliteConnection:
        """Return the connection for changes, to the file that this service has. Raises `ServerFailure`."""
        if self._writer is None:
            self._writer = self._opened()
        self._same.check()
        return self._writer

    def _can_begin(self) -> bool:
        """Return whether no other program holds the file at this moment; for the writer, who has the lock."""
        driver = self._own_writer().driver
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            driver.execute("BEGIN IMMEDIATE")
            driver.execute("ROLLBACK")
        except OperationalError as error:
            if _is_of_another_program(error):
                return False
            raise
        finally:
            driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        return True

    def _note_held(self) -> None:
        # A full disk reports itself.
        with suppress(OSError):
            self._between_processes.note(b"%d" % time.monotonic_ns())

    def _pass_on(self) -> None:
        with self._queue:
            self._has_writer = bool(self._waiting)
            if self._has_writer:
                self._waiting[0].woken.release()


def _write(connection: SqliteConnection, tasks: list[_Task[object]], offload: Offload) -> None:
    """Do all work in one transaction. If it fails as a whole, every caller gets the error: none of the work may be
    stored.
    """
    driver = connection.driver
    try:
        driver.execute("BEGIN IMMEDIATE")
        # Work that is refused has hardly ever changed anything by then, and needs no savepoint.
        if not all(_run(task, connection, driver) for task in tasks):
            driver.execute("ROLLBACK")
            driver.execute("BEGIN IMMEDIATE")
            for task in tasks:
                _run_behind_savepoint(task, connection, driver)
        offload(lambda: driver.execute("COMMIT"))
    except BaseException as error:  # noqa: BLE001 -- each caller gets it
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        for task in tasks:
            task.error = task.error or error


def _run(task: _Task[object], connection: Connection, driver: DriverConnection) -> bool:
    """Do one piece of work. False if it was broken off with something changed already."""
    before = driver.total_changes
    task.result, task.error = None, None
    try:
        task.result = task.work(connection)
    except BaseException as error:  # noqa: BLE001 -- each caller gets it
        task.error = error
    return task.error is None or driver.total_changes == before


def _run_behind_savepoint(task: _Task[object], connection: Connection, driver: DriverConnection) -> None:
    """Do one piece of work behind a savepoint; if it fails, undo it."""
    driver.execute("SAVEPOINT work")
    if not _run(task, connection, driver):
        driver.execute("ROLLBACK TO work")
    driver.execute("RELEASE work")
