"""The calls of an engine at one table, and the digest of its bets. Nothing here knows a game."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from http.client import HTTPResponse
from secrets import token_urlsafe
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

PENDING = 202
LOST = "repeat-same-body"
"""The code of a web server in front that has no answer: the service may have received the call."""
OTHERS = "other-body"
"""The code of a lock that another call has made."""
Say = Callable[[str], object]
"""Writes a line of the round's minutes: what was dealt, what was decided. It has to be durable before it returns."""


class Refused(Exception):
    """The service does not do what it was asked for; the code and the message are its own."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class Engine:
    """The engine of one table."""

    def __init__(self, url: str, token: str, table: str, proxy: str | None = None) -> None:
        """``proxy``: the address of one, if the calls are to go through it. It reads the token and every outcome.

        The variables of the environment, like http_proxy, name a proxy for the web, so they are not followed.
        """
        self.table = table
        self._opener = build_opener(ProxyHandler({} if proxy is None else {"http": proxy, "https": proxy}))
        self._tables = f"{url.rstrip('/')}/v1/engine/tables/{table}"
        self._token = token

    def begin(self) -> int:
        """Open the next round. A round that an earlier run has left locked is voided: nobody knows its minutes any
        more.
        """
        number = int(self._answer(self._tables, "GET")["next_round"])
        if number > 1 and self._answer(f"{self._tables}/rounds/{number - 1}", "GET")["status"] == "locked":
            self.act(number - 1, "void", {"reason": "engine restarted"})
        self.act(number, "open")
        return number

    def lock(self, number: int, bets: Sequence[bytes]) -> Order:
        """End the betting, with a digest of the ``bets``; the service keeps the order back, and gives it thing by
        thing.
        """
        digest = {"count": len(bets), "root": root(bets).hex()}
        # However often it is sent, by us or by a proxy, nobody else knows this call: so an answer means that the lock
        # is ours.
        body = {"call": token_urlsafe(16), "bets": digest, "keep_back": True}
        try:
            self.act(number, "lock", body)
        except Refused as refused:
            if refused.code == OTHERS:
                self.act(number, "void", {"reason": "locked by somebody else"})
                raise Refused(OTHERS, f"round {number}: somebody else has locked it; revoke the token") from refused
            raise
        return Order(self, number)

    def act(self, number: int, action: str, body: object = None) -> dict[str, Any]:
        """Do something to a round."""
        return self._answer(f"{self._tables}/rounds/{number}/{action}", "POST", body)

    def _answer(self, address: str, method: str, body: object = None) -> dict[str, Any]:
        """Repeat a call with the same body, while the round is not published, or no machine answers."""
        while (answer := self._call(address, method, body)).pop("pending", False):
            time.sleep(0.1)
        return answer

    def _call(self, address: str, method: str, body: object = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(address, data, headers, method=method)  # noqa: S310  (the operator's own service)
        try:
            with self._opener.open(request, timeout=30) as answer:
                return _document(answer, address) | ({"pending": True} if answer.status == PENDING else {})
        except HTTPError as error:
            with error:
                problem = _document(error, address)
            if problem.get("code") == LOST:
                return {"pending": True}
            if not {"code", "detail"} <= problem.keys():
                raise _not_ours(address, error.status) from error
            raise Refused(problem["code"], problem["detail"]) from error


def _document(answer: HTTPResponse | HTTPError, address: str) -> dict[str, Any]:
    """The JSON object of an answer. Whatever else answers, a proxy or another program, is named by its address and
    status.
    """
    try:
        document = json.load(answer)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise _not_ours(address, answer.status)
    return document


def _not_ours(address: str, status: int | None) -> Refused:
    return Refused("not-the-service", f"{address} answered {status}, with what is not the service's")


class Thing(str):
    """A card, a bone: with its position in the order, counted from 1."""

    __slots__ = ("position",)
    position: int

    def __new__(cls, thing: object, position: int) -> Self:
        """Make one of an answer."""
        made = super().__new__(cls, thing)
        made.position = position
        return made


class Order:
    """The things of a locked round, in their order. Each position is asked for once, and is in the service's
    journal.
    """

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine, self._number = engine, number
        self.given: list[Thing] = []

    def take(self, count: int = 1) -> list[Thing]:
        """The next things."""
        body = {"position": len(self.given) + 1, "count": count}
        answer = self._engine.act(self._number, "next", body)
        things = [Thing(each["thing"], each["position"]) for each in answer["things"]]
        self.given += things
        return things

    def end(self, hands: Mapping[str, Sequence[Thing]], *places: str) -> str:
        """Reveal the round, say which things lay in whose ``hands``, and check that what was given is what was fixed;
        the round's code, for the players. The names of hands are in lower case.
        """
        dealt = {name: [thing.position for thing in hand] for name, hand in hands.items()}
        reveal = self._engine.act(self._number, "reveal", {"dealt": dealt})
        fixed = " ".join(reveal["outcome"][place] for place in places).split(" ")
        if self.given != fixed[: len(self.given)]:
            raise Refused("not-dealt", f"round {self._number}: it was dealt {self.given}, and {fixed} was fixed")
        return str(reveal["round_code"])


def root(lines: Sequence[bytes]) -> bytes:
    """The Merkle root of the bets, a line each (SPEC 7, RFC 6962). Each line needs a random part, or it can be
    guessed.
    """
    if len(lines) <= 1:
        return sha256(b"\0" + lines[0] if lines else b"").digest()
    half = 1 << (len(lines) - 1).bit_length() - 1
    return sha256(b"\1" + root(lines[:half]) + root(lines[half:])).digest()


def run(description: str, play: Callable[[Engine], object]) -> None:
    """Play rounds as the command line says. The token is in the environment, where no list of processes shows it."""
    options = argparse.ArgumentParser(description=f"{description} FOREDRAW_TOKEN has the token of its engine.")
    options.add_argument("table", help="the table's name")
    options.add_argument("--url", default="http://127.0.0.1:8001", help="the engines' listener (%(default)s)")
    options.add_argument(
        "--proxy", metavar="URL", help="send the calls through this proxy, which reads token and outcomes"
    )
    options.add_argument("--rounds", type=int, default=1, help="how many rounds (%(default)s)")
    given = options.parse_args()
    engine = Engine(given.url, os.environ.get("FOREDRAW_TOKEN", ""), given.table, given.proxy)
    try:
        for _ in range(given.rounds):
            play(engine)
    except (Refused, OSError, ValueError) as error:
        sys.exit(f"{given.table}: {error}")
