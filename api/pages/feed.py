"""``GET /v1/live``: all tables as they are now, small and from memory, for everybody who watches.

A watcher asks once a second. However many there are, a process reads the database at most four times
a second, and only while somebody asks; everything else is answered with the bytes of the last reading.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Row

from api import statements as sql
from api.ledger import decode_state
from api.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = "/v1/live"
OUTCOMES = 8
"""How many rounds that have ended are told of each table."""
FRESH_SECONDS = 0.25
_MOST_ACTIVE = 2
"""A round in flight, and the next one that takes bets already."""

_HEADERS = [
    # A cache before the service may answer for it, for a second; a browser asks each time.
    ("Cache-Control", "public, max-age=0, s-maxage=1"),
    ("Vary", "Accept-Encoding"),
    ("Access-Control-Allow-Origin", "*"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
    ("X-Content-Type-Options", "nosniff"),
]

Table = Mapping[str, object]


def tables_now(service: Service) -> list[Table]:
    """Every table: the rounds that are going on, and the last that have ended, newest first."""
    with service.database.read() as connection:
        rows = connection.execute(sql.NEWEST_ROUNDS, {"most": OUTCOMES + _MOST_ACTIVE}).all()
    return [_table(list(of_table)) for _, of_table in groupby(rows, key=lambda row: row.name)]


def _table(rows: list[Any]) -> Table:
    first, rounds = rows[0], [row for row in rows if row.round is not None]
    state = decode_state(first.queued_state)
    ended = [row for row in rounds if row.outcome is not None][:OUTCOMES]
    return {
        "table": first.name,
        "game": first.game,
        "next_round": state.next_round,
        "committed_through": state.committed_through,
        "closed": state.closed,
        "halted": first.halted is not None,
        "now": [_going_on(row) for row in reversed(rounds) if row.outcome is None],
        "last": [_ended(row) for row in ended],
        **_betting(ended),
    }


def _going_on(row: Row[Any]) -> Mapping[str, object]:
    since = row.opened if row.status == "open" else row.locked
    return {"round": row.round, "status": row.status, "since": since}


def _ended(row: Row[Any]) -> Mapping[str, object]:
    return {"round": row.round, "status": row.status, "outcome": msgspec.Raw(row.outcome.encode())}


def _betting(ended: list[Any]) -> Table:
    """For how many milliseconds the last round took bets: what a countdown may guess from."""
    for row in ended:
        if row.opened is not None:
            took = datetime.fromisoformat(row.locked) - datetime.fromisoformat(row.opened)
            return {"betting": took // timedelta(milliseconds=1)}
    return {}


@dataclass(frozen=True, slots=True)
class Reading:
    """The feed as it was at one moment, as bytes."""

    at: float
    body: bytes
    packed: bytes
    etag: str
    """Weak, for it is the same whether the body is packed or not."""


class Feed:
    """The feed of one process, as a WSGI application."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = Lock()
        self._reading: Reading | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a GET, whatever its address."""
        reading = self.now()
        headers = [*_HEADERS, ("ETag", reading.etag)]
        # Whoever packs or keeps the answer on its way may have taken the W/ off, or put it on.
        if reading.etag.removeprefix("W/") in environ.get("HTTP_IF_NONE_MATCH", ""):
            start_response("304 Not Modified", headers)
            return []
        body = reading.body
        if "gzip" in environ.get("HTTP_ACCEPT_ENCODING", ""):
            body = reading.packed
            headers.append(("Content-Encoding", "gzip"))
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response("200 OK", headers)
        return [body]

    def now(self) -> Reading:
        """What is to be told; never older than `FRESH_SECONDS`."""
        reading = self._reading
        if reading is not None and time.monotonic() - reading.at < FRESH_SECONDS:
            return reading
        # Who comes meanwhile waits for a millisecond or two, rather than learn of a round later.
        with self._lock:
            reading = self._reading
            if reading is None or time.monotonic() - reading.at >= FRESH_SECONDS:
                reading = self._reading = self._read(reading)
        return reading

    def _read(self, before: Reading | None) -> Reading:
        # The time is taken before the database is read: the reading is at least as old as it says.
        at = time.monotonic()
        body = msgspec.json.encode({"records": self._service.publication.size, "tables": tables_now(self._service)})
        if before is not None and before.body == body:
            return Reading(at, body, before.packed, before.etag)
        return Reading(at, body, gzip.compress(body, 6, mtime=0), f'W/"{sha256(body).hexdigest()[:32]}"')


def in_front_of(application: WSGIApplication, feed: Feed) -> WSGIApplication:
    """The application, with the feed answered before its routing: 1 µs of work instead of 80."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == ADDRESS and environ["REQUEST_METHOD"] == "GET":
            return feed(environ, start_response)
        return application(environ, start_response)

    return answer
