"""The calls of an engine: ``POST /v1/engine/tables/{table}/rounds/{n}/…``, with a bearer token.

They are on a listener of their own, with what an engine reads, all below ``/v1/engine/``. The public listener only
names its address.
"""

from __future__ import annotations

import time
from typing import TypeVar

from flask import Blueprint, Response, g
from msgspec import UNSET

from api.access.tokens import Role
from api.answers.bodies import LockBody, NextBody, OpenBody, RevealBody, SettleBody, VoidBody
from api.answers.rounds import PENDING_SECONDS, Pending
from api.bets.settling import ended_round, settle_bets
from api.callers import present_token
from api.http.answers import json_answer, round_answer, round_number
from api.http.openapi import ENGINES
from api.http.request_body import decode_body, decode_text_body, read_body
from api.operations.counts import counts
from api.parts import part
from api.rounds.calls import Rounds
from api.rounds.reading import table_row
from api.sql.database import Database
from api.store.models import RoundStatus

_Body = TypeVar("_Body")

engine_api = Blueprint("engine", __name__)


def check_engine() -> None:
    """Raise `Problem` unless the present request has an engine's token. Its body is not read yet."""
    present_token().check_role(Role.ENGINE)


@engine_api.post("/tables/<table>/rounds/<number>/open")
def open_round(table: str, number: str) -> Response:
    """Open a round for bets."""
    n, body = _prepare(table, number, OpenBody)
    return round_answer(part(Rounds).open(table, n, call=None if body.call is UNSET else body.call))


@engine_api.post("/tables/<table>/rounds/<number>/lock")
def lock_round(table: str, number: str) -> Response:
    """Lock a round, which takes no more bets; the engine, and nobody else, learns its outcome, or how many things its
    order has.
    """
    begun = time.monotonic()
    n, body = _prepare(table, number, LockBody)
    bets = None if body.bets is UNSET else body.bets
    locking = part(Rounds).lock(table, n, bets, call=body.call, keep_back=body.keep_back is True, by=g.token.name)
    if locking.is_first:
        counts().locks.observe(time.monotonic() - begun, in_time=locking.is_published)
    return round_answer(locking.answer)


@engine_api.post("/tables/<table>/rounds/<number>/next")
def next_things(table: str, number: str) -> Response:
    """Return the next things of the order of a round that is locked, while its players decide."""
    n, body = _prepare(table, number, NextBody)
    return round_answer(part(Rounds).next(table, n, body.position, body.count, by=g.token.name))


@engine_api.post("/tables/<table>/rounds/<number>/reveal")
def reveal_round(table: str, number: str) -> Response:
    """Reveal a round: everybody learns its outcome and seeds, perhaps who was dealt what, and players their code."""
    n, body = _prepare(table, number, RevealBody)
    return round_answer(part(Rounds).reveal(table, n, dealt=None if body.dealt is UNSET else body.dealt))


@engine_api.post("/tables/<table>/rounds/<number>/void")
def void_round(table: str, number: str) -> Response:
    """Void a round, which does not count, and is still revealed."""
    g.token.check(Role.ENGINE, table)
    n = round_number(number)
    body = decode_text_body(read_body(), VoidBody)
    return round_answer(part(Rounds).void(table, n, body.reason, by=g.token.name))


@engine_api.post("/tables/<table>/rounds/<number>/settle")
def settle(table: str, number: str) -> Response:
    """Return what becomes of bets on a round that is locked, or has ended."""
    n, body = _prepare(table, number, SettleBody)
    database = part(Database)
    ended = ended_round(database, table, n)
    if ended is not None:
        return round_answer(settle_bets(database, table, n, ended.status, ended.outcome, body.bets))
    outcome = part(Rounds).locked_outcome(table, n, by=g.token.name)
    if outcome is None:
        return round_answer(
            Pending(table, table_row(database, table).table_id, n, RoundStatus.LOCKED, PENDING_SECONDS)
        )
    return round_answer(settle_bets(database, table, n, RoundStatus.LOCKED, outcome, body.bets))


@engine_api.get("/openapi.json")
def openapi() -> Response:
    """Return the description of all calls of this listener."""
    return json_answer(ENGINES)


def _prepare(table: str, number: str, kind: type[_Body]) -> tuple[int, _Body]:
    """Check token, number and body, in this order, before anything is done."""
    g.token.check(Role.ENGINE, table)
    n = round_number(number)
    return n, decode_body(read_body(), kind)
