"""A lock between processes: the system frees it when its holder ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from threading import Lock

from api.findings.states import run_by_another_account
from api.settings import Settings, SettingsError
from api.world.cooperation import Offload, inline
from api.world.storage_failures import of_another_account

_PATIENCE_SECONDS = 15.0
_LONGEST_NOTE = 64


class FileLock:
    """A lock between processes, and between the threads of this one. The system ends it with its holder."""

    def __init__(self, path: Path, offload: Offload = inline) -> None:
        self._offload = offload
        self._threads = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        self._file = path.open("a+b", buffering=0)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock, and hold it."""
        with self._threads:
            if not self.try_to_hold():
                self._offload(lambda: flock(self._file, LOCK_EX))
            try:
                yield
            finally:
                flock(self._file, LOCK_UN)

    @contextmanager
    def held_if_free(self) -> Iterator[bool]:
        """Hold the lock if nobody has it, without waiting; says whether it is held."""
        if not self._threads.acquire(blocking=False):
            yield False
            return
        try:
            held = self.try_to_hold()
            try:
                yield held
            finally:
                if held:
                    flock(self._file, LOCK_UN)
        finally:
            self._threads.release()

    def try_to_hold(self) -> bool:
        """Take the lock until `close`, or this process's end; `False` if another process has it."""
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def note(self, text: bytes) -> None:
        """Leave a word of at most a few bytes for all who use the lock, while it is held. A crash forgets it, or
        leaves nothing.
        """
        self._file.truncate(0)
        self._file.write(text)

    def noted(self) -> bytes:
        """Return the word that was left last."""
        return os.pread(self._file.fileno(), _LONGEST_NOTE, 0)

    def close(self) -> None:
        """Close its file: a lock that `try_to_hold` took is free again."""
        self._file.close()


def is_held(path: Path) -> bool:
    """Return whether a process has the lock of this file now. Creates nothing, and keeps nobody waiting."""
    try:
        with path.open("rb") as file:
            flock(file, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def check_own(folder: Path) -> None:
    """Raise `SettingsError` to root if the folder is another account's: root may write there, and that account could
    not use it.
    """
    if os.geteuid() == 0 and (whose := of_another_account(folder)) is not None:
        raise SettingsError(run_by_another_account(whose))


def check_free(settings: Settings) -> None:
    """Raise `SettingsError` at once if a service runs on the folder, for a start that writes there before it holds
    it.
    """
    if is_held(settings.background_lock):
        raise _runs_already(settings)


def _runs_already(settings: Settings) -> SettingsError:
    return SettingsError(f"another service runs on {settings.folder}: stop it first")


@contextmanager
def hold_folder(settings: Settings) -> Iterator[None]:
    """Take the service's folder for this process; wait for one that is still stopping. Raises `SettingsError`."""
    if not settings.folder.is_dir():
        raise SettingsError(f"{settings.folder} is no folder: name the service's folder (`--data`, FOREDRAW_DATA)")
    check_own(settings.folder)
    with closing(FileLock(settings.background_lock)) as lock:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not lock.try_to_hold():
            if time.monotonic() > deadline:
                raise _runs_already(settings)
            time.sleep(0.1)
        yield
