"""``/``: all tables, and the last rounds of each with their codes."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, current_app, request
from sqlalchemy import Row

from api import statements as sql
from api.ledger import decode_state
from api.outcome_text import outcome_text
from api.pages.frame import pages, show
from api.service import Service

_ROUNDS_SHOWN = 5


@pages.get("/")
def home() -> Response:
    """The tables as they are now."""
    service: Service = current_app.extensions["foredraw"]
    tables = []
    with service.database.read() as connection:
        for row in connection.execute(sql.ALL_TABLES).all():
            last = connection.execute(sql.LAST_ENDED, {"of_table": row.name, "most": _ROUNDS_SHOWN})
            rounds = [_shown(ended) for ended in last]
            tables.append({"state": decode_state(row.queued_state), "halted": row.halted, "rounds": rounds})
    log = request.host_url + "log"
    return show("home", tables=tables, log=log, key=service.verifier_key, size=service.publication.size)


def _shown(row: Row[Any]) -> dict[str, object]:
    return {"row": row, "outcome": outcome_text(json.loads(row.outcome))}
