"""The world outside the service, able to fail: files, commits, the custodian's rows, the clock.

Each durable effect goes through `Faults`, which can make any one of them fail before or after it
happened. `Disk` remembers what survives a restart, and what a crash of the machine would undo.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from api.settings import Server
from api.sql.pipeline import PostgresConnection
from api.sql.postgres import PostgresDatabase
from api.sql.sqlite import SqliteConnection, SqliteDatabase, connect
from api.world.clock import Clock
from api.world.published.bucket import Objects
from api.world.published.log_folder import LogFolder, Part
from api.world.published.mirrored_log import MirroredLog
from fairness.errors import Unreadable
from fairness.log.edge import File

When = Literal["before", "after"]
Written = TypeVar("Written")


class Fault(Exception):
    """The error of an effect that was chosen to fail."""


class Faults:
    """Counts effects, and makes the ``at``-th of those whose name begins with ``only`` fail."""

    def __init__(self, at: int = 0, when: When = "before", *, only: str = "", fatal: bool = True) -> None:
        self.at, self.when, self.only, self.fatal = at, when, only, fatal
        self.seen: list[str] = []
        self.struck: str | None = None

    def arm(self, at: int, when: When) -> None:
        """Start counting again."""
        self.at, self.when, self.struck = at, when, None
        self.seen.clear()

    def around(self, name: str, effect: Callable[[], object]) -> None:
        """Let an effect happen, or fail before or after it."""
        if self.struck is not None and self.fatal:
            raise Fault(f"nothing happens after the crash, so neither does {name}")
        if not name.startswith(self.only):
            effect()
            return
        self.seen.append(name)
        if len(self.seen) != self.at:
            effect()
            return
        self.struck = name
        if self.when == "after":
            effect()
        raise Fault(f"{self.when} {name}")


@dataclass
class Disk:
    """What survives a restart: everything that was signed, and what a crash of the machine would undo."""

    checkpoints: list[bytes] = field(default_factory=list)
    unsynced: dict[str, bytes | None] = field(default_factory=dict)
    """For each file that was not synced since it changed: its last durable bytes."""


class FaultyLog(LogFolder):
    """A log folder that honours its contract, and fails on request."""

    def __init__(self, folder: Path, faults: Faults, disk: Disk, *more: Objects) -> None:
        super().__init__(folder, *more)
        self._faults, self._disk = faults, disk

    def write(self, path: str, data: bytes) -> None:
        """Durable when it returns."""
        self._faults.around(f"write {path}", lambda: self._write(path, data))

    def _write(self, path: str, data: bytes) -> None:
        super().write(path, data)
        self._disk.unsynced.pop(path, None)
        if path == "checkpoint":
            self._disk.checkpoints.append(data)

    def write_all(self, files: Sequence[File]) -> None:
        """Durable when it returns; after a failure, those before it are there."""
        for file in files:
            self._faults.around(f"write {file[0]}", partial(self._write_one_of_all, file))

    def _write_one_of_all(self, file: File) -> None:
        super().write_all([file])
        self._disk.unsynced.pop(file[0], None)

    def write_soon(self, path: str, data: bytes) -> None:
        """Visible when it returns, but a crash of the machine may undo it."""
        self._faults.around(f"write_soon {path}", lambda: self._change(path, super(FaultyLog, self).write_soon, data))

    def write_parts(self, path: str, parts: Iterable[Part]) -> None:
        """Visible when it returns, but a crash of the machine may undo it."""
        self._faults.around(
            f"write_parts {path}", lambda: self._change(path, super(FaultyLog, self).write_parts, parts)
        )

    def _change(self, path: str, change: Callable[[str, Written], None], data: Written) -> None:
        try:
            before: bytes | None = self.read(path)
        except Unreadable:
            before = None
        change(path, data)
        self._disk.unsynced.setdefault(path, before)

    def sync(self, path: str) -> None:
        """Make all files durable."""
        self._faults.around(f"sync {path}", lambda: self._sync(path))

    def _sync(self, path: str) -> None:
        super().sync(path)
        self._disk.unsynced.pop(path, None)

    def remove_partials(self, path: str) -> None:
        """A crash does not restore files that were removed on purpose."""
        self._faults.around(f"remove_partials {path}", lambda: self._remove_partials(path))

    def _remove_partials(self, path: str) -> None:
        super().remove_partials(path)
        for lost in [name for name in self._disk.unsynced if name.startswith(f"{path}.p/")]:
            del self._disk.unsynced[lost]


class FaultyMirror(FaultyLog, MirroredLog):
    """The same of a service that publishes to a bucket."""


class FaultyDatabase(SqliteDatabase):
    """A database whose commits fail on request; for `Faults`, a commit is an effect of this name."""

    def __init__(self, path: Path, lock: Path, faults: Faults, effect: str = "commit") -> None:
        super().__init__(path, lock)
        self._factory = connection_class(faults, effect)

    def _connect(self) -> SqliteConnection:
        return connect(self.path, self._factory)


class FaultyPostgres(PostgresDatabase):
    """The same in PostgreSQL."""

    def __init__(self, server: Server, faults: Faults, effect: str = "commit") -> None:
        super().__init__(server)
        self._faults, self._effect = faults, effect

    def _commit(self, connection: PostgresConnection) -> None:
        self._faults.around(self._effect, lambda: super(FaultyPostgres, self)._commit(connection))


def connection_class(faults: Faults, effect: str) -> type[sqlite3.Connection]:
    """SQLite's connections, whose commits go through ``faults`` under this name."""

    class FaultyConnection(sqlite3.Connection):
        def execute(self, statement: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 -- as its base has them
            if statement != "COMMIT":
                return super().execute(statement, parameters)
            faults.around(effect, super().commit)
            return self.cursor()

        def commit(self) -> None:
            if self.in_transaction:
                faults.around(effect, super().commit)

    return FaultyConnection


class SettableClock(Clock):
    """A machine's clocks, which advance by a millisecond when the date is read, and otherwise by hand."""

    def __init__(self) -> None:
        self.date = datetime(2026, 11, 20, 22, 49, 1, tzinfo=UTC)
        self.uptime = timedelta(hours=1)
        self.boot = "the first boot"

    def moment(self) -> datetime:
        """The date."""
        self.step(timedelta(milliseconds=1).total_seconds())
        return self.date

    def elapsed(self) -> timedelta:
        """The time since the machine booted."""
        return self.uptime

    def step(self, seconds: float) -> None:
        """Let time pass."""
        self.date += timedelta(seconds=seconds)
        self.uptime += timedelta(seconds=seconds)

    def set_date(self, seconds: float) -> None:
        """Set the date ahead or back; no time passes."""
        self.date += timedelta(seconds=seconds)

    def boot_again(self, seconds: float = 60) -> None:
        """Boot the machine again after it was off for this long."""
        self.date += timedelta(seconds=seconds)
        self.uptime = timedelta(seconds=10)
        self.boot += ", and another"
