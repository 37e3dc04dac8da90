"""The page at ``/``: the tables, and the last rounds with their codes."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Response, current_app, make_response, render_template, request
from sqlalchemy import Row

from api import statements as sql
from api.ledger import decode_state
from api.outcome_text import outcome_text
from api.service import Service

pages = Blueprint("pages", __name__, template_folder="templates")

_ROUNDS_SHOWN = 5


@pages.get("/")
def home() -> Response:
    """A plain page for people."""
    service: Service = current_app.extensions["foredraw"]
    tables = []
    with service.database.read() as connection:
        for row in connection.execute(sql.ALL_TABLES).all():
            last = connection.execute(sql.LAST_ENDED, {"of_table": row.name, "most": _ROUNDS_SHOWN})
            rounds = [_shown(ended) for ended in last]
            tables.append({"state": decode_state(row.queued_state), "halted": row.halted, "rounds": rounds})
    log = request.host_url + "log"
    page = render_template(
        "home.html", tables=tables, log=log, key=service.verifier_key, size=service.publication.size
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response


def _shown(row: Row[Any]) -> dict[str, object]:
    return {"row": row, "outcome": outcome_text(json.loads(row.outcome))}
