"""``/tables/{table}/rounds/{n}``: one round, its picture, its code and proof, and when it was fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

import segno
from flask import Response, request
from markupsafe import Markup
from msgspec import UNSET

from api.answers.rounds import EndedRound, Thing
from api.http.answers import round_number
from api.http.view import PublicRounds
from api.log.publication import Publication
from api.pages.bet_asked import bet_asked
from api.pages.pictures import after_lock, looks_of_table
from api.pages.pictures.looks import Looks
from api.pages.pictures.things import thing_in_words
from api.pages.pictures.words import place_in_words
from api.pages.shell.frame import pages, show
from api.pages.shell.languages import gettext
from api.pages.shell.lasting import lasting
from api.pages.time_line import time_line
from api.parts import part
from api.rounds.change import TableWriter
from api.rounds.reading import status_of_table
from api.sql.database import Database
from api.world.clock import Clock
from fairness.log.notes import VerifierKey
from games import GAMES
from games.facts import facts_of

_QUIET_MODULES = 4
"""The white margin that scanners need around a QR code (ISO/IEC 18004)."""


@pages.get("/tables/<table>/rounds/<number>")
@lasting
def round_of_table(table: str, number: str) -> Response:
    """Show the round as it is now."""
    n, database = round_number(number), part(Database)
    round_ = part(PublicRounds).show(table, n)
    state = status_of_table(database, table).state
    looks = looks_of_table(state)
    line = time_line(part(Publication), state, n, part(TableWriter).beacons)
    ended = None if round_.outcome is UNSET else EndedRound(n, round_.status, round_.outcome)
    check = None if round_.round_code is UNSET else f"{request.host_url}verify#{round_.round_code}"
    return show(
        "round",
        now=part(Clock).now(),
        table=state,
        round=round_,
        number=n,
        after_lock=after_lock(looks, has_flight=GAMES.of(state).has_flight),
        line=line,
        bet=None if ended is None else bet_asked(database, state, ended, request.args),
        game=facts_of(state.game, state.declaration_text),
        looks=looks,
        hands=list(_hands(looks, round_.order or ())),
        key=part(VerifierKey),
        log=f"{request.host_url}log",
        check=check,
        qr=None if check is None else _qr(check),
    )


def _hands(looks: Looks, order: Sequence[Thing]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the order of a round, place by place: the place's name, and each thing with its position."""
    for place, things in groupby(order, attrgetter("place")):
        look = looks.get(place, "word")
        named = [(each.position, thing_in_words(look, str(each.thing))) for each in things]
        yield place_in_words(place, gettext), named


@lru_cache(maxsize=256)
def _qr(text: str) -> Markup:
    """Return a QR code as inline SVG, which needs no style of its own."""
    code = segno.make(text, error="m", micro=False)
    return Markup(code.svg_inline(border=_QUIET_MODULES, omitsize=True, dark="#000", light="#fff"))  # noqa: S704 -- our own markup
