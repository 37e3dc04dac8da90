"""Tables and rounds as they are: what the public reads, and engines, too, on their own listener."""

from __future__ import annotations

from flask import Blueprint, Response, current_app

from api.http import view as public_rounds
from api.http.answers import json_answer, round_number
from api.service import Service

reads_api = Blueprint("reads", __name__)


def _service() -> Service:
    service: Service = current_app.extensions["foredraw"]
    return service


@reads_api.get("/v1/tables")
def list_tables() -> Response:
    """All tables."""
    return json_answer({"tables": public_rounds.list_tables(_service())})


@reads_api.get("/v1/tables/<table>")
def show_table(table: str) -> Response:
    """One table, with its rules."""
    return json_answer(public_rounds.show_table(_service(), table))


@reads_api.get("/v1/tables/<table>/rounds/<number>")
def show_round(table: str, number: str) -> Response:
    """One round."""
    return json_answer(public_rounds.show_round(_service(), table, round_number(number)))
