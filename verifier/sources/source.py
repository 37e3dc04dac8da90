"""Where a log's files come from: a folder, or a web server. All reading from outside is here and in `web`.

The contract of a source: `Source.read` returns the bytes of one file of the log, by its path below
the log's prefix, or raises `Unreadable`; `Missing` if the file is known not to exist. It trusts
nobody: what it returns is unverified, at most one byte longer than `largest_file` (a longer file is cut
there, and no check accepts that length), and over the web it arrives within a minute or not at all, but a
server that asks to be asked later is waited for, up to a minute each of several times. It follows no redirect
and, below a folder, no link; it decompresses nothing, and reads only paths that a log has. So no path leads
out of the folder (but on Windows a link does).
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from threading import Event
from typing import Protocol

from fairness.errors import Missing, Unreadable
from fairness.round.log_files import largest_file
from verifier.sources.limits import PATIENCE

# Without O_NONBLOCK, opening a pipe would wait for its other end for ever. Not every system has all flags.
_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_BELOW = _OPENING | getattr(os, "O_NOFOLLOW", 0)
_IS_A_LINK = (errno.ELOOP, errno.EMLINK)


class Source(Protocol):
    """Reads the files of one log. See the contract above."""

    @property
    def address(self) -> str:
        """The address from which `open_source` makes the same source."""

    def read(self, path: str) -> bytes:
        """Return the file at ``path``. Raises `Unreadable`, or `Missing`."""


class FolderSource:
    """A log in a folder of this machine."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    @property
    def address(self) -> str:
        """The folder."""
        return str(self._folder)

    def read(self, path: str) -> bytes:
        """Return the file at ``path``. Raises `Unreadable`, or `Missing`."""
        limit = largest_file(path)
        try:
            opened = _open_below(self._folder, path)
            try:
                status = os.fstat(opened)
                if not stat.S_ISREG(status.st_mode):
                    raise Unreadable(path, f"not a file in {self._folder}")
                return _read_up_to(opened, min(status.st_size, limit + 1))
            finally:
                os.close(opened)
        except (FileNotFoundError, NotADirectoryError):
            raise Missing(path, f"no such file in {self._folder}") from None
        except OSError as error:
            if error.errno in _IS_A_LINK:
                raise Unreadable(path, f"in {self._folder}, a link stands in its way, and is not followed") from None
            raise Unreadable(path, error.strerror or str(error)) from error


class HttpSource:
    """A log on any web server."""

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        """Prepare to read from ``url``; nothing is fetched yet. `ValueError` if it is no such address.

        A server may take ``patience`` seconds between two bytes, and three times as long for a whole
        file.
        """
        # Slow to import, and a log in a folder needs none of it.
        from verifier.sources.web import WebFolder  # noqa: PLC0415 -- as said above

        self._web = WebFolder(url, patience)

    @property
    def address(self) -> str:
        """The log's prefix, without a slash at its end."""
        return self._web.url

    def read(self, path: str, ended: Event | None = None) -> bytes:
        """Return the file at ``path``. Raises `Unreadable`, or `Missing`; soon after it is ``ended``."""
        data = self._web.get(path, largest_file(path) + 1, ended or Event())
        if data is None:
            raise Missing(path, f"no such file at {self._web.place}")
        return data


def open_source(text: str) -> FolderSource | HttpSource:
    """Return the source that a user named: an http or https address, or a folder."""
    scheme, mark, _ = text.partition("://")
    if mark and scheme.lower() in {"http", "https"}:
        return HttpSource(text)
    if mark:
        raise ValueError(f"a log is read over http or https, or from a folder, not over {scheme}")
    return FolderSource(text)


def _open_below(folder: Path, path: str) -> int:
    """Open a file, each part of its path in the folder before, so that no link leads elsewhere. Raises `OSError`."""
    if os.open not in os.supports_dir_fd:
        return os.open(folder / path, _BELOW)
    opened = os.open(folder, _OPENING)
    for part in path.split("/"):
        above = opened
        try:
            opened = os.open(part, _BELOW, dir_fd=above)
        finally:
            os.close(above)
    return opened


def _read_up_to(file: int, size: int) -> bytes:
    """Read ``size`` bytes of an open file, however few the system returns at a time; fewer if it ends earlier."""
    data = os.read(file, size)
    while len(data) < size and (more := os.read(file, size - len(data))):
        data += more
    return data
