"""gunicorn's worker: many connections on one thread, each in a greenlet that waits without blocking others.

Threads would compete for Python's lock at every system call, and each call that waits for
publication would occupy one. Greenlets switch only where they wait, and cost next to nothing.

There are places for ``--connections`` callers. Before the last one is taken, the connection that has been silent
longest is closed, so there is always a place for the next caller. On the engines' listener those without a token are
closed first: no number of them closes the connection of an engine.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn, cast

from gunicorn.arbiter import Arbiter
from gunicorn.http.message import Request
from gunicorn.util import close_graceful
from gunicorn.workers.ggevent import GeventWorker

from api.custody.custodian import SeedsUnavailableError
from api.operations.counts import counts
from api.present_request import present_request
from api.problems import Code, Problem
from api.server.connection import Connection, TimelyBody
from api.server.malformed_requests import MalformedRequests, answer, is_malformed
from api.server.refusals import Refusals
from api.server.request_ids import new_request
from api.settings import Settings, SettingsError
from api.world.storage_failures import STORAGE_FAILURES, in_words
from fairness.errors import quote

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from gunicorn.http.body import Body

_Address = str | int | tuple[str, int]
_Application = Callable[..., Iterable[bytes]]
_NOT_LET_IN = ("401", "421")
"""No token, and an engine's call at the public's listener: anybody can be refused so, without end."""


class Worker(GeventWorker):
    """One process of the API. When it stops, it finishes requests in progress and closes idle connections."""

    _connections: set[Connection]
    _malformed: MalformedRequests
    _refusals: Refusals

    def init_process(self) -> None:
        """Prepare this process, and answer until it is stopped."""
        self._connections = set()
        self._malformed = MalformedRequests(self.log.warning, counts().malformed)
        self._refusals = Refusals()
        super().init_process()

    def run(self) -> None:
        """Answer until this process is stopped."""
        try:
            super().run()
        finally:
            self._malformed.report(last=True)

    def load_wsgi(self) -> None:
        """Load the application. If that fails for what an operator can mend, one line says so, and gunicorn ends."""
        try:
            super().load_wsgi()
        except (SettingsError, SeedsUnavailableError) as error:
            self._give_up(str(error))
        except STORAGE_FAILURES as error:
            self._give_up(in_words(error, Settings.from_environment()))
        self.wsgi = _noting(self.wsgi, self._refusals)

    def _give_up(self, why: str) -> NoReturn:
        self.log.critical("%s", why)
        sys.exit(Arbiter.WORKER_BOOT_ERROR)

    def handle(self, listener: socket.socket, client: Any, addr: _Address) -> None:  # noqa: ANN401 -- as gevent and gunicorn declare it
        """Answer a connection, as long as it lasts."""
        connection = Connection(client, self.cfg.keepalive)
        self._connections.add(connection)
        self._make_room()
        try:
            super().handle(listener, connection, addr)
        finally:
            self._connections.discard(connection)

    def handle_request(self, listener_name: _Address, req: Request, sock: socket.socket, addr: _Address) -> bool:
        """Answer a request. `StopIteration` says that the connection ends with it."""
        connection = cast("Connection", sock)
        req.body = TimelyBody(cast("Body", req.body), connection.patience)
        connection.request = req
        try:
            try:
                return super().handle_request(listener_name, req, sock, addr)
            finally:
                connection.flush()
        except StopIteration:
            close_graceful(sock)
            raise
        finally:
            connection.request = None

    def handle_error(self, req: Request | None, client: socket.socket, addr: _Address, exc: BaseException) -> None:
        """Answer a request that could not be read or answered: the last one of its connection."""
        present_request.set(new_request())
        if is_malformed(exc):
            self._malformed.note(addr[0] if isinstance(addr, tuple) else "the socket", exc)
            if isinstance(client, Connection):
                client.wait(self._refusals.next())
            answer(client, Problem(Code.MALFORMED_REQUEST, quote(str(exc))))
        else:
            # Without the query, in which somebody may have put a token.
            place = quote(req.path if req else "the start of a request")
            self.log.error("an unexpected error at %s", place, exc_info=exc)
            answer(client, Problem(Code.INTERNAL, "the operator's log says more"))
        # A connection that is closed with unread data is reset, and the caller would not see the answer.
        close_graceful(client)

    def notify(self) -> None:
        """Report to the master that this process is alive, once a second, until the last connection has ended."""
        super().notify()
        self._malformed.report()
        # All places may have been taken when none of the callers was silent: then nobody has come since.
        self._make_room()
        if not self.alive:
            for connection in self._connections:
                if connection.request is None:
                    connection.shut_reading()

    def _make_room(self) -> None:
        """Close the connection that has been silent longest, when the last place is taken."""
        if len(self._connections) < self.worker_connections:
            return
        silent = [connection for connection in self._connections if connection.waits]
        if silent:
            longest = min(silent, key=lambda connection: (connection.known, connection.moved))
            # Its greenlet ends in a moment. Until then nobody should close it a second time, in the place of another.
            self._connections.discard(longest)
            longest.hang_up()


def _has_body(method: str, headers: Iterable[tuple[str, str]]) -> bool:
    """Return whether a body of a known length follows the head. One of unknown length, like a stream of events, may
    come much later.
    """
    return method != "HEAD" and any(name.lower() == "content-length" and length != "0" for name, length in headers)


def _noting(application: _Application, refusals: Refusals) -> _Application:
    """Return the application; its answers say whether a caller is let in, and whether the connection can go on.

    Callers who are not let in wait for one another (`refusals`).
    """

    def noted(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        connection: Connection = environ["gunicorn.socket"]

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Any:  # noqa: ANN401 -- as gevent and gunicorn declare it
            connection.known = not status.startswith(_NOT_LET_IN)
            if not connection.known:
                connection.wait(refusals.next())
            # A body that the application does not read is not read by anybody else.
            if connection.request is not None and not environ["wsgi.input"].ended:
                connection.request.force_close()
            if _has_body(environ["REQUEST_METHOD"], headers):
                connection.hold_head()
            return start_response(status, headers, exc_info)

        return application(environ, start)

    return noted
