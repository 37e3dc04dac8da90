"""Files from an untrusted web server: it cannot cost much time or memory, or lead to another host."""

from __future__ import annotations

import http.client
import re
import socket
import time
from contextlib import suppress
from http import HTTPStatus
from threading import Event, Timer

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import BaseHTTPResponse, HTTPResponse

from fairness.errors import Unreadable, quote
from verifier.sources.limits import CHUNK, LONGEST_WAIT, MOST_CONNECTIONS, PATIENCE, PAUSES, WAITS, WHOLE_ANSWER
from verifier.sources.pace import Pace, asked_wait
from verifier.sources.proxy import Proxy, proxy_for

_LENGTH = re.compile(r"\d{1,18}", re.ASCII)
_HOST = re.compile("https?://([^/?#@]*)", re.IGNORECASE)
_TWO_SPELLINGS = set("ßς\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")
"""Old rules and new ones (IDNA 2003 and 2008) make different hosts of them."""
_MISSING = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
_PASSING = range(500, 600)
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "foredraw-verify/1"}


class _TryAgain(Exception):
    """An error that may be temporary."""


class _Wait(Exception):
    """The server asks to wait ``seconds``."""

    def __init__(self, status: int, seconds: float) -> None:
        asks = f", and asks to wait {seconds:,.0f} s" if seconds else ""
        super().__init__(f"the server answers {status}{asks}")
        self.seconds = seconds


class _Guarded(HTTPConnection):
    """Cuts a connection whose answer takes too long, or the answer of the proxy that makes it.

    A socket's own timeout restarts with every byte, so a server that sends one now and then could
    otherwise delay a reader for ever, in its headers or its body. If the guard acts after the answer
    has arrived, it closes an idle connection, and the pool opens another.
    """

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
        seconds = WHOLE_ANSWER * self.timeout if isinstance(self.timeout, int | float) else WHOLE_ANSWER
        self._guard = Timer(seconds, _cut, (self.sock,))
        self._guard.daemon = True
        self._guard.start()

    def close(self) -> None:
        self._unwatch()
        super().close()

    def _unwatch(self) -> None:
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None


def _cut(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


class _GuardedTls(_Guarded, HTTPSConnection):
    """The same over TLS."""


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Guarded


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTls


class WebFolder:
    """The files below one address."""

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        """`ValueError` if ``url`` is no plain address of a folder, or if the environment names no usable proxy for
        it.
        """
        if (found := _HOST.match(url)) and not found[1].isascii():
            raise ValueError(
                f"not an address in ASCII: as its host, write {_in_ascii(found[1])} (found {quote(url)})"
            )
        try:
            parts = urllib3.util.parse_url(url)
        except urllib3.exceptions.LocationParseError as error:
            raise ValueError(f"not an address: {quote(url)}") from error
        if parts.scheme not in {"http", "https"} or not parts.host or parts.query or parts.fragment or parts.auth:
            raise ValueError(f"not an address like https://host/log, without user, ? and #: {quote(url)}")
        self.url = parts.url.rstrip("/")
        self._patience = patience
        self._pace = Pace()
        proxy = proxy_for(parts)
        self.place = self.url if proxy is None else f"{self.url} (by the proxy {proxy})"
        """Where the files are, and the way there, for messages."""
        self._pools = _pools(proxy)

    def get(self, path: str, most: int, ended: Event) -> bytes | None:
        """Return the first ``most`` bytes of a file, or `None` if the server has no such file.

        A server that asks to be asked later is, several times; nobody waits any more when it is ``ended``.
        """
        waits = iter(WAITS)
        while True:
            try:
                with self._pace.turn(ended) as is_ended:
                    if is_ended:
                        raise Unreadable(path, quote(f"{self.place}: it is not wanted any more"))
                    found = self._get_soon(path, most)
            except _Wait as error:
                wait = next(waits, None)
                if wait is None or error.seconds > LONGEST_WAIT:
                    raise Unreadable(path, quote(f"{self.place}: {error}")) from error
                self._pace.slow_down(max(wait, error.seconds))
            else:
                self._pace.answered()
                return found

    def _get_soon(self, path: str, most: int) -> bytes | None:
        end = time.monotonic() + WHOLE_ANSWER * self._patience
        pauses = iter(PAUSES)
        while True:
            try:
                return self._get_once(path, most)
            except _TryAgain as error:
                pause = next(pauses, None)
                if pause is None or time.monotonic() + pause > end:
                    raise Unreadable(path, quote(f"{self.place}: {error}")) from error
                time.sleep(pause)

    def _get_once(self, path: str, most: int) -> bytes | None:
        end = time.monotonic() + WHOLE_ANSWER * self._patience
        try:
            response = self._pools.request(
                "GET",
                f"{self.url}/{path}",
                headers=_HEADERS,
                timeout=urllib3.Timeout(connect=self._patience, read=self._patience),
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            try:
                body = self._body(path, response, most)
            finally:
                # An unread rest would be taken for the beginning of the next answer, so such a connection is closed.
                response.close()
                response.release_conn()
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError, ValueError) as error:
            # An answer that the guard cut off looks like a connection that broke.
            raise _TryAgain("no answer in time" if time.monotonic() >= end else _plain(error)) from error
        if time.monotonic() >= end:
            # Headers that the guard cut off look like headers that ended.
            raise _TryAgain("no answer in time")
        return body

    def _body(self, path: str, response: BaseHTTPResponse, most: int) -> bytes | None:
        if response.status in _MISSING:
            return None
        if (seconds := asked_wait(response.status, response.headers)) is not None:
            raise _Wait(response.status, seconds)
        if response.status in _PASSING:
            raise _TryAgain(f"the server answers {response.status}")
        if response.status != HTTPStatus.OK:
            target = response.headers.get("Location")
            towards = f" (to {target}; redirects are not followed)" if target else ""
            raise Unreadable(path, quote(f"{self.place}: the server answers {response.status}{towards}"))
        encoding = response.headers.get("Content-Encoding", "")
        if not _is_plain(encoding):
            # A few bytes could decompress to gigabytes, so nothing is decompressed.
            raise Unreadable(path, quote(f"{self.place}: encoded as {encoding}, which was not asked for"))
        if not _declares_its_end(response):
            # A whole file could not be distinguished from one whose connection broke.
            raise _TryAgain("the server does not say how long the file is")
        return _read(response, most)


def _pools(proxy: Proxy | None) -> urllib3.PoolManager:
    """Make guarded connections, all of them to the proxy if there is one."""
    if proxy is None:
        made = urllib3.PoolManager(maxsize=MOST_CONNECTIONS, block=True)
    else:
        made = urllib3.ProxyManager(proxy.address, proxy_headers=proxy.headers, maxsize=MOST_CONNECTIONS, block=True)
    made.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
    return made


def _in_ascii(host: str) -> str:
    """Return what to write instead of a host in another script, if all rules of such names agree on that."""
    try:
        spelled = "" if _TWO_SPELLINGS & set(host) else host.encode("idna").decode("ascii")
    except UnicodeError:
        spelled = ""
    return spelled or "the spelling with xn-- that browsers copy"


def _is_plain(encodings: str) -> bool:
    """Return whether a header's list of encodings is empty, or has only what changes nothing: some servers send it
    without a value.
    """
    return all(each.strip().lower() in {"", "identity"} for each in encodings.split(","))


def _declares_its_end(response: BaseHTTPResponse) -> bool:
    """Return whether the answer is chunked or has one length; otherwise urllib3 reads until the connection ends."""
    transfer = response.headers.get("Transfer-Encoding", "")
    if not _is_plain(transfer):
        return transfer.lower() == "chunked"
    return _LENGTH.fullmatch(response.headers.get("Content-Length", "")) is not None


def _read(response: BaseHTTPResponse, most: int) -> bytes:
    """Return the body's first ``most`` bytes; a longer one is never kept whole in memory."""
    chunks, left = [], most
    while left and (chunk := response.read1(min(left, CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _plain(error: Exception) -> str:
    """Return the error in words, without addresses of objects in memory."""
    if isinstance(error, urllib3.exceptions.ProxyError):
        # Either the proxy did not answer, or it refused in a line that the standard library quotes.
        error = error.original_error
        if type(error) is OSError:
            return f"the proxy refuses: {error}"
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        return "no connection"
    if isinstance(error, urllib3.exceptions.TimeoutError):
        return "no answer in time"
    if isinstance(error, urllib3.exceptions.SSLError):
        return f"TLS: {error}"
    return f"the connection broke ({type(error).__name__})"
