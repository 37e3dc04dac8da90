"""A lock between processes: the system frees it when its holder ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from pathlib import Path
from threading import Lock

from api.world.cooperation import Offload, inline


class FileLock:
    """A lock between processes, and between the threads of this one. The system ends it with its holder."""

    def __init__(self, path: Path, offload: Offload = inline) -> None:
        self._offload = offload
        self._threads = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock, and hold it."""
        with self._threads:
            if not self.try_to_hold():
                self._offload(lambda: flock(self._descriptor, LOCK_EX))
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
