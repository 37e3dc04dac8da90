"""``/ops/login``: an operator signs in with a token, and out again."""

from __future__ import annotations

import logging
import time
from threading import BoundedSemaphore

from flask import abort, redirect, request
from werkzeug.wrappers import Response

from api.access.presented import known_token
from api.access.sessions import PEOPLE, Session, Sessions
from api.access.tokens import digest
from api.pages.ops.operators import COOKIES, LOGIN, for_people, operators, present_session
from api.pages.shell.forms import own_scheme, read_form, read_session_form
from api.pages.shell.frame import show
from api.pages.shell.languages import gettext as _
from api.parts import part
from api.problems import Problem
from api.sql.database import Database
from api.world.clock import Clock

FAILURE_SECONDS = 1.0
FAILURES_AT_ONCE = 4
"""How many senders of wrong tokens wait at once; further ones are refused immediately."""

_failures = BoundedSemaphore(FAILURES_AT_ONCE)
_logger = logging.getLogger("foredraw.ops")


@operators.get("/login")
def login_page() -> Response:
    """Show a form for the token."""
    return redirect("/ops", 303) if present_session() else show("ops_login", wrong="")


@operators.post("/login")
def login() -> Response:
    """Take a token of an operator, and nobody else's; give a cookie for it."""
    form, scheme = read_form("token"), own_scheme()
    if scheme == "http" and not _is_on_this_machine():
        abort(403, _("Sign in over https only. The token has just been sent for everybody to read: revoke it."))
    text = form["token"].strip()
    try:
        token = known_token(part(Database), part(Clock), text)
    except Problem:
        return _wrong(_("This token is unknown or revoked."))
    if token.role not in PEOPLE:
        return _wrong(_("This is a token of an engine. Sign in with one of the role operator or auditor."))
    secret = part(Sessions).begin(digest(text))
    # The messages that a supervisor keeps show who did what.
    _logger.warning("the %s %s signed in", token.role, token.name)
    response = redirect("/ops", 303)
    response.set_cookie(COOKIES[scheme], secret, secure=scheme == "https", httponly=True, samesite="Strict", path="/")
    return response


@operators.post("/logout")
@for_people
def logout(session: Session) -> Response:
    """End the session, on every machine that has its cookie."""
    read_session_form(session)
    part(Sessions).end(session)
    response = redirect(LOGIN, 303)
    for scheme, name in COOKIES.items():
        response.delete_cookie(name, secure=scheme == "https", httponly=True, samesite="Strict", path="/")
    return response


def _is_on_this_machine() -> bool:
    """Return whether the browser reached this service under a name of its own machine."""
    host = request.headers.get("Host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name in ("localhost", "127.0.0.1", "[::1]")


def _wrong(message: str) -> Response:
    """Refuse, slowly. A token is 256 random bits, so it cannot be guessed; and an attacker cannot lock anybody
    out.
    """
    if not _failures.acquire(blocking=False):
        abort(429, _("Please try again in a moment."))
    try:
        time.sleep(FAILURE_SECONDS)
    finally:
        _failures.release()
    _logger.warning("somebody at %s tried to sign in with a wrong token", request.remote_addr)
    return show("ops_login", status=403, wrong=message)
