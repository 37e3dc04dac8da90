"""Files below an address that nobody trusts: each has a largest size, and each answer a time for the whole.

A socket's own time-out begins again with every byte, so a server that sends one now and then would hold a reader for
ever, in its headers or its body.
"""

from __future__ import annotations

import time
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPException
from socket import SHUT_RDWR
from threading import Timer

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import HTTPResponse

from api.settings import Proxy
from api.world.by_proxy import cause, named, pools, way_to
from fairness.errors import ForedrawError, Missing, Unreadable, quote

PATIENCE = 5.0
"""Seconds for a connection, and for the next byte of an answer."""
WHOLE_ANSWER = 10.0
"""Seconds for all of an answer."""
_CONNECTIONS = 16
_CHUNK = 1 << 16
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "foredraw/1"}
_MISSING = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}


class Refused(Unreadable):
    """The server refuses the file: some do so with what does not exist (403)."""


class _Cut(HTTPConnection):
    """A connection that is cut when an answer has taken its time, or the answer of the proxy that makes it."""

    _guard: Timer | None = None

    def _tunnel(self) -> None:
        # The standard library's, which urllib3 overrides, too: nothing public stands between the connection and its
        # tunnel.
        self._watch()
        super()._tunnel()

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as its base does
        self._watch()
        return super().getresponse()

    def _watch(self) -> None:
        self._unwatch()
        sock = self.sock

        def cut() -> None:
            with suppress(OSError):
                sock.shutdown(SHUT_RDWR)

        self._guard = Timer(WHOLE_ANSWER, cut)
        self._guard.daemon = True
        self._guard.start()

    def close(self) -> None:
        self._unwatch()
        super().close()

    def _unwatch(self) -> None:
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None


class _CutTls(_Cut, HTTPSConnection):
    """The same over TLS."""


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Cut


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _CutTls


class WebFiles:
    """The files below one address."""

    def __init__(self, address: str, proxy: Proxy | None = None) -> None:
        """``proxy``: that of the settings, which may be no way to this address."""
        self.address = address.rstrip("/")
        self._way = way_to(self.address, proxy)
        self._pools = pools(self._way, maxsize=_CONNECTIONS, timeout=PATIENCE)
        self._pools.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}

    def get(self, path: str, most: int) -> bytes:
        """Return the file at a path, of at most so many bytes. Raises `Unreadable`; `Missing` if the server says that
        it has none.
        """
        try:
            return self._get(path, most)
        except Unreadable as error:
            if self._way is None:
                raise
            raise type(error)(path, f"{error.why}{named(self._way)}") from error

    def _get(self, path: str, most: int) -> bytes:
        end = time.monotonic() + WHOLE_ANSWER
        try:
            with self._pools.request(
                "GET",
                f"{self.address}/{path}",
                headers=_HEADERS,
                redirect=False,
                preload_content=False,
                decode_content=False,
            ) as response:
                try:
                    return _body(path, response, most, end)
                except ForedrawError:
                    # What is left unread would be another answer's beginning.
                    response.close()
                    raise
        except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError) as error:
            # An answer that was cut off looks like a connection that broke.
            late = time.monotonic() >= end or isinstance(error, urllib3.exceptions.TimeoutError)
            raise Unreadable(path, "no whole answer in time" if late else _plain(cause(error))) from error

    def close(self) -> None:
        """Close the connections."""
        self._pools.clear()


def _body(path: str, response: urllib3.BaseHTTPResponse, most: int, end: float) -> bytes:
    if response.status in _MISSING:
        raise Missing(path, "no such file there")
    if response.status != HTTPStatus.OK:
        kind = Refused if response.status == HTTPStatus.FORBIDDEN else Unreadable
        raise kind(path, f"the answer has the status {response.status}")
    encoding = response.headers.get("Content-Encoding", "").lower()
    # Some servers send it without a value.
    if any(each.strip() not in {"", "identity"} for each in encoding.split(",")):
        # A few bytes could decompress to gigabytes.
        raise Unreadable(path, quote(f"the answer is encoded as {encoding}, which was not asked for"))
    body = bytearray()
    while chunk := response.read1(_CHUNK):
        body += chunk
        if len(body) > most:
            raise Unreadable(path, f"more than {most} bytes")
        if time.monotonic() > end:
            raise Unreadable(path, "no whole answer in time")
    if (missing := response.length_remaining) not in {None, 0}:
        raise Unreadable(path, f"{missing} bytes of the answer are missing")
    return bytes(body)


def _plain(error: Exception) -> str:
    """Return the error in words, without addresses of objects in memory."""
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        return "no connection"
    if type(error) is OSError:
        return quote(str(error))
    if isinstance(error, urllib3.exceptions.SSLError):
        return quote(f"TLS: {error}")
    return f"the connection broke ({type(error).__name__})"
