"""Tables and rounds as they are: below ``/v1/`` for the public, and below ``/v1/engine/`` for engines."""

from __future__ import annotations

from flask import Blueprint, Response

from api.answers.tables import TableList
from api.http import view
from api.http.answers import json_answer, round_number
from api.http.view import PublicRounds
from api.parts import part
from api.sql.database import Database

reads_api = Blueprint("reads", __name__)


@reads_api.get("/tables")
def list_tables() -> Response:
    """Return all tables."""
    return json_answer(TableList(view.list_tables(part(Database))))


@reads_api.get("/tables/<table>")
def show_table(table: str) -> Response:
    """Return one table, with its rules."""
    return json_answer(view.show_table(part(Database), table))


@reads_api.get("/tables/<table>/rounds/<number>")
def show_round(table: str, number: str) -> Response:
    """Return one round."""
    return json_answer(part(PublicRounds).show(table, round_number(number)))
