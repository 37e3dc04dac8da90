"""The lock of the one service on a database in PostgreSQL, whichever machine and folder it has.

It is an advisory lock on a connection of its own: the server frees it when that connection ends. After a restart or a
failover of the server it has to be taken again. Until it is known to be lost, two may believe to have it, for the
seconds in which a dead connection is noticed; nothing is signed twice then, because the head is moved by a
compare-and-swap.
"""

from __future__ import annotations

import threading
import time

import psycopg

from api.settings import Server
from api.sql.pipeline import Driver
from api.sql.postgres import connect
from api.sql.refusals import in_words, while_connecting
from api.world.storage_failures import ServerFailure

_SILENCE_SECONDS = 1.0
"""After an attempt that failed, in which nobody tries again: many parts ask."""
_SESSION = """
SET idle_session_timeout = 0;
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 2
"""
"""The server keeps an idle holder, and notices within seconds if its machine is gone."""
_TAKE = b"SELECT pg_try_advisory_lock(hashtext('foredraw service'), hashtext(coalesce(current_schema(), '')))"


class HeldElsewhereError(ServerFailure):
    """Another service has the lock."""


class ServerLock:
    """One process's hold of the database; its threads may share it."""

    def __init__(self, server: Server) -> None:
        """Takes nothing yet."""
        self._server = server
        self._threads = threading.Lock()
        self._driver: psycopg.Connection[tuple[object, ...]] | None = None
        self._failure: ServerFailure | None = None
        self._failed = 0.0

    def hold(self) -> None:
        """Take the lock, or find it held still, without asking the server. Raises `ServerFailure`."""
        with self._threads:
            if self._driver is not None and _is_alive(self._driver):
                return
            self._let_go()
            if self._failure is not None and time.monotonic() - self._failed < _SILENCE_SECONDS:
                raise type(self._failure)(str(self._failure))
            try:
                self._driver = self._take()
            except ServerFailure as failure:
                self._failure, self._failed = failure, time.monotonic()
                raise

    def close(self) -> None:
        """Free the lock."""
        with self._threads:
            self._let_go()

    def _let_go(self) -> None:
        if self._driver is not None:
            self._driver.close()
        self._driver = None

    def _take(self) -> Driver:
        try:
            driver = connect(self._server)
        except psycopg.Error as error:
            raise while_connecting(error, self._server) from None
        try:
            driver.execute(_SESSION)
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


def _is_alive(driver: Driver) -> bool:
    """Read what the server has sent, the end of the connection for one, without waiting."""
    try:
        # First the server's last words, if any, and then the end.
        driver.pgconn.consume_input()
        driver.pgconn.consume_input()
    except psycopg.OperationalError:
        return False
    return driver.pgconn.status == psycopg.pq.ConnStatus.OK
