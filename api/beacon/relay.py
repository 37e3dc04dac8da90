"""One relay, which nobody trusts: an answer has a largest size and a longest time, and leads to no other server."""

from __future__ import annotations

from http import HTTPStatus
from http.client import HTTPException
from threading import Thread

import urllib3

from api import traces
from api.settings import Proxy
from api.world.by_proxy import cause, named, pools, way_to
from fairness.errors import quote

LARGEST_ANSWER = 4096
"""Bytes: a pulse with its words has 250."""
PATIENCE = 5.0
"""Seconds for a whole answer, the search for the name included."""

_HEADERS = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": "foredraw/1"}


class NoAnswer(Exception):
    """A relay did not answer, or not as relays do. The message says what came instead."""


class Relay:
    """The HTTP interface of one relay."""

    def __init__(self, url: str, proxy: Proxy | None = None) -> None:
        """``proxy``: that of the settings, which may be no way to this relay."""
        self.url = url.rstrip("/")
        self._way = way_to(self.url, proxy)
        self._asking: Thread | None = None

    def __str__(self) -> str:
        return f"{self.url}{named(self._way)}"

    def get(self, path: str) -> bytes:
        """Return the answer to a path. Raises `NoAnswer`.

        The question has a thread of its own. No time-out of a socket ends an answer that comes byte by byte, or the
        search for a name; so a relay that is not done in time keeps its thread, and is asked again when that has
        ended.
        """
        if self._asking is not None and self._asking.is_alive():
            raise NoAnswer("an earlier answer is not complete")
        found: list[bytes | NoAnswer] = []
        self._asking = Thread(target=lambda: found.append(self._ask(path)), name=f"relay {self.url}", daemon=True)
        self._asking.start()
        self._asking.join(PATIENCE)
        answer = found[0] if found else NoAnswer(f"no answer within {PATIENCE:.0f} seconds")
        if isinstance(answer, NoAnswer):
            raise answer
        return answer

    def _ask(self, path: str) -> bytes | NoAnswer:
        with traces.question("relay", self.url):
            return self._fetch(path)

    def _fetch(self, path: str) -> bytes | NoAnswer:
        try:
            # A connection of its own: minutes lie between two questions, and an old one may be dead.
            with pools(self._way, timeout=PATIENCE) as pool:
                response = pool.request(
                    "GET",
                    f"{self.url}/{path}",
                    headers=_HEADERS,
                    redirect=False,
                    preload_content=False,
                    decode_content=False,
                )
                with response:
                    body = response.read(LARGEST_ANSWER + 1)
        except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError) as error:
            return NoAnswer(quote(str(cause(error)) or type(error).__name__))
        if response.status != HTTPStatus.OK:
            return NoAnswer(f"the status {response.status}")
        if len(body) > LARGEST_ANSWER:
            return NoAnswer(f"more than {LARGEST_ANSWER} bytes")
        return bytes(body)
