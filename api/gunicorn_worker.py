"""gunicorn's worker: many connections on one thread, each in a greenlet that waits without holding anybody up.

Threads would take turns under Python's lock at every call of the system, and each call that waits for
publication would hold one. Greenlets change places only where they wait, and cost next to nothing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress

from gevent import get_hub
from gevent.monkey import get_original
from gunicorn.http.message import Request
from gunicorn.util import close_graceful
from gunicorn.workers.ggevent import GeventWorker

from api.malformed_requests import MalformedRequests, answer, is_malformed
from api.problems import Code, Problem
from api.shared_count import SharedCount
from fairness.errors import quote

_Address = str | int | tuple[str, int]
_PlainSocket = get_original("socket", "socket")


class Worker(GeventWorker):
    """One process of the API. When it stops, it ends what is asked, and waits for nobody who is silent."""

    _silent: set[socket.socket]
    """Connections between two requests."""
    _malformed: MalformedRequests

    def init_process(self) -> None:
        """Prepare this process, and answer until it is to end."""
        self._silent = set()
        self._malformed = MalformedRequests(self.log.warning, SharedCount())
        super().init_process()

    def run(self) -> None:
        """Answer until this process is to end."""
        try:
            super().run()
        finally:
            self._malformed.report(last=True)

    def handle(self, listener: socket.socket, client: socket.socket, addr: _Address) -> None:
        """Answer a connection, as long as it lasts."""
        self._silent.add(client)
        try:
            super().handle(listener, client, addr)
        finally:
            self._silent.discard(client)

    def handle_request(self, listener_name: _Address, req: Request, sock: socket.socket, addr: _Address) -> bool:
        """Answer a request. `StopIteration` says that the connection ends with it."""
        self._silent.discard(sock)
        try:
            return super().handle_request(listener_name, req, sock, addr)
        except StopIteration:
            close_graceful(sock)
            raise
        finally:
            self._silent.add(sock)

    def handle_error(self, req: Request | None, client: socket.socket, addr: _Address, exc: BaseException) -> None:
        """Answer what could not be read, or could not be answered."""
        if is_malformed(exc):
            self._malformed.note(addr[0] if isinstance(addr, tuple) else "the socket", exc)
            answer(client, Problem(Code.MALFORMED_REQUEST, quote(str(exc))))
        else:
            # Without the query, in which somebody may have put a token.
            place = quote(req.path if req else "the start of a request")
            self.log.error("an unexpected error at %s", place, exc_info=exc)
            answer(client, Problem(Code.INTERNAL, "the operator's log says more"))
        # Closed with something unread, a connection would be reset, and the caller not see the answer.
        close_graceful(client)

    def notify(self) -> None:
        """Tell the master that this process lives: once a second, until the last connection has ended."""
        super().notify()
        self._malformed.report()
        if not self.alive:
            for client in self._silent:
                _hear_no_more(client)


def _hear_no_more(client: socket.socket) -> None:
    """What has arrived is still read; after it comes the end, as if the caller had hung up."""
    # Through gevent's own socket it would be an error for the greenlet that listens.
    with suppress(OSError), _PlainSocket(fileno=os.dup(client.fileno())) as same:
        same.shutdown(socket.SHUT_RD)


def in_a_thread(call: Callable[[], object]) -> object:
    """Make a call that blocks, in a thread beside this one; the other connections are answered meanwhile."""
    return get_hub().threadpool.apply(call)
