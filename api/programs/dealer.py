"""The demo dealer: an ordinary HTTP client with an engine token, which keeps playing rounds.

It shows what an engine does, and can serve as a first draft of one: open, take bets, lock with a `call` of its own
and a digest of the bets, show the outcome, reveal. An order it asks for thing by thing; it knows the rules of
Blackjack alone, and of other games deals the first things. It voids a round that somebody else has locked, with this
dealer's token or with another one. After a failure it asks for the state of the table and continues.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Any

import urllib3
from msgspec import to_builtins

from api.programs.blackjack import deal
from api.refusal import RefusalError
from api.rounds.outcome_text import outcome_text
from api.world.surroundings.streams import Rank, say
from fairness.player.bets import digest

_FIRST_THINGS = 7
"""How many things the dealer deals of an order whose rules it does not know."""
_PLAYERS = ("ani", "bo", "cid", "dina", "eli", "flo")
_RETRY_SECONDS = 0.5
_LOOK_SECONDS = 2.0
"""How soon a new table is found."""
_SILENT_SECONDS = 8.0
"""How long the dealers of all tables say nothing while rounds wait."""
_FOR_GOOD = (401, 403, 404, 421)
_NOT_YET = ("lead-not-published", "table-halted", "table-paused", "witnesses-away")


class DealerError(RefusalError):
    """The service refuses this dealer for good."""


class _NotTheServiceError(DealerError):
    """Something else answers at this address, a proxy for instance."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and a document."""

    status: int
    document: dict[str, Any]


class _RefusedError(Exception):
    """A card was refused."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply


class Engine:
    """The calls of an engine on one service."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        # A connection for each table of the largest demo, and some that are added.
        self._pool = urllib3.PoolManager(maxsize=128, retries=False, timeout=urllib3.Timeout(connect=5, read=30))

    def get(self, path: str) -> Reply:
        """Return what an engine reads."""
        return self._call("GET", path, None)

    def post(self, path: str, body: object | None = None) -> Reply:
        """Return a call of the engine, repeated while it is pending."""
        while (reply := self._call("POST", path, body)).status == HTTPStatus.ACCEPTED:
            time.sleep(0.05)
        return reply

    def _call(self, method: str, path: str, body: object | None) -> Reply:
        data = None if body is None else json.dumps(body).encode()
        response = self._pool.request(method, self.url + path, body=data, headers=self._headers)
        try:
            document = json.loads(response.data)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise _NotTheServiceError(f"{self.url}{path} answered {response.status}, with what is not the service's")
        return Reply(response.status, document)


class Dealer:
    """Plays rounds on one table until it is stopped."""

    def __init__(self, engine: Engine, table: str, *, pace: float, stop: threading.Event) -> None:
        self._engine, self._table, self._pace, self._stop = engine, table, pace, stop
        self._game = ""
        self._locking = 0
        """The last round that this dealer tried to lock."""
        self._body: object = None
        """The body of that lock. An engine that pays keeps it, and the bets, on a disk before the call."""
        self._dealt: list[str] = []
        """The things that it has dealt of that round's order."""
        self._hands: object = None
        """The body of the reveal that follows: who was dealt what."""

    def play(self) -> None:
        """Play round after round; it waits for a service that is away for a while."""
        while not self._stop.is_set():
            try:
                if not self._round():
                    return
            except (urllib3.exceptions.HTTPError, _NotTheServiceError) as error:
                why = str(error) if isinstance(error, _NotTheServiceError) else type(error).__name__
                _screen.say(f"{self._table}: {why}, trying again")
                self._stop.wait(_RETRY_SECONDS)

    def _round(self) -> bool:
        """Play one round, starting from the table's state; `False` if the table takes no more rounds."""
        state = self._engine.get(f"/v1/engine/tables/{self._table}")
        if state.status != HTTPStatus.OK:
            return self._refused(state)
        number, self._game = state.document["next_round"], state.document["game"]
        if number > 1 and self._engine.get(self._path(number - 1)).document.get("status") == "locked":
            return self._go_on(number - 1)
        opened = self._engine.post(f"{self._path(number)}/open")
        if opened.status != HTTPStatus.OK:
            return self._refused(opened)
        self._stop.wait(self._pace * 0.6)
        # The answer to an earlier lock may have been lost on its way: then its body is sent again.
        if number != self._locking:
            self._locking, self._dealt, self._hands = number, [], None
            self._body = _lock_body() | ({"keep_back": True} if "order" in state.document else {})
        return self._lock(number)

    def _path(self, number: int) -> str:
        return f"/v1/engine/tables/{self._table}/rounds/{number}"

    def _go_on(self, number: int) -> bool:
        """End a round that a failure left locked.

        The answer to its lock may have been lost, so it is locked again. After a restart nobody knows its body
        any more: this dealer's bets are made up, and it pays nobody.
        """
        return self._lock(number) if number == self._locking else self._reveal(number)

    def _lock(self, number: int) -> bool:
        """Lock, and then the flight, the roll, the shot: players watch, and the outcome is only the engine's. Then
        the reveal.
        """
        locked = self._engine.post(f"{self._path(number)}/lock", self._body)
        if locked.document.get("code") == "other-body":
            return self._void(number)
        if locked.status != HTTPStatus.OK:
            return self._refused(locked)
        if "of" in locked.document and (refused := self._deal(number, locked.document["of"])):
            return self._refused(refused)
        self._stop.wait(self._pace * 0.4)
        return self._reveal(number)

    def _deal(self, number: int, of: int) -> Reply | None:
        """Ask for the things of an order as its game needs them. Returns the refusal, if a call gets one."""
        dealt: list[str] = []

        def take(count: int) -> list[str]:
            body = {"position": len(dealt) + 1, "count": count}
            reply = self._engine.post(f"{self._path(number)}/next", body)
            if reply.status != HTTPStatus.OK:
                raise _RefusedError(reply)
            dealt.extend(str(each["thing"]) for each in reply.document["things"])
            return dealt[-count:]

        try:
            if self._game == "blackjack":
                self._hands = {"dealt": deal(take)}
            else:
                take(min(of, _FIRST_THINGS))
        except _RefusedError as refused:
            return refused.reply
        self._dealt = dealt
        return None

    def _void(self, number: int) -> bool:
        """Void a round whose outcome somebody else may have read while players were still betting."""
        _screen.say(f"{self._table}: round {number} was locked by somebody else: revoke the token that did it")
        voided = self._engine.post(f"{self._path(number)}/void", {"reason": "locked by somebody else"})
        return voided.status == HTTPStatus.OK or self._refused(voided)

    def _reveal(self, number: int) -> bool:
        is_ours = number == self._locking
        revealed = self._engine.post(f"{self._path(number)}/reveal", self._hands if is_ours else None)
        if revealed.status != HTTPStatus.OK:
            return self._refused(revealed)
        dealt = " ".join(self._dealt) if is_ours else ""
        outcome = dealt or outcome_text(revealed.document["outcome"])
        _screen.say(f"{self._table:<14} round {number:<6} {outcome:<10} {revealed.document['round_code']}")
        return True

    def _refused(self, reply: Reply) -> bool:
        """Wait if waiting helps; give up the table if it is closed."""
        code = reply.document.get("code")
        if code in ("table-closed", "log-ended"):
            _screen.say(f"{self._table}: closed, no more rounds")
            return False
        if reply.status in _FOR_GOOD:
            raise DealerError(f"{self._table}: {_words_of(reply)}")
        # That a round is not ready yet is no news, but whoever watches wants to know why nothing happens.
        if code in _NOT_YET:
            _screen.say(f"Waiting: {reply.document.get('detail')}", after_silence=_SILENT_SECONDS)
        else:
            _screen.say(f"{self._table}: {reply.document.get('detail')}")
        self._stop.wait(_RETRY_SECONDS)
        return True


def _words_of(refusal: Reply) -> str:
    detail, url = (refusal.document.get(name) for name in ("detail", "url"))
    return f"{detail}" if url is None else f"{detail}: call {url}"


def _lock_body() -> dict[str, object]:
    """Return the body of a lock: its call, and the digest of some made-up bets, a line each, whose random part hides
    them.
    """
    players = random.sample(_PLAYERS, random.randint(0, len(_PLAYERS)))  # noqa: S311 -- made-up bets need no strong randomness
    lines = [f"{player} {random.randint(1, 500)} {random.getrandbits(128):032x}".encode() for player in players]  # noqa: S311 -- made-up bets need no strong randomness
    return {"call": token_urlsafe(16), "bets": to_builtins(digest(lines))}


class _Screen:
    """What a person reads who watches the dealers of all tables."""

    def __init__(self) -> None:
        self._lock, self._said_at = threading.Lock(), time.monotonic()

    def say(self, line: str, *, after_silence: float = 0.0) -> None:
        """Print a line, unless another was printed in the last so many seconds."""
        with self._lock:
            if time.monotonic() - self._said_at < after_silence:
                return
            self._said_at = time.monotonic()
            say(sys.stdout, line + "\n", Rank.CALL)


_screen = _Screen()


def play(url: str, token: str, tables: list[str], pace: float, stop: threading.Event) -> None:
    """Play the named tables, or all open ones and those that are added later, until ``stop``. Raises
    `DealerError`.
    """
    engine = Engine(url, token)
    failures: list[DealerError] = []
    threads: dict[str, threading.Thread] = {}

    def run(table: str) -> None:
        try:
            Dealer(engine, table, pace=pace, stop=stop).play()
        except DealerError as error:
            failures.append(error)
            stop.set()

    def begin(names: list[str]) -> None:
        for table in names:
            if table not in threads:
                threads[table] = threading.Thread(target=run, args=[table], name=table)
                threads[table].start()

    begin(tables or _open_tables(engine))
    while not tables and any(map(threading.Thread.is_alive, threads.values())) and not stop.wait(_LOOK_SECONDS):
        # A service that is away for a while has no new tables; a token that was revoked ends the dealers.
        with suppress(DealerError, urllib3.exceptions.HTTPError, _NotTheServiceError):
            begin(_open_tables(engine))
    for thread in threads.values():
        thread.join()
    if failures:
        raise failures[0]


def _open_tables(engine: Engine) -> list[str]:
    names: list[str] = []
    page: str | None = "/v1/engine/tables"
    while page is not None:
        listed = engine.get(page)
        if listed.status != HTTPStatus.OK:
            raise DealerError(f"{engine.url}: {_words_of(listed)}")
        names += [table["table"] for table in listed.document["tables"] if not table["closed"]]
        page = listed.document.get("next")
    return names
