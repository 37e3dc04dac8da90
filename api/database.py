"""The database: SQLite in WAL mode with full durability.

A read sees the last committed state and never waits. All writes of a process are done by one thread
of it: what has come together while it waited for the disk becomes one transaction, each piece of
work behind a savepoint of its own, so that one commit serves many callers and a failure hurts only
its own. Between processes a lock of ours keeps order, where SQLite's own would sleep and poll.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from sqlite3 import Connection as DriverConnection
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import SQLModel

from api.world import FileLock

_BUSY_MS = 10_000
_MOST_AT_ONCE = 64
_WAL_PAGES = 4000

Result = TypeVar("Result")


@dataclass(slots=True)
class _Task(Generic[Result]):
    """A piece of work, and what became of it."""

    work: Callable[[Connection], Result]
    done: threading.Event = field(default_factory=threading.Event)
    result: Result | None = None
    error: BaseException | None = None


class Database:
    """The one way to the database's rows."""

    def __init__(self, path: Path, lock: Path) -> None:
        self.path = path
        self._between_processes = FileLock(lock)
        self._engine = _engine(path)
        self._tasks: SimpleQueue[_Task[object] | None] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._starting = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading; each statement sees what is committed when it runs."""
        with self._engine.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do ``work`` in a transaction. When this returns, it is durable; when work raises, nothing happened.

        Should the commit itself raise, the effect may have happened.
        """
        task = _Task(work)
        self._start()
        self._tasks.put(cast("_Task[object]", task))
        task.done.wait()
        if task.error is not None:
            raise task.error
        return cast("Result", task.result)

    def create(self) -> None:
        """Create what is missing of the schema."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        SQLModel.metadata.create_all(self._engine)

    def dispose(self) -> None:
        """Finish what is being written, and close all connections."""
        with self._starting:
            if self._writer is not None:
                self._tasks.put(None)
                self._writer.join()
                self._writer = None
        self._engine.dispose()

    def _start(self) -> None:
        if self._writer is None:
            with self._starting:
                if self._writer is None:
                    self._writer = threading.Thread(target=self._write_until_told, name="writer", daemon=True)
                    self._writer.start()

    def _write_until_told(self) -> None:
        with self._engine.connect() as connection:
            more = True
            while more and (first := self._tasks.get()) is not None:
                with self._between_processes.held():
                    tasks, more = self._group(first)
                    _write_group(connection, tasks)
                for task in tasks:
                    task.done.set()

    def _group(self, first: _Task[object]) -> tuple[list[_Task[object]], bool]:
        """What has come together by now, most of it while waiting for the lock; and whether there may be more."""
        group = [first]
        while len(group) < _MOST_AT_ONCE:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                break
            if task is None:
                return group, False
            group.append(task)
        return group, True


def _write_group(connection: Connection, tasks: list[_Task[object]]) -> None:
    """One transaction for all. Where it fails as a whole everybody is told: nobody's work may be there."""
    driver = cast("DriverConnection", connection.connection.driver_connection)
    try:
        driver.execute("BEGIN IMMEDIATE")
        for task in tasks:
            _run(task, connection, driver)
        driver.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        for task in tasks:
            task.error = task.error or error


def _run(task: _Task[object], connection: Connection, driver: DriverConnection) -> None:
    """Do one piece of work behind a savepoint; where it raises, as if it had not begun."""
    driver.execute("SAVEPOINT work")
    try:
        task.result = task.work(connection)
    except BaseException as error:  # noqa: BLE001
        task.error = error
        driver.execute("ROLLBACK TO work")
    driver.execute("RELEASE work")


def _engine(path: Path) -> Engine:
    # Each statement of a reader stands alone, and a connection goes back to the pool without a rollback.
    engine = create_engine(
        f"sqlite:///{path}",
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        pool_size=64,
        max_overflow=64,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: DriverConnection, _entry: ConnectionPoolEntry) -> None:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")

    return engine
