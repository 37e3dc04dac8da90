"""``/ops/tables/{table}/close``: what closing a table means, and whether it is meant."""

from __future__ import annotations

import logging

from flask import redirect, request
from werkzeug.wrappers import Response

from api.access.sessions import Session
from api.access.tokens import Role
from api.operations.overview import Observer
from api.pages.ops.operators import for_operators, operators
from api.pages.shell.forms import read_session_form
from api.pages.shell.frame import show
from api.parts import part
from api.rounds.change import TableWriter
from api.rounds.reading import table_row
from api.rounds.tables import request_close
from api.sql.database import Database

_logger = logging.getLogger("foredraw.ops")


@operators.get("/tables/<table>/close")
@for_operators
def close_page(session: Session, table: str) -> Response:
    """Show what closing means for this table now, and ask for its name."""
    return _page(session, table)


@operators.post("/tables/<table>/close")
@for_operators
def close(session: Session, table: str) -> Response:
    """Close the table, if its name was typed."""
    form = read_session_form(session, "name")
    if form["name"].strip() != table:
        return _page(session, table, wrong=True)
    session.operator.check(Role.OPERATOR, table)
    request_close(part(TableWriter), table, by=session.operator.holder)
    _logger.warning("the operator %s closes the table %s", session.operator.name, table)
    return redirect(f"/ops#{table}", 303)


def _page(session: Session, table: str, *, wrong: bool = False) -> Response:
    session.operator.check(Role.OPERATOR, table)
    now = part(Observer).table(table_row(part(Database), table))
    return show(
        "ops_close",
        status=400 if wrong else 200,
        table=now,
        wrong=wrong,
        form_token=session.form_token(request.path),
    )
