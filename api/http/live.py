"""``GET /v1/live``: all tables as they are now, small and from memory, for everybody who watches.

A watcher asks once a second. However many there are, a process reads the database at most four times
a second, and only while somebody asks; everything else is answered with the bytes of the last reading.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from api.answers.tables import COMING, OUTCOMES, GoingOn, Live, LiveTable
from api.http.view import PublicRounds, show_ended
from api.log.publication import Publication
from api.rounds.reading import TableWithRounds, newest_rounds
from api.rounds.status import fixed_through
from api.sql.database import Database
from api.store.models import RoundRow, RoundStatus
from api.world.storage_failures import STORAGE_FAILURES
from fairness.records.table_state import TableState

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = "/v1/live"
FRESH_SECONDS = 0.25
_DIGITS = 16
_MOST_ACTIVE = 2
"""A round in flight, and the next one, which already takes bets."""

_HEADERS = [
    # A cache before the service may answer for it, for a second; a browser asks each time.
    ("Cache-Control", "public, max-age=0, s-maxage=1"),
    ("Vary", "Accept-Encoding"),
]


class _Tables:
    """Every table as it is: the rounds that are going on, those that have ended, and what is fixed next."""

    def __init__(self, database: Database, rounds: PublicRounds) -> None:
        self._database, self._rounds = database, rounds
        self._coming: dict[str, tuple[tuple[int, int], list[str]]] = {}
        """The commitments that were read for a table, and of which rounds they are: files are read once for each
        round.
        """

    def read(self) -> list[LiveTable]:
        return [self._table(now) for now in newest_rounds(self._database, OUTCOMES + _MOST_ACTIVE)]

    def _table(self, now: TableWithRounds) -> LiveTable:
        seen, state = now.status, now.status.state
        going_on = [row for row in reversed(now.rounds) if not row.status.has_ended]
        ended = [row for row in now.rounds if row.status.has_ended][:OUTCOMES]
        fixed, first = fixed_through(state), max([row.round + 1 for row in going_on], default=state.next_round)
        return LiveTable(
            table=now.row.name,
            game=now.row.game,
            next_round=state.next_round,
            committed_through=state.committed_through,
            ended=state.ended,
            closed=state.closed,
            halted=seen.halted is not None,
            now=[_going_on(row) for row in going_on],
            last=[show_ended(row.ended) for row in ended],
            coming=[] if seen.damaged else self._commitments(state, first),
            fixed_through=fixed if fixed < state.committed_through else UNSET,
            betting=_betting(ended),
        )

    def _commitments(self, state: TableState, first: int) -> list[str]:
        span = (first, min(first + COMING, fixed_through(state) + 1))
        if state.ended or span[0] >= span[1]:
            return []
        known = self._coming.get(state.name)
        if known is None or known[0] != span:
            rounds = self._rounds.page(state.name, first, span[1] - first)
            known = self._coming[state.name] = (span, [each.commitments[0][:_DIGITS] for each in rounds])
        return known[1]


def _going_on(row: RoundRow) -> GoingOn:
    return GoingOn(row.round, row.status, row.opened_at if row.status is RoundStatus.OPEN else row.locked_at)


def _betting(ended: list[RoundRow]) -> int | UnsetType:
    """Count the milliseconds for which the last round took bets: a countdown can be estimated from it."""
    for row in ended:
        if row.opened is not None:
            took = datetime.fromisoformat(row.locked_at) - datetime.fromisoformat(row.opened)
            return took // timedelta(milliseconds=1)
    return UNSET


@dataclass(frozen=True, slots=True)
class Reading:
    """The feed as it was at one moment, also as bytes."""

    at: float
    live: Live
    body: bytes
    packed: bytes
    etag: str
    """Weak, because it is the same for a compressed and an uncompressed body."""


class Feed:
    """The feed of one process, as a WSGI application."""

    def __init__(self, database: Database, publication: Publication, rounds: PublicRounds) -> None:
        self._publication, self._tables = publication, _Tables(database, rounds)
        self._lock = Lock()
        self._reading: Reading | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a GET, whatever its address."""
        reading = self.now()
        headers = [*_HEADERS, ("ETag", reading.etag)]
        # A cache or a compressing proxy may have removed the W/ or added it.
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
        """Return the present feed; never older than `FRESH_SECONDS`."""
        reading = self._reading
        if reading is not None and time.monotonic() - reading.at < FRESH_SECONDS:
            return reading
        # Callers that arrive meanwhile wait for a millisecond or two, so that they do not learn of a round later.
        with self._lock:
            reading = self._reading
            if reading is None or time.monotonic() - reading.at >= FRESH_SECONDS:
                reading = self._reading = self.read()
        return reading

    def read(self) -> Reading:
        """Return what the database says at this moment."""
        # The time is taken before the database is read: the reading is at least as old as it says.
        at = time.monotonic()
        live = Live(self._publication.size, self._tables.read())
        body = msgspec.json.encode(live)
        before = self._reading
        if before is not None and before.body == body:
            return replace(before, at=at)
        return Reading(at, live, body, gzip.compress(body, 6, mtime=0), f'W/"{sha256(body).hexdigest()[:32]}"')


def in_front_of(application: WSGIApplication, feed: Feed) -> WSGIApplication:
    """Return the application, with the feed answered before its routing: 1 µs of work instead of 80. What has
    a query is left to the application, which refuses it.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == ADDRESS and environ["REQUEST_METHOD"] == "GET" and not environ["QUERY_STRING"]:
            try:
                return feed(environ, start_response)
            except STORAGE_FAILURES:
                # The application will meet the same failure, and answers it as usual.
                return application(environ, start_response)
        return application(environ, start_response)

    return answer
