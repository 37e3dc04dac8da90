"""One service on a folder, and on a database: who holds both may publish, rebuild, and change keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from api.settings import Server, Settings, SettingsError
from api.store.schema import no_driver
from api.world.file_lock import hold_folder
from api.world.storage_failures import HeldElsewhereError, ServerFailure

_PATIENCE_SECONDS = 15.0


@contextmanager
def hold_service(settings: Settings, *, stands_by: bool = False) -> Iterator[Callable[[], int]]:
    """Take the folder and the database for this process; wait for a service that is still stopping.

    The function that it gives returns how often the database was taken, and raises `ServerFailure` while it is not
    held: a server frees its lock when the connection ends. One that ``stands_by`` does not wait: that function raises
    `HeldElsewhereError` until the other is gone. Raises `SettingsError` if another service has one of them.
    """
    with hold_folder(settings):
        if settings.server is not None:
            with _hold_server(settings.server, stands_by=stands_by) as hold:
                yield hold
        else:
            yield _held


@contextmanager
def _hold_server(server: Server, *, stands_by: bool) -> Iterator[Callable[[], int]]:
    # Only who uses PostgreSQL needs its driver.
    try:
        from api.sql.server_lock import ServerLock  # noqa: PLC0415 -- an extra, and slow to import
    except ImportError as error:
        raise no_driver() from error
    with closing(ServerLock(server, on_lease=stands_by)) as lock:
        if stands_by:
            with lock.renewed():
                yield lock.hold
            return
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                lock.hold()
            except HeldElsewhereError as error:
                if time.monotonic() > deadline:
                    raise SettingsError(f"{error} first") from None
                time.sleep(0.1)
            else:
                break
        yield lock.hold


def is_led(settings: Settings) -> bool:
    """Return whether a sequencer leads on the database, whichever machine and folder it has; if that is unknown, it
    is none.
    """
    if settings.server is None:
        return False
    try:
        from api.sql.server_lock import is_taken  # noqa: PLC0415 -- only who uses PostgreSQL needs its driver

        return is_taken(settings.server)
    except (ImportError, ServerFailure):
        return False


def _held() -> int:
    """Return the lock; a folder's ends with the process only."""
    return 1
