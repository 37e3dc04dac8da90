"""The connections that the calls of one process share: a few, each lent to one call at a time.

A connection that is given back goes to the call that has waited longest. If it went to whoever asks next, a call that
comes by would have it before those that wait, and under load some of these would wait until they give up (as with
SQLAlchemy's pool). psycopg's pool keeps that order, but connects in threads of its own and repeats that: a call would
wait for all of its patience to learn that the server is away, and would not learn why.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from fcntl import ioctl
from termios import FIONREAD

import psycopg

from api.sql.pipeline import PostgresConnection


class NoConnectionLeft(Exception):
    """Other calls have all connections, and none was given back in time."""


class _Waiter:
    """A call that waits, and what it gets: a connection, or `None` for a place in which it may make one."""

    __slots__ = ("connection", "woken")

    def __init__(self) -> None:
        self.connection: PostgresConnection | None = None
        self.woken = threading.Lock()
        self.woken.acquire()


class Pool:
    """At most so many connections, made when they are first needed."""

    def __init__(self, connect: Callable[[], PostgresConnection], most: int, patience_seconds: float) -> None:
        self._connect, self._patience = connect, patience_seconds
        self._places = most
        """For connections that are not made yet."""
        self._idle: list[PostgresConnection] = []
        self._waiting: deque[_Waiter] = deque()
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """How many calls wait for a connection."""
        return len(self._waiting)

    def take(self) -> PostgresConnection:
        """Return a connection that the server has not closed, as far as that shows. Raises `NoConnectionLeft`, or
        `psycopg.Error`.
        """
        connection, waiter = None, None
        with self._lock:
            if self._idle:
                # The one that was used last: what only a crowd needed stays idle.
                connection = self._idle.pop()
            elif self._places:
                self._places -= 1
            else:
                waiter = _Waiter()
                self._waiting.append(waiter)
        if waiter is not None:
            connection = self._wait(waiter)
        if connection is not None and _is_alive(connection):
            return connection
        try:
            if connection is not None:
                # What ended this one has most likely ended the others.
                self._close_idle()
            return self._connect()
        except BaseException:
            self.give_back(None)
            raise

    def give_back(self, connection: PostgresConnection | None) -> None:
        """Let another call have it; `None` in the place of one that cannot be used any more."""
        if connection is not None and self._is_closed:
            connection.close()
            connection = None
        with self._lock:
            if self._waiting:
                waiter = self._waiting.popleft()
                waiter.connection = connection
                waiter.woken.release()
            elif connection is None:
                self._places += 1
            else:
                self._idle.append(connection)

    def close(self) -> None:
        """Close all connections: those that are lent, when they are given back."""
        self._is_closed = True
        self._close_idle()

    def _wait(self, waiter: _Waiter) -> PostgresConnection | None:
        waiter.woken.acquire(timeout=self._patience)
        with self._lock:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
                raise NoConnectionLeft
        return waiter.connection

    def _close_idle(self) -> None:
        with self._lock:
            closed, self._idle = self._idle, []
            self._places += len(closed)
        for connection in closed:
            connection.close()


def _is_alive(connection: PostgresConnection) -> bool:
    """Look, without asking the server, whether it has closed an idle connection; then it is closed on this side,
    too.
    """
    driver = connection.driver
    try:
        # Nothing is sent to a connection that asks nothing, but for the last words of a server that ends it.
        if int.from_bytes(ioctl(driver.fileno(), FIONREAD, bytes(4)), sys.byteorder):
            driver.close()
        else:
            driver.pgconn.consume_input()
    except (psycopg.OperationalError, OSError):
        driver.close()
    return not driver.closed
