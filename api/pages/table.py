"""``/tables/{table}``: one table, its round now, what is fixed already, its rules, and its history."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, current_app, request
from sqlalchemy import Row

from api.http import view as public_rounds
from api.pages.history import ROUNDS_ON_A_PAGE, Wanted, choices, read_page
from api.pages.paytable import paytable
from api.pages.shell.frame import pages, show
from api.pages.shell.lasting import lasting
from api.rounds.change import known_table
from api.service import Service
from api.store import statements as sql
from api.store.rows import decode_state
from fairness.records.record import TableRecord, parse_record

_COMING = 3
"""How many of the next commitments are shown."""


@pages.get("/tables/<table>")
@lasting
def table(table: str) -> Response:
    """The table as it is now, and a page of its history."""
    service: Service = current_app.extensions["foredraw"]
    with service.database.read() as connection:
        row = known_table(connection, table)
        state = decode_state(row.queued_state)
        wanted = Wanted.asked(request.args)
        history = read_page(connection, table, wanted, request.args, state.next_round - 1)
        # One round may be in flight while the next takes bets: all older ones have ended.
        newest = {"of_table": table, "of_round": state.next_round - 2, "before": state.next_round + 1}
        rounds = connection.execute(sql.ROUNDS_BETWEEN, newest).all()
        position = connection.execute(sql.POSITION_OF_TABLE, {"of_table": table}).scalar_one_or_none()
    going_on = [row for row in rounds if row.outcome is None]
    first = going_on[-1].round + 1 if going_on else state.next_round
    return show(
        "table",
        clock=service.clock.now(),
        table=state,
        halted=row.halted is not None,
        has_flight=service.games[state.game].has_flight,
        now=going_on,
        first=first,
        last=next((_shown(ended) for ended in reversed(rounds) if ended.outcome is not None), None),
        coming=[] if state.ended else public_rounds.list_rounds(service, table, first, _COMING),
        paytable=paytable(state.game, json.loads(row.rules)),
        rules=state.batches[0].rules if state.batches else json.loads(row.rules),
        record=None if position is None else _record(service, position),
        position=position,
        wanted=wanted,
        history=history,
        most=ROUNDS_ON_A_PAGE,
        rounds=[_shown(ended) for ended in history.rounds],
        choices=choices(state.game),
    )


def _shown(row: Row[Any]) -> dict[str, Any]:
    """A round that has ended, as pages show it."""
    return {"round": row.round, "status": row.status, "outcome": json.loads(row.outcome)}


def _record(service: Service, position: int) -> TableRecord | None:
    """The table's own record; `None` while it is not published."""
    data = service.publication.record(position)
    record = None if data is None else parse_record(data)
    return record if isinstance(record, TableRecord) else None
