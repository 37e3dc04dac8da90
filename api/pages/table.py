"""``/tables/{table}``: one table, its round now, what is fixed already, its rules, and its history."""

from __future__ import annotations

import json
from typing import NamedTuple

from flask import Response, request

from api.http.live.feed import Feed
from api.http.view import PublicRounds
from api.log.publication import Publication
from api.pages.going_on import standing
from api.pages.history import ROUNDS_ON_A_PAGE, Wanted, choices, has_range, read_page
from api.pages.option_lines import option_groups
from api.pages.pictures import after_lock, hand_of, looks_of_table
from api.pages.pictures.hands import Hand
from api.pages.pictures.looks import Looks
from api.pages.returns import returns
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.parts import part
from api.paytables.offered import are_catalogues, bets_of
from api.rounds.reading import rounds_between, table_row
from api.rounds.status import fixed_through
from api.sql.database import Database
from api.store.contents import decode_state
from api.store.models import EndedRow, RoundStatus
from api.world.clock import Clock
from fairness.draws.game import Game, Outcome
from fairness.records.record import TableRecord
from fairness.round.authentic_log import Placed
from fairness.round.finder import find_table
from games import GAMES
from games.bets import BETS
from games.bets.catalogue import declaration_of
from games.facts import facts_of
from games.order import order_to_show

_COMING = 3
"""How many of the next commitments are shown."""


@pages.get("/tables/<table>")
@lasting
def table(table: str) -> Response:
    """Show the table as it is now, and a page of its history."""
    database = part(Database)
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    wanted = Wanted.asked(request.args)
    history = read_page(database, table, wanted, request.args, state.next_round - 1)
    # One round may be in flight while the next takes bets: all older ones have ended.
    rounds = rounds_between(database, table, state.next_round - 2, state.next_round + 1)
    live = part(Feed).read_one(table)
    looks, game = looks_of_table(state), GAMES.of(state)
    locked = after_lock(looks, has_flight=game.has_flight)
    rules = json.loads(row.rules)
    bets, declaration = bets_of(database, state), declaration_of(state.game, state.declaration_text)
    is_named = bets is not None and bets is BETS.get(state.game)
    first = live.now[-1].round + 1 if live.now else state.next_round
    return show(
        "table",
        clock=part(Clock).now(),
        table=state,
        after_lock=locked,
        standing=standing(live, locked, part(Clock).moment()),
        now=live.now,
        first=first,
        fixed_through=fixed_through(state),
        last=next((_shown(looks, game, each.ended) for each in reversed(rounds) if each.status.has_ended), None),
        coming=[]
        if state.ended
        else part(PublicRounds).page(table, first, min(_COMING, fixed_through(state) - first + 1)),
        returns=returns(state.game, rules) if is_named else None,
        option_groups=() if is_named else option_groups(state.game, bets, rules),
        keeps_order=row.keeps_order,
        own_bets=bets is not None and not are_catalogues(state),
        rules=state.batches[0].rules if state.batches else rules,
        record=_record(part(Publication), state.table_id),
        wanted=wanted,
        history=history,
        most=ROUNDS_ON_A_PAGE,
        rounds=[_shown(looks, game, row) for row in history.rounds],
        choices=choices(declaration, rules),
        has_range=has_range(declaration),
        game=facts_of(state.game, state.declaration_text),
        looks=looks,
    )


class Shown(NamedTuple):
    """A round that has ended; of one in which players decided, what was dealt."""

    round: int
    status: RoundStatus
    outcome: Outcome
    hand: Hand | None


def _shown(looks: Looks, game: Game, row: EndedRow) -> Shown:
    outcome = json.loads(row.outcome)
    hand = hand_of(looks, order_to_show(game, outcome), given=row.given, dealt=json.loads(row.dealt or "{}"))
    return Shown(row.round, row.status, outcome, hand)


def _record(publication: Publication, table_id: bytes) -> Placed[TableRecord] | None:
    """Return the table's own record; `None` while it is not published."""
    log = publication.newest()
    return None if log is None else find_table(log, table_id)
