"""Which service this is, its tables and rounds: at ``/v1`` for the public, at ``/v1/engine`` for engines."""

from __future__ import annotations

from flask import Blueprint, Response
from msgspec import UNSET

from api.answers.service import FEATURES, Service
from api.answers.tables import TableList
from api.http import view
from api.http.answers import A_MINUTE, A_SECOND, json_answer, round_number
from api.http.crowds import expensive
from api.http.described.queries import AFTER, OF_TABLES, page_at
from api.http.view import PublicRounds
from api.parts import part
from api.rounds.admission import Openings
from api.sql.database import Database
from api.store.models import RoundStatus
from api.world.clock import Clock
from fairness.log.checkpoints import is_sandbox
from fairness.log.notes import VerifierKey
from fairness.version import VERSION

reads_api = Blueprint("reads", __name__)


@reads_api.get("")
def show_service() -> Response:
    """Return which service this is, and what may be sent to it."""
    key = part(VerifierKey)
    return json_answer(Service(VERSION, key.name, str(key), is_sandbox(key.name), part(Clock).now(), list(FEATURES)))


@reads_api.get("/tables")
@expensive
def list_tables() -> Response:
    """Return a page of all tables."""
    limit = OF_TABLES.given()
    tables, has_more = view.list_tables(part(Database), part(Openings), AFTER.given(), limit)
    return json_answer(
        TableList(tables, page_at(after=tables[-1].table, limit=limit) if has_more else UNSET), keep=A_SECOND
    )


@reads_api.get("/tables/<table>")
def show_table(table: str) -> Response:
    """Return one table, with its rules."""
    return json_answer(view.show_table(part(Database), part(Openings), table), keep=A_SECOND)


@reads_api.get("/tables/<table>/rounds/<number>")
def show_round(table: str, number: str) -> Response:
    """Return one round."""
    found = part(PublicRounds).show(table, round_number(number))
    # Who was dealt what may be said later.
    may_have_hands = found.order is not UNSET and found.dealt is UNSET and found.status == RoundStatus.PLAYED
    changes = found.outcome is UNSET or may_have_hands
    return json_answer(found, keep=A_SECOND if changes else A_MINUTE)
