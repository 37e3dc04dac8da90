"""All contact with the world, in one place: the clock, entropy, and files that must last.

Each function or method states its contract: when it returns, the effect is durable; when it raises,
the effect may or may not have happened, and repeating it is safe. What touches the world and does
not go through here: `database` (SQLite files, also the one of `seed_store`), `salvage` (reads one), `serve` (processes),
`background` (signals), `dealer` and `cli` (HTTP, as a client of the service).
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from pathlib import Path
from shutil import rmtree
from threading import Lock

from api.remembered import Remembered
from api.turns import Apart, at_once
from fairness.errors import Missing, Unreadable
from fairness.times import format_time

_AIDS = "find"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux's own goes on while the machine sleeps; other systems have the plain one."""
_MOST_OPENED = 256
"""Files of the log that a process keeps open: finding aids and commitments of the tables that play."""


class Clock:
    """The machine's two clocks: the one that shows the date, which anybody may set, and the one that only runs on."""

    boot: str
    """Names this run of the machine: `elapsed` of two runs cannot be compared."""

    def __init__(self) -> None:
        try:
            self.boot = _BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            # The system names no boot, so each process counts as one: its ages begin with it.
            self.boot = entropy(16).hex()

    def moment(self) -> datetime:
        """The date and time that the machine shows. `Timekeeper` decides whether a record may have it."""
        return datetime.now(UTC)

    def now(self) -> str:
        """The same, spelled as in a record: to be shown, not to be recorded."""
        return format_time(self.moment())

    def elapsed(self) -> timedelta:
        """How long this run of the machine has lasted, sleep included. No setting of the date changes it."""
        return timedelta(microseconds=time.clock_gettime_ns(_SINCE_BOOT) // 1000)


def entropy(size: int) -> bytes:
    """``size`` bytes from the operating system's CSPRNG; raises where there is none, never falls back."""
    return secrets.token_bytes(size)


def write_durably(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Put ``data`` at ``path``. A crash leaves the old file or the new one, never a part of either."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Opened:
    """A file open for reading, closed once nobody uses it any more."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


class LogFolder:
    """The public folder of the log: what is served under ``/log/``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Joined as text where a call does little else: building a `Path` costs more than a small read.
        self._prefix = f"{folder}/"
        # To open a file and to close it costs more than to read a few bytes of it.
        self._opened: Remembered[str, _Opened] = Remembered(_MOST_OPENED)

    def read(self, path: str) -> bytes:
        """One file of the log. Raises `Unreadable`; where there is none, `Missing`."""
        try:
            descriptor = os.open(self._prefix + path, os.O_RDONLY)
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                return file.readall()
        except FileNotFoundError as error:
            raise Missing(path, "no such file in the log's folder") from error
        except OSError as error:
            raise Unreadable(path, error.strerror or "cannot be read") from error

    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes of a file that is never replaced; empty where it is missing or shorter."""
        file = self._opened.get(path)
        if file is None or os.fstat(file.descriptor).st_nlink == 0:
            # Not opened yet; or deleted since, and perhaps made again.
            try:
                file = _Opened(self._prefix + path)
            except FileNotFoundError:
                return b""
            self._opened.put(path, file)
        return os.pread(file.descriptor, size, offset)

    def write(self, path: str, data: bytes) -> None:
        """Put a file there, durably and in one piece."""
        write_durably(self.folder / path, data)

    def write_soon(self, path: str, data: bytes) -> None:
        """Put a file there in one piece; it outlasts a crash of this program, not of the machine."""
        temporary = f"{self._prefix}{path}.new"
        descriptor = self._create(temporary, os.O_TRUNC)
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            file.write(data)
        os.rename(temporary, self._prefix + path)  # noqa: PTH104

    def write_part(self, path: str, offset: int, data: bytes) -> None:
        """Write into a finding aid, in place; like `write_soon`, not durable before `sync`."""
        descriptor = self._create(self._prefix + path)
        try:
            os.pwrite(descriptor, data, offset)
        finally:
            os.close(descriptor)

    def _create(self, path: str, flag: int = 0) -> int:
        flags = os.O_WRONLY | os.O_CREAT | flag
        try:
            return os.open(path, flags, 0o644)
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            return os.open(path, flags, 0o644)

    def sync(self, path: str) -> None:
        """Make earlier `write_part` calls on a file durable."""
        descriptor = os.open(self.folder / path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _sync_folder((self.folder / path).parent)

    def remove_partials(self, path: str) -> None:
        """Drop the partial files of a tile or bundle whose full file is published."""
        folder = self.folder / (path + ".p")
        try:
            for file in folder.iterdir():
                file.unlink(missing_ok=True)
            folder.rmdir()
        except FileNotFoundError:
            return

    def replace_aids(self, fresh: Path) -> None:
        """Put all finding aids of the folder ``fresh`` in the place of these. A crash may leave none."""
        self._opened = Remembered(_MOST_OPENED)
        rmtree(self.folder / _AIDS, ignore_errors=True)
        if (fresh / _AIDS).exists():
            (fresh / _AIDS).rename(self.folder / _AIDS)
        _sync_folder(self.folder)

    def size(self, path: str) -> int | None:
        """How many bytes a file has; `None` if it is missing."""
        try:
            return os.stat(self._prefix + path).st_size  # noqa: PTH116
        except FileNotFoundError:
            return None

    def partial_widths(self, path: str) -> set[int]:
        """The widths of the partial files of a tile or bundle whose full file would be at ``path``."""
        try:
            names = os.listdir(f"{self._prefix}{path}.p")  # noqa: PTH208
        except FileNotFoundError:
            return set()
        return {int(name) for name in names if re.fullmatch("[1-9][0-9]{0,2}", name)}

    def stamp(self, path: str) -> tuple[int, int]:
        """Changes whenever the file is replaced; (0, 0) where none can be seen."""
        try:
            status = os.stat(self._prefix + path)  # noqa: PTH116
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns)


class FileLock:
    """A lock between processes, and between the threads of this one. The system ends it with its holder."""

    def __init__(self, path: Path, apart: Apart = at_once) -> None:
        self._apart = apart
        self._threads = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock, and hold it."""
        with self._threads:
            if not self.try_to_hold():
                self._apart(lambda: flock(self._descriptor, LOCK_EX))
            try:
                yield
            finally:
                flock(self._descriptor, LOCK_UN)

    def let_go(self) -> None:
        """Let another process have what `try_to_hold` took."""
        flock(self._descriptor, LOCK_UN)

    def try_to_hold(self) -> bool:
        """Take the lock until `let_go`, or this process's end; `False` where another process has it."""
        try:
            flock(self._descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True
