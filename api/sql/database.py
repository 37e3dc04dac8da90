"""The database: SQLite in WAL mode with full durability.

A read sees the last committed state and never waits. Writes of one process come together: whoever
has the turn does the work of all that wait for it in one transaction, so that one commit serves
many callers; a failure hurts only its own, for then the rest is done again without it. The first of
those who come meanwhile has the turn next.
Between processes a lock of ours keeps order, where SQLite's own would sleep and poll.
Two things can block for long, that lock and the commit: both go through `offload`, so that a process that
answers all its callers on one thread goes on with the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import Connection as DriverConnection
from sqlite3 import Error as DriverError
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool
from sqlmodel import SQLModel

from api.sql.prepared import driver_of
from api.world.cooperation import Offload, inline
from api.world.file_lock import FileLock

_BUSY_MS = 10_000
_MOST_AT_ONCE = 64
_WAL_PAGES = 4000

Result = TypeVar("Result")


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
    """Let go of once: when the work is done, or when it is this one's turn."""


class Database:
    """The one way to the database's rows."""

    def __init__(self, path: Path, lock: Path, offload: Offload = inline) -> None:
        self.path = path
        self._offload = offload
        self._between_processes = FileLock(lock, offload)
        self._engine = _engine(path)
        self._waiting: deque[_Task[object]] = deque()
        self._queue = threading.Lock()
        self._turn_is_taken = False
        self._writer: Connection | None = None
        self._idle_readers: deque[Connection] = deque()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading; each statement sees what is committed when it runs."""
        try:
            connection = self._idle_readers.pop()
        except IndexError:
            connection = self._engine.connect()
        try:
            yield connection
        except (DriverError, DBAPIError):
            # Whatever is wrong with this connection, the next read gets another.
            connection.close()
            raise
        except BaseException:
            self._idle_readers.append(connection)
            raise
        self._idle_readers.append(connection)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do ``work`` in a transaction. When this returns, it is durable; when work raises, nothing happened.

        Should the commit itself raise, the effect may have happened.
        """
        task = _Task(work)
        with self._queue:
            self._waiting.append(cast("_Task[object]", task))
            has_turn, self._turn_is_taken = not self._turn_is_taken, True
        if not has_turn:
            # Woken once, with the work done or with the turn: a lock that all wait for would wake them one by one.
            task.woken.acquire()
        if not task.done:
            self._write_group()
        if task.error is not None:
            raise task.error
        return cast("Result", task.result)

    def create(self) -> None:
        """Create what is missing of the schema: all of it, or what a newer version brings."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch(mode=0o600)
        SQLModel.metadata.create_all(self._engine)
        for table in SQLModel.metadata.tables.values():
            self._add_columns(table)
            for index in table.indexes:
                index.create(self._engine, checkfirst=True)

    def _add_columns(self, table: Table) -> None:
        known = {column["name"] for column in inspect(self._engine).get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                kind = column.type.compile(self._engine.dialect)
                with self._engine.connect() as connection:
                    connection.exec_driver_sql(f'ALTER TABLE {table.name} ADD COLUMN "{column.name}" {kind}')

    def dispose(self) -> None:
        """Close all connections and the lock's file: nothing can be written any more."""
        with self._between_processes.held():
            if self._writer is not None:
                self._writer.close()
                self._writer = None
        while self._idle_readers:
            self._idle_readers.pop().close()
        self._engine.dispose()
        self._between_processes.close()

    def _write_group(self) -> None:
        """One transaction for what has come together, most of it while waiting for the lock; then the next has the turn."""
        tasks: list[_Task[object]] = []
        try:
            with self._between_processes.held():
                tasks = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST_AT_ONCE))]
                if self._writer is None:
                    self._writer = self._engine.connect()
                _write(self._writer, tasks, self._offload)
        except BaseException as error:  # noqa: BLE001
            # Whoever was taken from the queue is told, for nobody else will do the work; without the lock, this one.
            tasks = tasks or [self._waiting.popleft()]
            for task in tasks:
                task.error = task.error or error
        with self._queue:
            self._turn_is_taken = bool(self._waiting)
            if self._turn_is_taken:
                self._waiting[0].woken.release()
        for task in tasks:
            task.done = True
            task.woken.release()


def _write(connection: Connection, tasks: list[_Task[object]], offload: Offload) -> None:
    """Do all work in one transaction. Where it fails as a whole everybody is told: nobody's work may be there."""
    driver = driver_of(connection)
    try:
        driver.execute("BEGIN IMMEDIATE")
        # Work that is refused has hardly ever changed anything by then, and needs no savepoint.
        if not all(_run(task, connection, driver) for task in tasks):
            driver.execute("ROLLBACK")
            driver.execute("BEGIN IMMEDIATE")
            for task in tasks:
                _run_behind_savepoint(task, connection, driver)
        offload(lambda: driver.execute("COMMIT"))
    except BaseException as error:  # noqa: BLE001
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
    except BaseException as error:  # noqa: BLE001
        task.error = error
    return task.error is None or driver.total_changes == before


def _run_behind_savepoint(task: _Task[object], connection: Connection, driver: DriverConnection) -> None:
    """Do one piece of work behind a savepoint; where it is broken off, as if it had not begun."""
    driver.execute("SAVEPOINT work")
    if not _run(task, connection, driver):
        driver.execute("ROLLBACK TO work")
    driver.execute("RELEASE work")


def _engine(path: Path) -> Engine:
    # Each statement of a reader stands alone, so a connection is closed without a rollback.
    engine = create_engine(
        f"sqlite:///{path}",
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        poolclass=NullPool,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: DriverConnection, _entry: ConnectionPoolEntry) -> None:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")

    return engine
