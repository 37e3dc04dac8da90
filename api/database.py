"""The database: SQLite in WAL mode with full durability, one writer at a time.

A read sees the last committed state and never waits. A write waits its turn at a lock of ours,
because SQLite's own would have the writers sleep and poll.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection as DriverConnection

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import SQLModel

from api.world import FileLock

_BUSY_MS = 10_000


class Database:
    """The one way to the database's rows."""

    def __init__(self, path: Path, lock: Path) -> None:
        self.path = path
        self._writers = FileLock(lock)
        self._engine = _engine(path)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading; each statement sees what is committed when it runs."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction. When the block ends it is durable; when it raises nothing has happened.

        Should the commit itself raise, the effect may have happened.
        """
        with self._writers.held(), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def create(self) -> None:
        """Create what is missing of the schema."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        SQLModel.metadata.create_all(self._engine)

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}", pool_size=64, max_overflow=64, connect_args={"check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: DriverConnection, _entry: ConnectionPoolEntry) -> None:
        # No transaction but the one that `write` begins: the driver's own would begin too late.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    return engine
