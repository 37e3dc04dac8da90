"""A file that one run of a program uses at a time: the system frees it when that run ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    from msvcrt import LK_NBLCK, locking

    def _take(descriptor: int) -> None:
        locking(descriptor, LK_NBLCK, 1)

else:
    from fcntl import LOCK_EX, LOCK_NB, flock

    def _take(descriptor: int) -> None:
        flock(descriptor, LOCK_EX | LOCK_NB)


@contextmanager
def holding(lock: Path) -> Iterator[None]:
    """Hold a lock, whose file is there for as long. Raises `BlockingIOError` if another run holds it, and
    `OSError`.
    """
    opened = _taken(lock)
    try:
        yield
    finally:
        # While it is held: another run that has opened it meanwhile finds that it is no longer there. Windows keeps
        # it.
        with suppress(OSError):
            lock.unlink()
        os.close(opened)


def _taken(lock: Path) -> int:
    while True:
        opened = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _take(opened)
            if _is_there(lock, opened):
                return opened
        except PermissionError as error:
            os.close(opened)
            # Windows has no other word for it.
            raise BlockingIOError(error.errno, error.strerror) from None
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)


def _is_there(lock: Path, opened: int) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), lock.stat())
    except FileNotFoundError:
        return False
