"""One service on a folder, and on a database: who holds both may publish, rebuild, and change keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from api.settings import Server, Settings, SettingsError
from api.store.schema import no_driver
from api.world.file_lock import hold_folder

_PATIENCE_SECONDS = 15.0


@contextmanager
def hold_service(settings: Settings) -> Iterator[Callable[[], None]]:
    """Take the folder and the database for this process; wait for a service that is still stopping.

    The function that it gives raises `ServerFailure` while the database is not held: a server frees its lock when
    the connection ends. Raises `SettingsError` if another service has one of them.
    """
    with hold_folder(settings):
        if settings.server is None:
            yield _held
        else:
            with _hold_server(settings.server) as check:
                yield check


@contextmanager
def _hold_server(server: Server) -> Iterator[Callable[[], None]]:
    # Only who uses PostgreSQL needs its driver.
    try:
        from api.sql.server_lock import HeldElsewhereError, ServerLock  # noqa: PLC0415
    except ImportError as error:
        raise no_driver() from error
    with closing(ServerLock(server)) as lock:
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


def _held() -> None:
    """A folder's lock ends with the process only."""
