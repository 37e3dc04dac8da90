"""``/ops``: for the operator, how every table and the background program do."""

from __future__ import annotations

from werkzeug.wrappers import Response

from api.access.sessions import Session
from api.access.tokens import ALL_TABLES, Role
from api.journal.chain import journal_head
from api.operations.overview import Observer
from api.pages.ops.operators import for_people, operators
from api.pages.shell.frame import show
from api.parts import part
from api.sql.database import Database


@operators.get("")
@operators.get("/live")
@for_people
def ops(session: Session) -> Response:
    """Show everything at a glance; the page refreshes itself from another address, which does not count as the
    operator's activity.
    """
    seen = part(Observer).overview()
    scope = session.operator.tables if session.operator.role == Role.OPERATOR else ()
    return show(
        "ops",
        seen=seen,
        troubles=list(seen.troubles()),
        operator=session.operator.name,
        reads_only=session.operator.role == Role.AUDITOR,
        may_add=ALL_TABLES in scope,
        may_change=lambda table: table in scope or ALL_TABLES in scope,
        journal=journal_head(part(Database)),
        sign_out=session.form_token("/ops/logout"),
    )
