"""``/tables/{table}/rounds/{n}``: one round, its picture, its code and proof, and when it was fixed."""

from __future__ import annotations

from functools import lru_cache

import segno
from flask import Response, request
from markupsafe import Markup
from msgspec import UNSET

from api.answers.rounds import EndedRound, Round
from api.http.answers import round_number
from api.http.live.feed import Feed
from api.http.live.stopped import stopped_long
from api.http.view import PublicRounds
from api.log.publication import Publication
from api.pages.bet_asked import bet_asked
from api.pages.pictures import after_lock, hand_of, looks_of_table
from api.pages.pictures.hands import Hand
from api.pages.pictures.looks import Looks
from api.pages.pictures.words import words_of
from api.pages.shell.frame import pages, show
from api.pages.shell.languages import gettext
from api.pages.shell.lasting import lasting
from api.pages.time_line import time_line
from api.parts import part
from api.rounds.change import TableWriter
from api.rounds.keeper import CLOSED_REASON
from api.rounds.reading import status_of_table, was_voided_by_hand
from api.rounds.status import TableStatus
from api.sql.database import Database
from api.store.models import RoundStatus
from api.world.clock import Clock
from fairness.draws.game import Game
from fairness.log.notes import VerifierKey
from games import GAMES
from games.facts import facts_of
from games.order import order_to_show

_QUIET_MODULES = 4
"""The white margin that scanners need around a QR code (ISO/IEC 18004)."""


@pages.get("/tables/<table>/rounds/<number>")
@lasting
def round_of_table(table: str, number: str) -> Response:
    """Show the round as it is now."""
    n, database = round_number(number), part(Database)
    round_ = part(PublicRounds).show(table, n)
    seen = status_of_table(database, table)
    state = seen.state
    looks, game = looks_of_table(state), GAMES.of(state)
    line = time_line(part(Publication), state, n, part(TableWriter).beacons)
    ended = None if round_.outcome is UNSET else EndedRound(n, round_.status, round_.outcome)
    check = None if round_.round_code is UNSET else f"{request.host_url}verify#{round_.round_code}"
    hand = _hand(looks, game, round_)
    return show(
        "round",
        now=part(Clock).now(),
        table=state,
        round=round_,
        number=n,
        after_lock=after_lock(looks, has_flight=game.has_flight),
        why=None if ended is not None else stopped_long(part(Feed).read_one(table), part(Clock).moment()),
        line=line,
        bet=None if ended is None else bet_asked(database, state, ended, request.args),
        game=facts_of(state.game, state.declaration_text),
        looks=looks,
        hand=hand,
        key=part(VerifierKey),
        site=request.host_url.rstrip("/"),
        outcome=_outcome_in_words(looks, round_, hand) if round_.status is RoundStatus.PLAYED else None,
        who=_who_gave_it_up(database, seen, round_) if round_.status is RoundStatus.VOID else None,
        log=f"{request.host_url}log",
        check=check,
        qr=None if check is None else _qr(check),
    )


def _hand(looks: Looks, game: Game, round_: Round) -> Hand | None:
    """Return what was dealt of a round's order, once it is public."""
    order = [] if round_.outcome is UNSET else order_to_show(game, round_.outcome)
    return hand_of(looks, order, given=None if round_.given is UNSET else round_.given, dealt=round_.dealt or {})


def _outcome_in_words(looks: Looks, round_: Round, hand: Hand | None) -> str | None:
    """Return what came out, for a title; where players decided, what they were given, if that is known."""
    if hand is None:
        return words_of(looks, round_.outcome or {}, gettext)
    return words_of(hand.looks, hand.outcome, gettext) if hand.told != "order" and hand.count else None


def _who_gave_it_up(database: Database, seen: TableStatus, round_: Round) -> str:
    """Return what the operator's records say: ``person``, ``closing`` (of the table) or ``engine``."""
    if was_voided_by_hand(database, round_.table, round_.round):
        return "person"
    # An engine may give the same words as its reason; but a table gives up only its last round.
    is_last = (seen.closing or seen.state.ended) and round_.round == seen.state.next_round - 1
    return "closing" if is_last and round_.reason == CLOSED_REASON else "engine"


@lru_cache(maxsize=256)
def _qr(text: str) -> Markup:
    """Return a QR code as inline SVG, which needs no style of its own."""
    code = segno.make(text, error="m", micro=False)
    return Markup(code.svg_inline(border=_QUIET_MODULES, omitsize=True, dark="#000", light="#fff"))  # noqa: S704 -- our own markup
