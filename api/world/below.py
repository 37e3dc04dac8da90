"""Files below a folder, reached part by part from it: no link on the way is followed, and nothing but a plain file is
opened.

Who can write into a folder that we publish from could otherwise have it lead to a key, or have a reader wait for a
pipe. The folder itself may be a link. A file that has two names (a hard link) cannot be told from one of ours.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from contextlib import suppress
from shutil import rmtree
from types import TracebackType
from typing import NamedTuple, Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
# Opening a pipe would wait for its other end.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK
_ATTEMPTS = 5
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}
"""What file systems answer that know no syncing of folders: those of networks, of other systems, in user space."""
_NOT_A_FILE = {errno.ELOOP, errno.ENXIO, errno.EINVAL}


class Place(NamedTuple):
    """Where a file is, or will be."""

    folder: int
    """The descriptor of its folder."""
    name: str
    path: str
    """The whole of it, for messages."""


class Folders:
    """The folders below one, each opened once and open until the end of a ``with``."""

    def __init__(self, root: str, kept: Collection[str] = ()) -> None:
        """Of a folder that is ``kept``, a link in its place is never removed."""
        self._root, self._kept = root, kept
        self._open: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def place(self, path: str, *, make: bool = False) -> Place:
        """Return the place of a file; ``make`` makes the folders that are missing. Raises `OSError`, which names the
        whole path.
        """
        folder, _, name = path.rpartition("/")
        return Place(self.folder(folder, make=make), name, f"{self._root}/{path}")

    def folder(self, path: str, *, make: bool = False) -> int:
        """Return the descriptor of a folder; the root's has no path."""
        if (known := self._open.get(path)) is not None:
            return known
        try:
            if not path:
                if make:
                    os.makedirs(self._root, exist_ok=True)
                descriptor = os.open(self._root, _FOLDER)
            else:
                above, _, name = path.rpartition("/")
                place = Place(self.folder(above, make=make), name, f"{self._root}/{path}")
                descriptor = _enter(place, make=make, replace=path not in self._kept)
        except OSError as error:
            error.filename = f"{self._root}/{path}" if path else self._root
            raise
        self._open[path] = descriptor
        return descriptor


def _enter(place: Place, *, make: bool, replace: bool) -> int:
    try:
        return os.open(place.name, _FOLDER | os.O_NOFOLLOW, dir_fd=place.folder)
    except FileNotFoundError:
        if not make:
            raise
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
        if not make or not replace:
            raise OSError(errno.ELOOP, "it is a link, or no folder, and nothing follows it", place.name) from None
        # It is none of ours, and would keep ours from being made.
        os.unlink(place.name, dir_fd=place.folder)
    with suppress(FileExistsError):
        os.mkdir(place.name, dir_fd=place.folder)
        # What is durable in it is lost with its name.
        sync_names(place.folder)
    return os.open(place.name, _FOLDER | os.O_NOFOLLOW, dir_fd=place.folder)


def sync_names(folder: int) -> None:
    """Make the names in an open folder durable. Where folders cannot be synced, they are left to the system: nothing
    has failed.
    """
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def open_file(place: Place, flags: int = os.O_RDONLY) -> int:
    """Open a plain file. Raises `OSError`."""
    try:
        descriptor = os.open(place.name, flags | _FILE, 0o644, dir_fd=place.folder)
    except OSError as error:
        if error.errno in _NOT_A_FILE:
            raise _not_a_file(place) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_a_file(place)
    return descriptor


def open_to_change(place: Place) -> int:
    """Open a plain file for writing into it, or make it; what is in its place and no such file is removed first."""
    try:
        return open_file(place, os.O_WRONLY | os.O_CREAT)
    except OSError as error:
        if error.errno not in _NOT_A_FILE:
            raise
        return create_file(place)


def create_file(place: Place, mode: int = 0o644) -> int:
    """Make a new file, in the place of what has its name: that may be a link, or have another name as well."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        return os.open(place.name, flags, mode, dir_fd=place.folder)
    except FileExistsError:
        os.unlink(place.name, dir_fd=place.folder)
        return os.open(place.name, flags, mode, dir_fd=place.folder)


def look(place: Place) -> os.stat_result | None:
    """Return what the system says of a plain file; `None` if there is none."""
    try:
        status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def put_in_place(unfinished: Place, place: Place) -> None:
    """Give a file its name, in one step, whatever had the name before."""
    os.rename(unfinished.name, place.name, src_dir_fd=unfinished.folder, dst_dir_fd=place.folder)


def remove(place: Place) -> None:
    """Remove what has a name, if anything has: a folder with all that is in it, a link without what it leads to.
    Raises `OSError`.

    On a network's file system another program may write into the folder until it is removed, or remove it as well.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(OSError):
            _remove(place)
    with suppress(FileNotFoundError):
        try:
            _remove(place)
        except OSError as error:
            error.filename = place.path
            raise


def _remove(place: Place) -> None:
    if stat.S_ISDIR(os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_mode):
        # It follows no link, one that takes the folder's place meanwhile included.
        rmtree(place.name, dir_fd=place.folder)
    else:
        os.unlink(place.name, dir_fd=place.folder)


def _not_a_file(place: Place) -> OSError:
    return OSError(errno.ELOOP, "it is a link, or no plain file, and is not opened", place.name)
