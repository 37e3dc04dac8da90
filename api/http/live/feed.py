"""``GET /v1/live`` and ``GET /v1/tables/{table}/live``: tables as they are now, small and from memory, for everybody
who watches.

A watcher asks once a second. However many there are, a process reads the database for each of these addresses at most
four times a second, and only while somebody asks; everything else is answered with the bytes of the last reading.
"""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace
from werkzeug.http import parse_accept_header

from api.answers.rounds import LastRound
from api.answers.tables import COMING, MOST_LIVE, OUTCOMES, Coming, GoingOn, Live, LiveTable, TableLive
from api.http.answers import A_SECOND
from api.http.live.stopped import stopped
from api.http.view import PublicRounds, Reasons, reasons
from api.log.publication import Publication
from api.problems import Problem
from api.rounds.admission import Openings
from api.rounds.reading import TableWithRounds, newest_rounds, newest_rounds_of
from api.rounds.status import fixed_through
from api.sharing.bounded import BoundedCache
from api.sql.database import Database
from api.store.models import EndedRow, RoundRow, RoundStatus
from api.world.clock import Clock
from api.world.storage_failures import STORAGE_FAILURES
from fairness.records.table_state import TableState
from games import GAMES
from games.order import has_order

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS, ADDRESS_OF_TABLE = "/v1/live", "/v1/tables/<table>/live"
FRESH_SECONDS = 0.25
_DIGITS = 16
MOST_ACTIVE = 2
"""A round in flight, and the next one, which already takes bets."""
_REMEMBERED = 4096
"""Of so many tables their own feeds are kept."""

_HEADERS = [
    ("Cache-Control", A_SECOND),
    ("Vary", "Accept-Encoding"),
]
_EPOCH = datetime.fromtimestamp(0, UTC)
_PATH_OF_TABLE = re.compile(r"/v1/tables/[a-z0-9-]{1,32}/live", re.ASCII)

_Document = TypeVar("_Document", Live, TableLive)


class _Tables:
    """Tables as they are: the rounds that are going on, those that have ended, and what is fixed next."""

    def __init__(
        self, database: Database, publication: Publication, rounds: PublicRounds, openings: Openings
    ) -> None:
        self._database, self._publication = database, publication
        self._rounds, self._openings = rounds, openings
        self._coming: BoundedCache[str, tuple[range, list[Coming]]] = BoundedCache(_REMEMBERED)
        """The commitments that were read for a table, and of which rounds they are: files are read once for each
        round.
        """

    def read(self) -> list[LiveTable]:
        found, why = newest_rounds(self._database, OUTCOMES + MOST_ACTIVE, tables=MOST_LIVE), self._reasons()
        return [self._table(now, why) for now in found]

    def read_one(self, table: str) -> LiveTable:
        """Raise `Problem` if there is no such table."""
        return self._table(newest_rounds_of(self._database, table, OUTCOMES + MOST_ACTIVE), self._reasons())

    def _reasons(self) -> Reasons:
        return reasons(self._database, self._openings)

    def _table(self, now: TableWithRounds, why: Reasons) -> LiveTable:
        seen, state, why_not = now.status, now.status.state, why(now.status)
        going_on = [self._going_on(state, row) for row in reversed(now.rounds) if not row.status.has_ended]
        ended = [row for row in now.rounds if row.status.has_ended][:OUTCOMES]
        is_order = not seen.damaged and has_order(GAMES.of(state))
        fixed, first = fixed_through(state), max([row.round + 1 for row in going_on], default=state.next_round)
        return LiveTable(
            table=now.row.name,
            table_id=now.row.table_id,
            game=now.row.game,
            next_round=state.next_round,
            committed_through=state.committed_through,
            ended=state.ended,
            closed=state.closed,
            halted=seen.halted is not None,
            open=not why_not,
            why_not=why_not,
            stopped=stopped(seen, going_on, why_not),
            now=going_on,
            last=[_last(row.ended, is_order=is_order) for row in ended],
            coming=[] if seen.damaged else self._commitments(state, first),
            fixed_through=fixed if fixed < state.committed_through else UNSET,
            betting_ms=_betting(ended),
        )

    def _going_on(self, state: TableState, row: RoundRow) -> GoingOn:
        if row.status is RoundStatus.OPEN:
            return GoingOn(row.round, row.status, row.opened_at)
        is_published = self._publication.has_lock(state.table_id, row.round)
        return GoingOn(row.round, row.status, row.opened or UNSET, row.locked_at, is_published)

    def _commitments(self, state: TableState, first: int) -> list[Coming]:
        span = range(first, min(first + COMING, fixed_through(state) + 1))
        if state.ended or not span:
            return []
        known = self._coming.get(state.name)
        if known is None or known[0] != span:
            rounds = self._rounds.page(state.name, first, len(span))
            known = span, [Coming(each.round, each.commitments[0][:_DIGITS]) for each in rounds]
            self._coming.put(state.name, known)
        return known[1]


def _last(row: EndedRow, *, is_order: bool) -> LastRound:
    """Show a round that has ended; without its outcome if that is a whole order, hundreds of cards for instance."""
    return LastRound(row.round, row.status, UNSET if is_order else msgspec.json.decode(row.outcome))


def _betting(ended: list[RoundRow]) -> int | UnsetType:
    """Count the milliseconds for which the last round took bets: a countdown can be estimated from it."""
    for row in ended:
        if row.opened is not None:
            took = datetime.fromisoformat(row.locked_at) - datetime.fromisoformat(row.opened)
            return took // timedelta(milliseconds=1)
    return UNSET


@dataclass(frozen=True)
class Reading(Generic[_Document]):
    """What a feed was at one moment, also as bytes."""

    at: float
    live: _Document
    body: bytes
    etag: str
    """Of all but the moment. Weak, because it is the same for a compressed and an uncompressed body."""

    @classmethod
    def of(cls, at: float, live: _Document) -> Reading[_Document]:
        """Spell a document that was read at a monotonic time."""
        body, lasting = msgspec.json.encode(live), msgspec.json.encode(replace(live, as_of=0))
        return cls(at, live, body, f'W/"{sha256(lasting).hexdigest()[:32]}"')

    @cached_property
    def packed(self) -> bytes:
        """The body in gzip, made when somebody first takes it: for a hundred tables that is most of the work."""
        return gzip.compress(self.body, 6, mtime=0)


class _Remembered(Generic[_Document]):
    """The last reading of one feed, for everybody who asks meanwhile."""

    def __init__(self, read: Callable[[], _Document]) -> None:
        self._read: Callable[[], _Document] = read
        self._lock = Lock()
        self._reading: Reading[_Document] | None = None

    def now(self) -> Reading[_Document]:
        """Return the present feed; never older than `FRESH_SECONDS`."""
        reading = self._reading
        if reading is not None and time.monotonic() - reading.at < FRESH_SECONDS:
            return reading
        # Callers that arrive meanwhile wait for a millisecond or two, so that they do not learn of a round later.
        with self._lock:
            reading = self._reading
            if reading is None or time.monotonic() - reading.at >= FRESH_SECONDS:
                # The time is taken before the database is read: the reading is at least as old as it says.
                reading = self._reading = Reading.of(time.monotonic(), self._read())
        return reading


class Feed:
    """The feeds of one process, that of all tables and that of each, as a WSGI application."""

    def __init__(
        self, database: Database, publication: Publication, rounds: PublicRounds, openings: Openings, clock: Clock
    ) -> None:
        self._publication, self._clock = publication, clock
        self._tables = _Tables(database, publication, rounds, openings)
        self._all = _Remembered(self.read)
        self._each: BoundedCache[str, _Remembered[TableLive]] = BoundedCache(_REMEMBERED)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a GET of a table's feed, or of that of all tables. Raises `Problem` if there is no such table."""
        path = environ["PATH_INFO"]
        reading = self.now() if path == ADDRESS else self.now_at(path.split("/")[3])
        headers = [*_HEADERS, ("ETag", reading.etag)]
        # A cache or a compressing proxy may have removed the W/ or added it.
        if reading.etag.removeprefix("W/") in environ.get("HTTP_IF_NONE_MATCH", ""):
            start_response("304 Not Modified", headers)
            return []
        body = reading.body
        if _takes_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            body = reading.packed
            headers.append(("Content-Encoding", "gzip"))
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response("200 OK", headers)
        return [body]

    def now(self) -> Reading[Live]:
        """Return the present feed of all tables; never older than `FRESH_SECONDS`."""
        return self._all.now()

    def now_at(self, table: str) -> Reading[TableLive]:
        """Return the same of one table. Raises `Problem` if there is none."""
        known = self._each.get(table)
        if known is not None:
            return known.now()
        new = _Remembered(lambda: self.read_one(table))
        reading = new.now()
        # Only now: names that no table has push out no others.
        self._each.put(table, new)
        return reading

    def read(self) -> Live:
        """Return what the database says of all tables at this moment."""
        as_of = self._milliseconds()
        return Live(as_of, self._publication.size, self._tables.read())

    def read_one(self, table: str) -> TableLive:
        """Return what the database says of one table at this moment. Raises `Problem` if there is none."""
        as_of = self._milliseconds()
        return TableLive(**asdict(self._tables.read_one(table)), as_of=as_of)

    def _milliseconds(self) -> int:
        """Return the present time, which is taken before the database is read, too."""
        return (self._clock.moment() - _EPOCH) // timedelta(milliseconds=1)


def in_front_of(application: WSGIApplication, feed: Feed) -> WSGIApplication:
    """Return the application, with the feeds answered before its routing: 1 µs of work instead of 80. What has
    a query is left to the application, which refuses it.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] == "GET" and not environ["QUERY_STRING"] and _is_feed(path):
            try:
                return feed(environ, start_response)
            except (Problem, *STORAGE_FAILURES):
                # The application will meet the same failure, and answers it as usual.
                return application(environ, start_response)
        return application(environ, start_response)

    return answer


@lru_cache(maxsize=256)
def _takes_gzip(accepted: str) -> bool:
    return parse_accept_header(accepted)["gzip"] > 0


def _is_feed(path: str) -> bool:
    return path == ADDRESS or _PATH_OF_TABLE.fullmatch(path) is not None
