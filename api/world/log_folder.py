"""The public folder of the log: what is served under ``/log/``.

Sequencers on two machines may have it at the same time, and one of them may have been halted between any two of its steps.
So each writes its files in a folder of its own first, and puts them in place from there. The next one takes that folder
away before it reads anything: what the earlier one has not put in place by then, it never will (`write_as`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from api.sharing.bounded import BoundedCache
from api.world.durable import naming, sync_file, sync_folder, unfinished, write_all_durably, write_over
from api.world.published_log import PublishedLog
from api.world.storage_failures import ServerFailure
from fairness.errors import Missing, Unreadable
from fairness.log.edge import File

Part = tuple[int, bytes]
"""An offset in a file, and the bytes from there on."""

TILES = "tile/"
"""The folder of tiles and bundles."""
_AIDS = "find"
_UNFINISHED = ".unfinished"
_ATTEMPTS = 5
_MOST_OPENED = 256
"""Files of the log that a process keeps open: finding aids and commitments of the tables that play."""


class _Opened:
    """A file open for reading, closed once nobody uses it any more."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


def _remove(folder: Path) -> None:
    """Remove a leader's folder. Raises `OSError`.

    On a network's file system that leader may have it open still, and write into it until it is removed.
    """
    for _ in range(_ATTEMPTS - 1):
        rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    rmtree(folder)


class LogFolder(PublishedLog):
    """The public folder of the log: what is served under ``/log/``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Joined as text where a call does little else: building a `Path` costs more than a small read.
        self._prefix = f"{folder}/"
        self._unfinished: str | None = None
        """Where a leader writes files before they are put in place."""
        # Opening and closing a file costs more than reading a few bytes of it.
        self._opened: BoundedCache[str, _Opened] = BoundedCache(_MOST_OPENED)

    def read(self, path: str) -> bytes:
        """One file of the log. Raises `Unreadable`; `Missing` if it does not exist."""
        try:
            descriptor = os.open(self._prefix + path, os.O_RDONLY)
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                return file.readall()
        except FileNotFoundError as error:
            raise Missing(path, "no such file in the log's folder") from error
        except OSError as error:
            raise Unreadable(path, error.strerror or "cannot be read") from error

    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes of a file that is never replaced; empty if it is missing or ends before."""
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
        """Put a file there, durably and in one piece. Raises `ServerFailure` if another sequencer leads."""
        self._write_all([(path, data)])

    def write_all(self, files: Sequence[File]) -> None:
        """The same with many files at once; a crash leaves some of them."""
        self._write_all(files)

    def _write_all(self, files: Sequence[File]) -> None:
        with self._while_leading():
            write_all_durably([(self.folder / path, data, self._unfinished_path(path)) for path, data in files])

    def _unfinished_path(self, path: str) -> Path:
        """Where a file that is to be durable is written before it is put in place."""
        return unfinished(self.folder / path) if self._unfinished is None else Path(self._temporary(path))

    def write_soon(self, path: str, data: bytes) -> None:
        """Put a file there in one piece; it outlasts a crash of this program, not of the machine."""
        temporary = self._temporary(path)
        with self._while_leading():
            if self._unfinished is None:
                descriptor = self._create(temporary, os.O_TRUNC)
            else:
                # The folder is not made again: that it is gone is how a leader of before is stopped.
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            # With a buffer, because a disk that fills up takes a part of a plain write, and reports no error.
            with naming(self._prefix + path), os.fdopen(descriptor, "wb") as file:
                file.write(data)
            self._put_in_place(temporary, self._prefix + path)

    def _temporary(self, path: str) -> str:
        if self._unfinished is None:
            return f"{self._prefix}{path}.new"
        return f"{self._unfinished}/{path.replace('/', '_')}"

    def _put_in_place(self, temporary: str, path: str) -> None:
        try:
            os.rename(temporary, path)
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            os.rename(temporary, path)

    @contextmanager
    def _while_leading(self) -> Iterator[None]:
        """What cannot be written because another leader has taken the folder of unfinished files away is said so."""
        try:
            yield
        except FileNotFoundError:
            if self._unfinished is None or os.path.exists(self._unfinished):
                raise
            raise ServerFailure(
                "another sequencer publishes this log by now, so this one publishes nothing"
            ) from None

    def settle(self, below: str = "") -> None:
        """Bring what was written ``below`` a folder to wherever else the log is published: this folder alone is all of it."""

    def settle_again(self, paths: Iterable[str]) -> None:
        """The same with files that were written before, if they are missing there."""

    def write_as(self, leader: str) -> None:
        """From now on write as this leader, and as no other: earlier ones put nothing in place any more.

        A file is put in place by one renaming, which happens before the folder that it comes from is renamed itself, or
        fails. A crash leaves folders that the next leader removes. Raises `OSError` if one cannot be removed.
        """
        folders = self.folder / _UNFINISHED
        mine = folders / leader
        mine.mkdir(parents=True, exist_ok=True)
        for other in [each for each in folders.iterdir() if each != mine]:
            ended = other if other.suffix else other.with_suffix(".ended")
            if ended != other:
                other.rename(ended)
            _remove(ended)
        sync_folder(folders)
        self._unfinished = str(mine)

    def may_write_as(self, leader: str) -> bool:
        """Whether this leader's folder of unfinished files is still there: another leader or somebody may have removed it."""
        return os.path.exists(f"{self._prefix}{_UNFINISHED}/{leader}")

    def write_parts(self, path: str, parts: Iterable[Part]) -> None:
        """Write into a finding aid, in place; like `write_soon`, not durable before `sync`."""
        descriptor = self._create(self._prefix + path)
        try:
            with naming(self._prefix + path):
                for offset, data in parts:
                    write_over(descriptor, data, offset)
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
        """Make earlier `write_parts` calls on a file durable."""
        sync_file(self.folder / path)
        sync_folder((self.folder / path).parent)

    def remove_partials(self, path: str) -> None:
        """Drop the partial files of a tile or bundle whose full file is published."""
        folder = self.folder / (path + ".p")
        try:
            for file in folder.iterdir():
                file.unlink(missing_ok=True)
            folder.rmdir()
        except FileNotFoundError:
            return

    def close(self) -> None:
        """Close the files that are kept open."""
        self._opened.clear()

    def replace_aids(self, fresh: Path) -> None:
        """Put all finding aids of the folder ``fresh`` in the place of these. A crash may leave none."""
        self.close()
        rmtree(self.folder / _AIDS, ignore_errors=True)
        if (fresh / _AIDS).exists():
            (fresh / _AIDS).rename(self.folder / _AIDS)
        sync_folder(self.folder)

    def size(self, path: str) -> int | None:
        """How many bytes a file has; `None` if it is missing."""
        try:
            return os.stat(self._prefix + path).st_size
        except FileNotFoundError:
            return None

    def files(self, folder: str) -> list[str]:
        """The paths of all files below a folder of the log, in order."""
        found = (self.folder / folder).rglob("*")
        return sorted(
            str(file.relative_to(self.folder)) for file in found if file.suffix != ".new" and file.is_file()
        )

    def partial_widths(self, path: str) -> set[int]:
        """The widths of the partial files of a tile or bundle whose full file would be at ``path``."""
        try:
            names = os.listdir(f"{self._prefix}{path}.p")
        except FileNotFoundError:
            return set()
        return {int(name) for name in names if re.fullmatch("[1-9][0-9]{0,2}", name)}

    def stamp(self, path: str) -> tuple[int, int]:
        """Changes whenever the file is replaced; (0, 0) if there is none."""
        try:
            status = os.stat(self._prefix + path)
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns)
