"""``/ops``: for the operator, how every table and the background program do."""

from __future__ import annotations

from werkzeug.wrappers import Response

from api.overview import overview
from api.pages.frame import show
from api.pages.operators import for_operators, operators, the_service
from api.sessions import Session
from api.tokens import ALL_TABLES


@operators.get("")
@operators.get("/live")
@for_operators
def ops(session: Session) -> Response:
    """Everything at a glance; the page asks for it again at another address, which is no sign of a person."""
    seen = overview(the_service())
    scope = session.operator.tables
    return show(
        "ops",
        seen=seen,
        troubles=list(seen.troubles()),
        operator=session.operator.name,
        may_add=ALL_TABLES in scope,
        may_close=lambda table: table in scope or ALL_TABLES in scope,
        sign_out=session.form_token("/ops/logout"),
    )
