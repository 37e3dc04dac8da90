"""A database in PostgreSQL, which several processes and machines may share.

Each call has a transaction of its own, and PostgreSQL commits those of many together. Isolation is READ COMMITTED: a
statement sees what was committed before it began. So a transaction that changes a table begins with the lock of that
table's row (`TAKE_TABLE`), and whatever it reads after that, no other transaction changes until it ends. The
sequencer begins with the row of the head: a compare-and-swap, because an UPDATE that had to wait compares again with
what was committed meanwhile (`MOVE_HEAD`). READ COMMITTED has no serialization failures. A transaction takes its
locks in one order (names, one table, the journal's head), so none waits for another in a circle; should PostgreSQL
find such a circle nevertheless, the work is done again.

Few round trips: a transaction is a pipeline (`api.sql.pipeline`). What needs no answer is sent without waiting for
one, BEGIN and the lock together with the first query, and the changes together with COMMIT, whose answer is checked.

A connection that broke is noticed before it is used. While the server is away each call fails at once, or after
seconds, and the first one after its return works. A server that works and does not finish ends a statement itself
after 15 seconds. One whose processes are halted ends nothing: the call that waits for it gives up after
`ANSWER_SECONDS`, other calls on the table, and those that find no connection, before that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar, cast

import psycopg
from sqlalchemy import Connection as Alchemy
from sqlalchemy import NullPool, create_engine
from sqlalchemy.exc import DBAPIError

from api.settings import Server, SettingsError
from api.sharing.named_locks import NamedLocks, StillTaken
from api.sql.connection import Connection
from api.sql.database import HELD_SECONDS, Database
from api.sql.pipeline import Driver, PostgresConnection
from api.sql.pool import NoConnectionLeft, Pool
from api.sql.refusals import (
    held,
    in_words,
    is_worth_repeating,
    not_in_utf8,
    read_only,
    through_a_pooler,
    while_connecting,
)
from api.world.storage_failures import ServerFailure

CONNECTIONS = 10
"""The most connections of one process."""
_PATIENCE_SECONDS = 5.0
"""For a connection that another call has, and for a server that does not answer."""
_LOCK_SECONDS = 15.0
"""For other calls on the same table: a little longer than one of them waits for a lock of another process."""
HALTED_SECONDS = 2
"""How long the server hears nothing of a transaction before it ends it: a process that was halted in one keeps a
table from the others no longer. With the wait for publication (`api.rounds.calls`) it is less than nginx waits for an
answer.
"""
_TRIES = 5
_SESSION = f"""
SET lock_timeout = '10s';
SET statement_timeout = '15s';
SET idle_in_transaction_session_timeout = '{HALTED_SECONDS}s';
SET bytea_output = 'hex';
SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
"""
"""A commit that returned is durable."""

_LITTLE_MEMORY = ("SET LOCAL work_mem = '64kB'", "SET LOCAL temp_tablespaces = ''")
_SPILL = "WITH spilled AS MATERIALIZED (SELECT repeat('x', 8192) FROM generate_series(1, 2048)) SELECT count(*) FROM spilled"
"""Writes 16 MiB into a temporary file of the database's disk, which is gone at the end: as much as PostgreSQL needs
for the next file of its own log, without which it ends. It changes nothing, and nothing waits for the disk; it takes
some 50 ms.
"""
_SPILL_SECONDS = 5.0
"""How long its answer counts."""
_HOLDERS = """
SELECT l.virtualtransaction, bool_or(
        l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        OR l.pid IN (
            SELECT unnest(pg_blocking_pids(w.pid)) FROM pg_stat_activity w
                WHERE w.application_name = current_setting('application_name') AND w.wait_event_type = 'Lock'
        )
    ) FROM pg_locks l
    JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
    JOIN pg_class c ON c.oid = l.relation AND c.relkind = 'r'
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_stat_activity a ON a.pid = l.pid AND a.application_name <> current_setting('application_name')
    WHERE l.granted AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')
    GROUP BY l.virtualtransaction
"""
"""The transactions of other programs that have locked rows or tables, and whether that keeps a change from being
made: a whole table is locked against changes, or one of us waits for the rows now. They keep such a lock to their
end.
"""
_AT_LENGTH = "SET LOCAL idle_in_transaction_session_timeout = 0"
_WITHOUT_WAITING = ("SET LOCAL lock_timeout = '1ms'", "SET LOCAL synchronous_commit = off")

Result = TypeVar("Result")


def _in_turn(one: Result, other: Result) -> tuple[Result, ...]:
    """Order them in a way that shows a pooler, whether it gives a connection the process that was used last, or the
    one of longest ago.
    """
    return one, other, one, one, other, one, other, other


class PostgresDatabase(Database):
    """The one way to a server's rows."""

    system = "postgresql"

    def __init__(self, server: Server, schema: str = "") -> None:
        """Connects when something is read or written first. A ``schema`` takes the place of the server's choice."""
        self._server, self._schema = server, schema
        self._pool = Pool(lambda: PostgresConnection(self._connect()), CONNECTIONS, _PATIENCE_SECONDS)
        self._locks = NamedLocks()
        self._room: tuple[float, ServerFailure | None] | None = None
        """When it was looked for last, and what was wrong."""
        self._holders: dict[str, float] = {}
        """Since when this process has seen transactions of others in our way (monotonic clock)."""

    @contextmanager
    def read(self) -> Iterator[PostgresConnection]:
        """Lend a connection for reading; each statement stands alone."""
        with self._part("read"), self._connection() as connection:
            yield connection

    def write(self, work: Callable[[Connection], Result], lock_name: str = "") -> Result:
        """Do ``work`` in a transaction; it waits for others with this ``lock_name`` before it takes a connection.

        Otherwise many calls on one table would wait for its row with all connections, and those on other tables for
        them.
        """
        if not lock_name:
            with self._part("write"):
                return self._write(work)
        try:
            with self._part("write"), self._locks.take(lock_name, _LOCK_SECONDS):
                return self._write(work)
        except StillTaken:
            raise ServerFailure(
                f"{lock_name} waits for another call on it, to which the database {self._server.place} has not answered for"
                f" {_LOCK_SECONDS:g} seconds. Look at what PostgreSQL waits for, and the service can go on"
            ) from None

    def write_at_length(self, work: Callable[[Connection], Result]) -> Result:
        """Do ``work`` in a transaction that the server does not end while it hears nothing of it."""

        def without_limit(connection: Connection) -> Result:
            connection.run(_AT_LENGTH)
            return work(connection)

        with self._part("write"):
            return self._write(without_limit)

    def write_if_free(self, work: Callable[[Connection], object]) -> None:
        """Do ``work`` in a transaction that waits neither for a lock nor for the disk of any server."""

        def without_waiting(connection: Connection) -> None:
            for statement in _WITHOUT_WAITING:
                connection.run(statement)
            work(connection)

        with self._part("write"), suppress(_RolledBack):
            self._try_to_write(without_waiting)

    def _write(self, work: Callable[[Connection], Result]) -> Result:
        for _ in range(_TRIES - 1):
            try:
                return self._try_to_write(work)
            except _Again:
                continue
        return self._try_to_write(work)

    def _try_to_write(self, work: Callable[[Connection], Result]) -> Result:
        with self._connection() as connection:
            try:
                connection.begin()
                result = work(connection)
                self._commit(connection)
            except BaseException:
                connection.roll_back()
                raise
        return result

    def _commit(self, connection: PostgresConnection) -> None:
        if not connection.commit():
            # A transaction in which something failed ends so, although nothing was raised.
            raise ServerFailure("PostgreSQL rolled a transaction back. Look at its log")

    def check_writable(self) -> None:
        """Raise `ServerFailure` if the server takes no changes.

        It is a standby, was made read-only, its disk is full, or another program has held it for seconds.
        """
        self.look_whether_held()
        with self._connection() as connection:
            if connection.rows("SELECT current_setting('transaction_read_only')", ()) != [("off",)]:
                raise ServerFailure(read_only(self._server))
        if self._room is None or time.monotonic() - self._room[0] >= _SPILL_SECONDS:
            self._room = time.monotonic(), self._lack_of_room()
        if (failure := self._room[1]) is not None:
            raise type(failure)(str(failure))

    def look_whether_held(self) -> None:
        """Raise `ServerFailure` if another program has held it for seconds. Each process asks the server itself."""
        with self._connection() as connection:
            found = connection.rows(_HOLDERS, ())
        now = time.monotonic()
        # One that was in our way once is until it ends: who waited for it has given up meanwhile.
        self._holders = {
            each: self._holders.get(each, now)
            for each, is_in_our_way in found
            if is_in_our_way or each in self._holders
        }
        if any(now - since >= HELD_SECONDS for since in self._holders.values()):
            raise ServerFailure(held(self._server, "a transaction has locked rows or tables, and does not end"))

    def _lack_of_room(self) -> ServerFailure | None:
        """Return why nothing more can be stored on the database's disk; `None` if it can."""
        try:
            with self._connection() as connection:
                try:
                    connection.begin()
                    for statement in _LITTLE_MEMORY:
                        connection.run(statement)
                    connection.rows(_SPILL, ())
                except psycopg.errors.ConfigurationLimitExceeded:
                    # The administrator allows smaller files only (temp_file_limit), so it stays unknown.
                    return None
                finally:
                    connection.roll_back()
        except ServerFailure as failure:
            return failure
        return None

    def prepare(self) -> None:
        """Refuse a database that no schema should be made in; to make one is its administrator's. Raises
        `SettingsError`.
        """
        try:
            with closing(connect(self._server)) as one, closing(connect(self._server)) as other:
                encodings = one.execute("SHOW server_encoding").fetchall()
                asked = _in_turn(one, other)
                answers = [driver.execute("SELECT pg_backend_pid()").fetchall() for driver in asked]
        except psycopg.Error as error:
            raise while_connecting(error, self._server) from None
        if encodings != [("UTF8",)]:
            raise SettingsError(not_in_utf8(self._server, str(encodings[0][0])))
        # Each connection has a process of the server to itself, unless a pooler gives it another one each time.
        if answers[0] == answers[1] or answers != list(_in_turn(answers[0], answers[1])):
            raise SettingsError(through_a_pooler(self._server))

    def alter(self, work: Callable[[Alchemy], None]) -> None:
        """Do ``work`` in a transaction of its own, without a limit on the time of a statement."""
        self.prepare()

        def connected() -> Driver:
            driver = self._connect()
            driver.execute("SET statement_timeout = 0")
            driver.autocommit = False
            return driver

        engine = create_engine("postgresql+psycopg://", creator=cast("Any", connected), poolclass=NullPool)
        try:
            with engine.begin() as connection:
                work(connection)
        except DBAPIError as error:
            raise in_words(cast("psycopg.Error", error.orig), self._server) from None
        except psycopg.Error as error:
            raise while_connecting(error, self._server) from None

    def dispose(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _connect(self) -> Driver:
        driver = connect(self._server)
        if self._schema:
            driver.execute(f"SET search_path = {self._schema}".encode())
        return driver

    @contextmanager
    def _connection(self) -> Iterator[PostgresConnection]:
        """Lend a connection of the pool; what fails on it is raised in words. One that broke is not used again."""
        try:
            connection = self._pool.take()
        except psycopg.Error as error:
            raise while_connecting(error, self._server) from None
        except NoConnectionLeft:
            raise ServerFailure(
                f"all {CONNECTIONS} connections of this process to PostgreSQL are in use. Look for what it waits for"
            ) from None
        try:
            yield connection
        except psycopg.Error as error:
            # The loser of a deadlock retries on a new connection; by then the winner has its lock.
            if is_worth_repeating(error):
                connection.close()
                raise _Again(in_words(error, self._server)) from None
            if isinstance(error, psycopg.errors.LockNotAvailable):
                raise _Locked(in_words(error, self._server)) from None
            raise in_words(error, self._server) from None
        finally:
            # What was only refused leaves a connection that can be used.
            if connection.is_idle:
                self._pool.give_back(connection)
            else:
                connection.close()
                self._pool.give_back(None)


class _RolledBack(ServerFailure):
    """Another transaction was in the way."""

    def __init__(self, failure: ServerFailure) -> None:
        super().__init__(str(failure))


class _Again(_RolledBack):
    """So the work is to be done again."""


class _Locked(_RolledBack):
    """Another transaction held a lock for longer than this one could wait."""


def connect(server: Server) -> Driver:
    """Return a new connection of the service's kind."""
    driver = psycopg.connect(
        server.secret_address,
        autocommit=True,
        application_name="foredraw",
        client_encoding="utf8",
        connect_timeout=int(_PATIENCE_SECONDS),
        keepalives_idle=5,
        keepalives_interval=5,
        keepalives_count=2,
        tcp_user_timeout=10_000,
    )
    driver.execute(_SESSION)
    return driver
