"""The lock of the one service on a database in PostgreSQL, whichever machine and folder it has.

It is an advisory lock on a connection of its own: the server frees it when that connection ends. After a restart or a
failover of the server it has to be taken again.

A holder that may be relieved by one that stands by has it on a **lease**: it says something every half second, and
the server ends a connection that was silent for three. So whatever halts the holder, its process, its machine or the
network to it, the lock is free after three seconds by the server's clock alone.

Until a holder knows that it has lost the lock, two may believe to have it. Nothing is signed twice then: each time
that it is taken is a **term**, and a term begins with a name in the head's row, without which the head is not moved,
and with a folder of unfinished files, without which no tile, witnessed file or checkpoint gets into the log
(`api.log.leadership`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg

from api.settings import Server
from api.sql.pipeline import Driver
from api.sql.postgres import connect
from api.sql.refusals import in_words, while_connecting
from api.world.storage_failures import HeldElsewhereError, ServerFailure

_SILENCE_SECONDS = 1.0
"""How long nobody tries again after an attempt that failed: many parts ask."""
_LOOK_SECONDS = 0.25
"""The same for a process that stands by."""
LEASE_SECONDS = 3
_RENEWED_SECONDS = 0.5
_SESSION = """
SET idle_session_timeout = 0;
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 2
"""
"""The server keeps an idle holder, and notices within seconds if its machine is gone."""
_LEASE = f"SET idle_session_timeout = '{LEASE_SECONDS}s'"
_NAME = b"(hashtext('foredraw service'), hashtext(coalesce(current_schema(), '')))"
_TAKE = b"SELECT pg_try_advisory_lock" + _NAME
_TAKE_FOR_A_MOMENT = b"SELECT pg_try_advisory_xact_lock" + _NAME
"""The same lock, which is free again when this statement ends."""


class ServerLock:
    """One process's hold of the database; its threads may share it."""

    def __init__(self, server: Server, *, on_lease: bool = False) -> None:
        """Takes nothing yet. One that has it ``on_lease`` has to be `renewed`."""
        self._server, self._on_lease = server, on_lease
        self._silence = _LOOK_SECONDS if on_lease else _SILENCE_SECONDS
        self._term = 0
        self._threads = threading.Lock()
        self._driver: psycopg.Connection[tuple[object, ...]] | None = None
        self._failure: ServerFailure | None = None
        self._failed = self._renewed = 0.0

    def hold(self) -> int:
        """Take the lock, or find it held still; returns how often it was taken.

        The server is asked only if the lease may be over by this machine's clock. Raises `ServerFailure`.
        """
        with self._threads:
            if self._driver is not None and _is_alive(self._driver) and self._lasts(self._driver):
                return self._term
            self._let_go()
            if self._failure is not None and time.monotonic() - self._failed < self._silence:
                raise type(self._failure)(str(self._failure))
            try:
                self._driver = self._take()
            except ServerFailure as failure:
                self._failure, self._failed = failure, time.monotonic()
                raise
            self._term += 1
            return self._term

    def _lasts(self, driver: Driver) -> bool:
        """Return whether the server still keeps the lease: if this process was halted, the news of its end may be on
        the way.
        """
        return not self._on_lease or _boot_seconds() - self._renewed < LEASE_SECONDS or self._renew(driver)

    def _renew(self, driver: Driver) -> bool:
        """Say something. The lease counts from before that, because the server counts from when it has heard it."""
        now = _boot_seconds()
        try:
            driver.execute("SELECT 1")
        except psycopg.Error:
            # It leaves a connection that is not alive.
            return False
        self._renewed = now
        return True

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Keep the lease for as long as this lasts, by a thread that does nothing else."""
        stop = threading.Event()

        def renew() -> None:
            while not stop.wait(_RENEWED_SECONDS):
                with self._threads:
                    if self._driver is not None:
                        self._renew(self._driver)

        thread = threading.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def close(self) -> None:
        """Free the lock."""
        with self._threads:
            self._let_go()

    def _let_go(self) -> None:
        if self._driver is not None:
            self._driver.close()
        self._driver = None

    def _take(self) -> Driver:
        driver = _connected(self._server)
        try:
            driver.execute(_SESSION + (f"; {_LEASE}" if self._on_lease else ""))
            taken = driver.execute(_TAKE).fetchone()
        except psycopg.Error as error:
            driver.close()
            raise in_words(error, self._server) from None
        if taken != (True,):
            driver.close()
            raise HeldElsewhereError(
                f"another service runs on the database {self._server.place}: one database is for one service, so stop one"
            )
        return driver


def is_taken(server: Server) -> bool:
    """Return whether a service has the lock at this moment. Raises `ServerFailure`."""
    with closing(_connected(server)) as driver:
        try:
            return driver.execute(_TAKE_FOR_A_MOMENT).fetchone() != (True,)
        except psycopg.Error as error:
            raise in_words(error, server) from None


def _connected(server: Server) -> Driver:
    try:
        return connect(server)
    except psycopg.Error as error:
        raise while_connecting(error, server) from None


def _boot_seconds() -> float:
    """Return seconds by a clock that goes on while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _is_alive(driver: Driver) -> bool:
    """Read what the server has sent, the end of the connection for one, without waiting."""
    try:
        # First the server's last words, if any, and then the end.
        driver.pgconn.consume_input()
        driver.pgconn.consume_input()
    except psycopg.OperationalError:
        return False
    return driver.pgconn.status == psycopg.pq.ConnStatus.OK
