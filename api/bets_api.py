"""What can be bet on the games, and what becomes of bets: for front-ends, which take and pay them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from flask import Blueprint, Response, current_app, request
from msgspec import Meta, Struct

from api import paytables
from api.answers import json_answer, pending_answer, round_number
from api.request_body import decode_body, read_body
from api.rounds import locked_outcome
from api.service import Service
from api.settling import PlacedBet, ended_round, settle_bets
from api.tokens import Role, find_token

MOST_BETS = 200

bets_api = Blueprint("bets", __name__)


class _SettleBody(Struct, forbid_unknown_fields=True):
    bets: Annotated[list[PlacedBet], Meta(min_length=1, max_length=MOST_BETS)]


_SETTLE_BODY = msgspec.json.Decoder(_SettleBody)


def _service() -> Service:
    service: Service = current_app.extensions["foredraw"]
    return service


@bets_api.get("/v1/games")
def list_games() -> Response:
    """All games, and the winning options of each."""
    return json_answer({"games": paytables.list_games(_service())})


@bets_api.get("/v1/games/<game>")
def show_game(game: str) -> Response:
    """One game under the rules that a table of it has unless its operator chooses others."""
    return json_answer(paytables.show_game(_service(), game))


@bets_api.get("/v1/tables/<table>/bets")
def show_bets(table: str) -> Response:
    """The game of one table, under the table's rules."""
    return json_answer(paytables.show_bets(_service(), table))


@bets_api.post("/v1/tables/<table>/rounds/<number>/settle")
def settle(table: str, number: str) -> Response:
    """What becomes of bets on a round; while it is locked, for its engine alone."""
    service, data, n = _service(), read_body(), round_number(number)
    bets = decode_body(data, _SETTLE_BODY).bets
    ended = ended_round(service, table, n)
    if ended is not None:
        return json_answer(settle_bets(service, table, n, ended.status, ended.outcome, bets))
    find_token(service.database, request.headers.get("Authorization")).check(Role.ENGINE, table)
    outcome = locked_outcome(service, table, n)
    if outcome is None:
        return pending_answer(table, n)
    return json_answer(settle_bets(service, table, n, "locked", outcome, bets))
