"""What can be bet on the games, and what becomes of bets: for front-ends, which take and pay them."""

from __future__ import annotations

from flask import Blueprint, Response

from api.answers.bets import GameList
from api.answers.bodies import SettleBody
from api.bets import returns
from api.bets.settling import ended_round, settle_bets
from api.http.answers import A_MINUTE, A_SECOND, json_answer, round_number
from api.http.crowds import expensive
from api.http.elsewhere import wrong_listener
from api.http.request_body import decode_body, read_body
from api.parts import part
from api.sql.database import Database

bets_api = Blueprint("bets", __name__)


@bets_api.get("/v1/games")
def list_games() -> Response:
    """Return the games that are known by their names, and the winning options of each."""
    return json_answer(GameList(returns.list_games()), keep=A_MINUTE)


@bets_api.get("/v1/games/<game>")
@expensive
def show_game(game: str) -> Response:
    """Return one game under its default rules."""
    return json_answer(returns.show_game(game), keep=A_MINUTE)


@bets_api.get("/v1/tables/<table>/bets")
@expensive
def show_bets(table: str) -> Response:
    """Return the game of one table, under the table's rules."""
    return json_answer(returns.show_bets(part(Database), table), keep=A_SECOND)


@bets_api.post("/v1/tables/<table>/rounds/<number>/settle")
@expensive
def settle_ended(table: str, number: str) -> Response:
    """Return what becomes of bets on a round that has ended, which everybody may ask."""
    database, n, body = part(Database), round_number(number), decode_body(read_body(), SettleBody)
    ended = ended_round(database, table, n)
    if ended is None:
        raise wrong_listener("until the round has ended, settle is")
    return json_answer(settle_bets(database, table, n, ended.status, ended.outcome, body.bets))
