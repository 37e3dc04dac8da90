"""The public folder of the log: what is served under ``/log/``.

Sequencers on two machines may have it at the same time, and one of them may have been halted between any two of its
steps. So each writes its files in a folder of its own first, and puts them in place from there. The next one takes
that folder away before it reads anything: what the earlier one has not put in place by then, it never will
(`write_as`).
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO, NamedTuple

from api.sharing.bounded import BoundedCache
from api.world.below import (
    Folders,
    Place,
    create_file,
    look,
    open_file,
    open_to_change,
    put_in_place,
    remove,
    sync_names,
)
from api.world.durable import naming, sync_folder, sync_place, unfinished, write_all_durably, write_over
from api.world.published.published_log import PublishedLog
from api.world.storage_failures import ServerFailure
from fairness.errors import Missing, Unreadable
from fairness.log.edge import File

Part = tuple[int, bytes]
"""An offset in a file, and the bytes from there on."""

TILES = "tile/"
"""The folder of tiles and bundles."""
_AIDS = "find"
_UNFINISHED = ".unfinished"
_KEPT = (
    "tile",
    "tile/entries",
    "find",
    "find/rounds",
    "find/tables",
    "commitments",
    "witnessed",
    "custody",
    "policies",
    "paytables",
)
"""Folders that an operator may have moved to another disk, with a link in their place. That is refused, and not
undone.
"""
_MOST_OPENED = 256
"""Files of the log that a process keeps open: finding aids and commitments of the tables that play."""


class OpenedFile(NamedTuple):
    """A file that is open, whatever has its name by now."""

    file: BinaryIO
    size: int
    changed: float
    """When it was written, in seconds since 1970."""


class _Opened:
    """A file open for reading, closed once nobody uses it any more."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


def _not_gone(error: OSError) -> None:
    """Raise all but that it is gone: a folder below another may be removed while files are listed; one that cannot be
    read is not left out.
    """
    if not isinstance(error, FileNotFoundError):
        raise error


class LogFolder(PublishedLog):
    """The public folder of the log: what is served under ``/log/``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = str(folder)
        self._unfinished: str | None = None
        """The folder below this one where a leader writes files before they are put in place."""
        # Opening and closing a file costs more than reading a few bytes of it.
        self._opened: BoundedCache[str, _Opened] = BoundedCache(_MOST_OPENED)

    def open(self, path: str) -> OpenedFile:
        """Return one file, open for reading. Raises `Unreadable`; `Missing` if it does not exist."""
        descriptor = self._open(path)
        status = os.fstat(descriptor)
        return OpenedFile(os.fdopen(descriptor, "rb"), status.st_size, status.st_mtime)

    def _open(self, path: str) -> int:
        try:
            with self._below() as below:
                return open_file(below.place(path))
        except FileNotFoundError as error:
            raise Missing(path, "no such file in the log's folder") from error
        except OSError as error:
            # What is no file of the log is as good as none.
            kind = Missing if error.errno == errno.ELOOP else Unreadable
            raise kind(path, error.strerror or "cannot be read") from error

    def _below(self) -> Folders:
        return Folders(self._root, _KEPT)

    def read(self, path: str) -> bytes:
        """Return one file of the log. Raises `Unreadable`; `Missing` if it does not exist."""
        try:
            with os.fdopen(self._open(path), "rb", buffering=0) as file:
                return file.readall()
        except OSError as error:
            raise Unreadable(path, error.strerror or "cannot be read") from error

    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes of a file that is never replaced; empty if it is missing or ends before."""
        file = self._opened.get(path)
        if file is None or os.fstat(file.descriptor).st_nlink == 0:
            # Not opened yet; or deleted since, and perhaps made again.
            try:
                file = _Opened(self._open(path))
            except Missing:
                return b""
            self._opened.put(path, file)
        return os.pread(file.descriptor, size, offset)

    def write(self, path: str, data: bytes) -> None:
        """Put a file there, durably and in one piece. Raises `ServerFailure` if another sequencer leads."""
        self._write_all([(path, data)])

    def write_all(self, files: Sequence[File]) -> None:
        """Write many files at once in the same way; a crash leaves some of them."""
        self._write_all(files)

    def _write_all(self, files: Sequence[File]) -> None:
        with self._while_leading(), self._below() as below:
            places = [
                (below.place(path, make=True), data, self._temporary(below, path, unfinished)) for path, data in files
            ]
            write_all_durably(places)

    def write_soon(self, path: str, data: bytes) -> None:
        """Put a file there in one piece; it outlasts a crash of this program, not of the machine."""
        with self._while_leading(), self._below() as below:
            place, temporary = below.place(path, make=True), self._temporary(below, path, "{}.new".format)
            # With a buffer, because a disk that fills up takes a part of a plain write, and reports no error.
            with naming(place.path):
                with os.fdopen(create_file(temporary), "wb") as file:
                    file.write(data)
                put_in_place(temporary, place)

    def _temporary(self, below: Folders, path: str, called: Callable[[str], str]) -> Place:
        """Return where a file is written before it is put in place: in a leader's folder, or beside its place, where
        it is ``called`` so.

        A leader's folder is not made again: that it is gone is how an earlier leader is stopped.
        """
        if self._unfinished is not None:
            return below.place(f"{self._unfinished}/{path.replace('/', '_')}")
        folder, name, whole = below.place(path, make=True)
        return Place(folder, called(name), whole)

    @contextmanager
    def _while_leading(self) -> Iterator[None]:
        """Say so if something cannot be written because another leader has taken the folder of unfinished files
        away.
        """
        try:
            yield
        except FileNotFoundError:
            if self._unfinished is None or os.path.exists(f"{self._root}/{self._unfinished}"):
                raise
            raise ServerFailure(
                "another sequencer publishes this log by now, so this one publishes nothing"
            ) from None

    def settle(self, below: str = "") -> None:
        """Bring what was written ``below`` a folder to wherever else the log is published: this folder alone is all
        of it.
        """

    def settle_again(self, paths: Iterable[str]) -> None:
        """Settle again files that were written before, if they are missing there."""

    def write_as(self, leader: str) -> None:
        """Write, from now on, as this leader, and as no other: earlier ones put nothing in place any more.

        A file is put in place by one renaming, which happens before the folder that it comes from is renamed itself,
        or fails. A crash leaves folders that the next leader removes. Raises `OSError` if one cannot be removed.
        """
        with self._below() as below:
            below.folder(f"{_UNFINISHED}/{leader}", make=True)
            folder, ended = below.folder(_UNFINISHED), below.place(f"{_UNFINISHED}/{leader}.ended")
            for name in os.listdir(folder):
                if name != leader:
                    with naming(ended.path):
                        put_in_place(below.place(f"{_UNFINISHED}/{name}"), ended)
                    remove(ended)
            sync_names(folder)
        self._unfinished = f"{_UNFINISHED}/{leader}"

    def may_write_as(self, leader: str) -> bool:
        """Return whether this leader's folder of unfinished files is still there: another leader or somebody may have
        removed it.
        """
        return os.path.exists(f"{self._root}/{_UNFINISHED}/{leader}")

    def write_parts(self, path: str, parts: Iterable[Part]) -> None:
        """Write into a finding aid, in place; like `write_soon`, not durable before `sync`."""
        with naming(f"{self._root}/{path}"), self._below() as below:
            descriptor = open_to_change(below.place(path, make=True))
        try:
            with naming(f"{self._root}/{path}"):
                for offset, data in parts:
                    write_over(descriptor, data, offset)
        finally:
            os.close(descriptor)

    def sync(self, path: str) -> None:
        """Make earlier `write_parts` calls on a file durable."""
        with naming(f"{self._root}/{path}"), self._below() as below:
            sync_place(below.place(path))

    def remove_partials(self, path: str) -> None:
        """Drop the partial files of a tile or bundle whose full file is published."""
        with suppress(FileNotFoundError), self._below() as below:
            remove(below.place(f"{path}.p"))

    def close(self) -> None:
        """Close the files that are kept open."""
        self._opened.clear()

    def replace_aids(self, fresh: Path) -> None:
        """Put all finding aids of the folder ``fresh`` in the place of these. A crash may leave none."""
        self.close()
        if (self.folder / _AIDS).is_symlink():
            os.unlink(f"{self._root}/{_AIDS}")
        rmtree(self.folder / _AIDS, ignore_errors=True)
        if (fresh / _AIDS).exists():
            (fresh / _AIDS).rename(self.folder / _AIDS)
        sync_folder(self.folder)

    def size(self, path: str) -> int | None:
        """Return how many bytes a file has; `None` if it is missing."""
        try:
            with self._below() as below:
                status = look(below.place(path))
        except FileNotFoundError:
            return None
        return None if status is None else status.st_size

    def files(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder of the log, or of the whole log (``""``), in order. Raises
        `OSError`.
        """
        found, top = [], folder.rstrip("/")
        with suppress(FileNotFoundError), naming(f"{self._root}/{top}"), self._below() as below:
            # Below a descriptor that stays open, and no link is followed from there.
            for at, _, names, descriptor in os.fwalk(".", dir_fd=below.folder(top), onerror=_not_gone):
                inside = f"{top}{at[1:]}/".lstrip("/")
                found += [inside + name for name in names if look(Place(descriptor, name, name)) is not None]
        return sorted(path for path in found if not path.endswith(".new"))

    def partial_widths(self, path: str) -> set[int]:
        """Return the widths of the partial files of a tile or bundle whose full file would be at ``path``."""
        try:
            with self._below() as below:
                names = os.listdir(below.folder(f"{path}.p"))
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ELOOP}:
                return set()
            raise
        return {int(name) for name in names if re.fullmatch("[1-9][0-9]{0,2}", name)}

    def stamp(self, path: str) -> tuple[int, int]:
        """Change whenever the file is replaced; (0, 0) if there is none."""
        try:
            # It is asked all the time, of a file in the folder itself.
            status = os.lstat(f"{self._root}/{path}")
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else (0, 0)
