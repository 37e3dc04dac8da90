"""The HTTP interface of one witness, which nobody trusts: an answer has a largest size and a longest time.

The connection is kept, because every head of the log is sent over it.
"""

from __future__ import annotations

import time
from http.client import HTTPException

import urllib3

from api.settings import Proxy
from api.witnesses.protocol import LARGEST_ANSWER, PATH, NoCosignature, Request, Result, read_answer
from api.world.by_proxy import cause, named, pools, way_to
from fairness.errors import quote

PATIENCE = 10.0
"""Seconds for an answer. A witness that takes longer is away."""

_HEADERS = {"Accept-Encoding": "identity", "Content-Type": "text/plain; charset=utf-8", "User-Agent": "foredraw/1"}
_PIECE = 4096


class Client:
    """Asks one witness, one request after the other."""

    def __init__(self, url: str, proxy: Proxy | None = None) -> None:
        """``proxy``: that of the settings, which may be no way to this witness."""
        self._url = f"{url.rstrip('/')}/{PATH}"
        self._way = way_to(self._url, proxy)
        self._connection: urllib3.HTTPConnectionPool | urllib3.PoolManager | None = None
        """Opened by the first request."""

    def ask(self, request: Request) -> Result:
        """Return, whatever the witness does, an answer that can be used or the reason why there is none."""
        result = self._ask(request)
        if isinstance(result, NoCosignature) and self._way is not None:
            return NoCosignature(f"{result}{named(self._way)}", contradicts=result.contradicts)
        return result

    def _ask(self, request: Request) -> Result:
        try:
            response = self._connected().urlopen(
                "POST",
                urllib3.util.parse_url(self._url).request_uri if self._way is None else self._url,
                body=bytes(request),
                headers=_HEADERS,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            try:
                body = _read(response)
            except BaseException:
                response.close()
                raise
            response.release_conn()
        except urllib3.exceptions.TimeoutError:
            return NoCosignature(f"no answer within {PATIENCE:.0f} seconds")
        except urllib3.exceptions.ProtocolError:
            return NoCosignature("it hung up before the end of its answer")
        except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError) as error:
            return NoCosignature(quote(str(cause(error)) or type(error).__name__))
        except NoCosignature as error:
            return error
        return read_answer(request, response.status, response.headers.get("Content-Type", ""), body)

    def close(self) -> None:
        """Hang up."""
        if isinstance(self._connection, urllib3.PoolManager):
            self._connection.clear()
        elif self._connection is not None:
            self._connection.close()

    def _connected(self) -> urllib3.HTTPConnectionPool | urllib3.PoolManager:
        if self._connection is not None:
            return self._connection
        if self._way is None:
            # Not a `PoolManager`: to look up its one host took a third of each request's CPU time.
            self._connection = urllib3.connection_from_url(self._url, maxsize=1, retries=False, timeout=PATIENCE)
        else:
            self._connection = pools(self._way, timeout=PATIENCE)
        return self._connection


def _read(response: urllib3.BaseHTTPResponse) -> bytes:
    """Return the body. A time-out of the socket ends no body that comes byte by byte, so the clock is looked at as
    well.
    """
    body, until = bytearray(), time.monotonic() + PATIENCE
    while piece := response.read1(_PIECE):
        body += piece
        if len(body) > LARGEST_ANSWER:
            raise NoCosignature(f"more than {LARGEST_ANSWER} bytes")
        if time.monotonic() > until:
            raise NoCosignature(f"no whole answer within {PATIENCE:.0f} seconds")
    return bytes(body)
