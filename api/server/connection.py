"""One caller's connection and what the caller sends: both have deadlines.

A process has places for a limited number of connections. A caller that sends half a request, or reads nothing of the
answer, keeps others out; so each step of a caller has a deadline, and a connection knows how long its caller has been
silent.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from errno import EPIPE
from socket import SHUT_RD, SHUT_RDWR, SO_LINGER, SOL_SOCKET
from time import monotonic
from typing import TYPE_CHECKING, Any

from gevent import Timeout
from gevent.event import Event
from gevent.monkey import get_original
from gevent.socket import socket
from gunicorn.http.body import Body

from api.problems import Code, Problem

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from gunicorn.http.message import Request

_PlainSocket = get_original("socket", "socket")
_RESET = struct.pack("ii", 1, 0)


class Connection(socket):
    """A socket that knows whether it is waiting for its caller, and since when."""

    def __init__(self, client: socket, patience: float) -> None:
        family, kind, proto = client.family, client.type, client.proto
        super().__init__(family, kind, proto, fileno=client.detach())
        self.patience = patience
        self.waits = False
        """Whether the next step is the caller's, to send something or to take something; or whether it waits for a
        refusal.
        """
        self.moved = monotonic()
        """When the caller last sent or received something."""
        self.known = False
        """Whether the caller has been let in: the last answer did not ask for a token, nor for the other listener."""
        self.request: Request | None = None
        """What is being answered."""
        self._hung_up = Event()
        self._holds = False
        self._held = b""

    def recv(self, *args: Any) -> bytes:  # noqa: ANN401 -- as gevent and gunicorn declare it
        """Return what the caller sends; reading it starts its deadline."""
        self.waits = True
        try:
            data = super().recv(*args)
        finally:
            self.waits = False
        self.moved = monotonic()
        return data

    def hold_head(self) -> None:
        """Hold what is sent next, the head of an answer: send it together with the start of the body, which follows
        at once.
        """
        self._holds = True

    def flush(self) -> None:
        """Send a head that is still held, because no body has followed; unless the connection was closed."""
        self._holds = False
        if self._held and self.fileno() >= 0:
            self.sendall(b"")

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        """Send all of it, or hold it if it is a head that a body will follow.

        Sending is the largest part of what a short answer costs, so head and body are sent in one call of the system,
        not in two.
        """
        if self._holds:
            self._holds, self._held = False, bytes(data)
            return
        if self._held:
            data, self._held = self._held + bytes(data), b""
        super().sendall(data, flags)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:  # noqa: ANN401 -- as gevent and gunicorn declare it
        """Send a file, after the head."""
        self.flush()
        return int(super().sendfile(file, offset, count))

    def send(self, data: ReadableBuffer, flags: int = 0, timeout: object = None) -> int:  # noqa: ARG002 -- as gevent declares it
        """Send a part. Each step has its own deadline, so a slow reader gets everything, and one that reads nothing
        is cut off.

        gevent's `sendall` and `sendfile` both go through here.
        """
        self.waits = True
        try:
            with Timeout(self.patience, TimeoutError):
                sent = super().send(data, flags)
        except TimeoutError as error:
            # Otherwise the system would keep offering data that this process has dropped.
            self.setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
            raise BrokenPipeError(EPIPE, "the reader takes nothing") from error
        finally:
            self.waits = False
        self.moved = monotonic()
        return sent

    def wait(self, seconds: float) -> None:
        """Let the caller wait for its answer. Meanwhile the connection may be closed like one that is silent."""
        self.waits = True
        self._hung_up.wait(seconds)
        self.waits = False

    def shut_reading(self) -> None:
        """End what is read behind what has arrived, as if the caller had hung up."""
        self._shut(SHUT_RD)

    def hang_up(self) -> None:
        """End the connection for code that is waiting for this caller."""
        self._shut(SHUT_RDWR)
        self._hung_up.set()

    def _shut(self, how: int) -> None:
        # Closing gevent's own socket would raise an error in the greenlet that is waiting.
        with suppress(OSError), _PlainSocket(fileno=os.dup(self.fileno())) as same:
            same.shutdown(how)


def too_slow() -> Problem:
    """Return the refusal of a request whose body does not arrive."""
    return Problem(Code.BODY_TOO_SLOW, "send the body at once, behind the head")


class TimelyBody(Body):
    """The body of a request: all of it must arrive within a deadline that starts now. It replaces gunicorn's own."""

    def __init__(self, body: Body, patience: float) -> None:
        super().__init__(body.reader)
        self._until = monotonic() + patience

    @property
    def ended(self) -> bool:
        """Whether nothing of it is left on the connection."""
        # A reader by length counts down to 0; a reader of chunks drops its parser behind the last one.
        return getattr(self.reader, "length", None) == 0 or getattr(self.reader, "parser", self) is None

    def read(self, size: int | None = None) -> bytes:
        """Read at most ``size`` bytes of it. Raises `Problem` if they arrive too late, and gunicorn's own errors."""
        if self.ended:
            return super().read(size)
        with Timeout(max(0.0, self._until - monotonic()), too_slow()):
            return super().read(size)
