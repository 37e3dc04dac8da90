"""What can be bet on the games, and what becomes of bets: for front-ends, which take and pay them."""

from __future__ import annotations

from flask import Blueprint, Response, current_app

from api.bets import paytables
from api.bets.settling import SETTLE_BODY, ended_round, settle_bets
from api.http.answers import json_answer, round_number
from api.http.crowds import expensive
from api.http.elsewhere import wrong_listener
from api.http.request_body import decode_body, read_body
from api.service import Service

bets_api = Blueprint("bets", __name__)


def _service() -> Service:
    service: Service = current_app.extensions["foredraw"]
    return service


@bets_api.get("/v1/games")
def list_games() -> Response:
    """All games, and the winning options of each."""
    return json_answer({"games": paytables.list_games(_service())})


@bets_api.get("/v1/games/<game>")
@expensive
def show_game(game: str) -> Response:
    """One game under the rules that a table of it has unless its operator chooses others."""
    return json_answer(paytables.show_game(_service(), game))


@bets_api.get("/v1/tables/<table>/bets")
@expensive
def show_bets(table: str) -> Response:
    """The game of one table, under the table's rules."""
    return json_answer(paytables.show_bets(_service(), table))


@bets_api.post("/v1/tables/<table>/rounds/<number>/settle")
@expensive
def settle_ended(table: str, number: str) -> Response:
    """What becomes of bets on a round that has ended, which everybody may ask."""
    service, n, body = _service(), round_number(number), decode_body(read_body(), SETTLE_BODY)
    ended = ended_round(service, table, n)
    if ended is None:
        raise wrong_listener("settle, before a round has ended,")
    return json_answer(settle_bets(service, table, n, ended.status, ended.outcome, body.bets))
