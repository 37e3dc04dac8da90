"""``/ops/tables/{table}/pause`` and ``resume``, ``/ops/halt`` and ``/ops/resume``: whether rounds are opened, and why
not.
"""

from __future__ import annotations

import logging

from flask import abort, redirect, request
from werkzeug.wrappers import Response

from api.access.sessions import Session
from api.access.tokens import ALL_TABLES, Role
from api.journal.entry import LONGEST_REASON, is_line
from api.pages.ops.operators import for_operators, operators
from api.pages.shell.forms import read_session_form
from api.pages.shell.frame import show
from api.pages.shell.languages import gettext as _
from api.parts import part
from api.rounds.change import TableWriter
from api.rounds.control import pause_table, stop_tables
from api.rounds.reading import table_row
from api.rounds.tables import TableRefusedError
from api.sql.database import Database

_logger = logging.getLogger("foredraw.ops")


@operators.get("/tables/<table>/pause", defaults={"stop": True})
@operators.get("/tables/<table>/resume", defaults={"stop": False})
@for_operators
def pause_page(session: Session, table: str, *, stop: bool) -> Response:
    """Show what it means for this table, and why it is done."""
    session.operator.check(Role.OPERATOR, table)
    table_row(part(Database), table)
    return _page(session, table, stop=stop)


@operators.post("/tables/<table>/pause", defaults={"stop": True})
@operators.post("/tables/<table>/resume", defaults={"stop": False})
@for_operators
def pause(session: Session, table: str, *, stop: bool) -> Response:
    """Pause the table, or let it go on, if there is a reason."""
    session.operator.check(Role.OPERATOR, table)
    reason = _reason(session)
    if reason is None:
        return _page(session, table, stop=stop, wrong=_no_reason())
    try:
        changed = pause_table(part(TableWriter), table, paused=stop, by=session.operator.holder, reason=reason)
    except TableRefusedError:
        return _page(session, table, stop=stop, wrong=_("This table takes no more rounds."))
    if not changed:
        return _page(session, table, stop=stop, wrong=_so_already())
    _logger.warning("the operator %s %s the table %s", session.operator.name, "paused" if stop else "resumed", table)
    return redirect(f"/ops#{table}", 303)


@operators.get("/halt", defaults={"stop": True})
@operators.get("/resume", defaults={"stop": False})
@for_operators
def halt_page(session: Session, *, stop: bool) -> Response:
    """Show what it means for all tables, and why it is done."""
    _check_scope(session)
    return _page(session, None, stop=stop)


@operators.post("/halt", defaults={"stop": True})
@operators.post("/resume", defaults={"stop": False})
@for_operators
def halt(session: Session, *, stop: bool) -> Response:
    """Halt all tables, or let them go on, if there is a reason."""
    _check_scope(session)
    reason = _reason(session)
    if reason is None:
        return _page(session, None, stop=stop, wrong=_no_reason())
    if not stop_tables(part(TableWriter), stopped=stop, by=session.operator.holder, reason=reason):
        return _page(session, None, stop=stop, wrong=_all_halted() if stop else _so_already())
    _logger.warning("the operator %s %s all tables", session.operator.name, "halted" if stop else "resumed")
    return redirect("/ops#tables", 303)


def _page(session: Session, table: str | None, *, stop: bool, wrong: str = "") -> Response:
    """Return the question about a table, or about all; with what is ``wrong`` with the answer."""
    return show(
        "ops_pause",
        status=400 if wrong else 200,
        table=table,
        stop=stop,
        wrong=wrong,
        action=request.path,
        longest=LONGEST_REASON,
        form_token=session.form_token(request.path),
    )


def _reason(session: Session) -> str | None:
    reason = read_session_form(session, "reason")["reason"].strip()
    return reason if is_line(reason) else None


def _no_reason() -> str:
    return _("Give a reason of 1 to 200 characters, on one line. Nothing was done.")


def _all_halted() -> str:
    return _("All tables are already halted. Nothing was changed, and your reason was not stored.")


def _so_already() -> str:
    return _("This is so already. Nothing was changed, and your reason was not stored.")


def _check_scope(session: Session) -> None:
    if ALL_TABLES not in session.operator.tables:
        abort(403, _("The token that you signed in with is for some tables only."))
