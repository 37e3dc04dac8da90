"""A connection to PostgreSQL that sends many statements before it waits for an answer: libpq's pipeline.

psycopg connects, carries libpq, and knows what its results and errors mean in Python. Its cursors are not used: a
change of a round costs them a millisecond of processor time, and this file a tenth of that. Each statement is parsed
by the server once for each connection, and looked up by its name after that.

No answer is waited for without end. A server whose processes are halted still holds its connections open, and its
system confirms what is sent; after `ANSWER_SECONDS` of silence this side closes the connection.
"""

from __future__ import annotations

import itertools
import re
import select
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

from api.sql.connection import Connection, Engine, Parameters

ANSWER_SECONDS = 20.0
"""Longer than the server itself lets a statement take."""
_MOST_UNREAD = 1000
"""Answers, of statements that are sent without waiting: neither side's buffers grow with a long list."""
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|(s)|%)", re.ASCII)
_TEXT, _BINARY = 0, 1

Driver = psycopg.Connection[tuple[Any, ...]]


class PostgresConnection(Connection):
    """An open connection to a server. What it raises of the server's refusals is psycopg's."""

    engine = Engine.POSTGRESQL
    __slots__ = (
        "_awaited",
        "_in_transaction",
        "_libpq",
        "_names",
        "_new_names",
        "_numbers",
        "_transformer",
        "driver",
    )

    def __init__(self, driver: Driver) -> None:
        """From now on, only this object sends anything over the connection."""
        self.driver = driver
        self._libpq = driver.pgconn
        self._transformer = Transformer(driver)
        self._names: dict[bytes, bytes] = {}
        self._new_names: list[bytes] = []
        self._numbers = itertools.count()
        self._awaited = 0
        self._in_transaction = False
        self._libpq.enter_pipeline_mode()

    @property
    def is_idle(self) -> bool:
        """Whether the next call can use it."""
        return not self.driver.closed and self._libpq.transaction_status == TransactionStatus.IDLE

    def rows(self, sql: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        """Run a statement, and wait for its rows."""
        self._send(sql, parameters, _BINARY)
        result = self._wait()
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(0, result.ntuples, tuple)

    def run(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement; in a transaction, without waiting for it."""
        self._send(sql, parameters)
        if not self._in_transaction:
            self._wait()

    def changed(self, sql: str, parameters: Parameters) -> int:
        """Run a statement, and wait; returns how many rows it changed."""
        self._send(sql, parameters)
        return self._wait().command_tuples or 0

    def run_many(self, sql: str, each: Iterable[Parameters]) -> None:
        """Run a statement with each of many sets of parameters; in a transaction, without waiting for the last."""
        for parameters in each:
            self._send(sql, parameters)
            if self._awaited >= _MOST_UNREAD:
                self._wait()
        if not self._in_transaction and self._awaited:
            self._wait()

    def begin(self) -> None:
        """Begin a transaction, with the next statement that is waited for."""
        self._in_transaction = True
        self._send(_BEGIN)

    def commit(self) -> bool:
        """Commit, and wait. False if the server rolled back instead, as it does after a failure."""
        self._send("COMMIT")
        self._in_transaction = False
        return self._wait().command_status == b"COMMIT"

    def roll_back(self) -> None:
        """End a transaction, in whatever state it is. A connection that cannot do that is closed, which ends it as
        well.
        """
        self._in_transaction = False
        if self.driver.closed:
            return
        self._forget_new_names()
        try:
            # After a failure the server skips everything up to the first of the two.
            self._libpq.pipeline_sync()
            self._send("ROLLBACK")
            self._libpq.pipeline_sync()
            self._libpq.flush()
            for _ in range(2):
                self._read_to_sync()
            self._awaited = 0
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """Close it, without asking the server."""
        self.driver.close()

    def _send(self, sql: str, parameters: Parameters = (), form: int = _TEXT) -> None:
        """Hand a statement to libpq, which sends it at the latest when an answer is waited for."""
        if not parameters:
            self._libpq.send_query_params(sql.encode(), None, result_format=form)
        else:
            text, names = numbered(sql)
            values = parameters if isinstance(parameters, tuple) else [parameters[name] for name in names]
            # What is no parameter is refused before anything is sent.
            dumped = [_dumped(value) for value in values]
            formats = [_BINARY if isinstance(value, bytes) else _TEXT for value in values]
            self._libpq.send_query_prepared(self._names.get(text) or self._prepare(text), dumped, formats, form)
        self._awaited += 1

    def _prepare(self, text: bytes) -> bytes:
        name = self._names[text] = b"s%d" % next(self._numbers)
        self._new_names.append(text)
        self._libpq.send_prepare(name, text)
        self._awaited += 1
        return name

    def _wait(self) -> PGresult:
        """Send everything, and read all answers; returns the last. Raises the first failure among them."""
        # A flush would do within a transaction. But only after a sync does the server find a client idle, and end a
        # transaction whose client was halted in it: without one, it would keep the rows for as long as that lasts.
        self._libpq.pipeline_sync()
        self._libpq.flush()
        refused = None
        while self._awaited:
            result = self._next()
            self._awaited -= 1
            if refused is None and result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
                refused = result
        self._read_to_sync()
        if refused is not None:
            raise self._failure(refused)
        self._new_names.clear()
        return result

    def _read_to_sync(self) -> None:
        while self._next().status != ExecStatus.PIPELINE_SYNC:
            pass

    def _next(self) -> PGresult:
        """Return the next answer. Raises `psycopg.OperationalError` if there is none for too long, and closes the
        connection.
        """
        while True:
            if self._libpq.is_busy():
                self._exchange()
            elif (result := self._libpq.get_result()) is not None:
                return result
            elif self.driver.closed:
                raise psycopg.OperationalError("the connection is closed")

    def _exchange(self) -> None:
        """Send and receive until something was received."""
        deadline = time.monotonic() + ANSWER_SECONDS
        poll = select.poll()
        while True:
            unsent = self._libpq.flush()
            poll.register(self._libpq.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
            ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                self.close()
                raise psycopg.OperationalError(f"no answer for {ANSWER_SECONDS:g} seconds")
            if ready[0][1] & ~select.POLLOUT:
                self._libpq.consume_input()
                return

    def _failure(self, result: PGresult) -> psycopg.Error:
        self._forget_new_names()
        if result.error_field(DiagnosticField.SQLSTATE) is None:
            # libpq's own words: the connection is lost.
            return psycopg.OperationalError(result.get_error_message())
        return error_from_result(result)

    def _forget_new_names(self) -> None:
        """Forget them, because nobody knows whether the server has parsed what was sent last: after a failure it
        skips the rest.
        """
        for text in self._new_names:
            del self._names[text]
        self._new_names.clear()


@cache
def numbered(sql: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a statement with its parameters as PostgreSQL numbers them, and the names of these, if they have any."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        return f"${numbers.setdefault(found[1] or str(len(numbers)), len(numbers) + 1)}"

    return _PLACEHOLDER.sub(number, sql).encode(), tuple(numbers)


def _dumped(value: object) -> bytes | None:
    """Return a parameter as libpq takes it: bytes in binary form, all others as text, whose types the statement
    says.
    """
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        if "\0" in value:
            raise psycopg.DataError("a text holds a zero byte, which PostgreSQL does not store")
        return value.encode()
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        return b"%d" % value
    raise TypeError(f"expected None, bytes, a text, a truth value or a number, found {type(value).__name__}")
