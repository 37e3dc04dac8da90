"""What the operator's pages have in common: who is signed in, and how a request is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from flask import Blueprint, Response, abort, redirect, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from api.access.sessions import Session, Sessions
from api.access.token_text import has_one
from api.access.tokens import Role
from api.pages.shell.errors import error_page
from api.pages.shell.frame import show
from api.pages.shell.languages import gettext as _
from api.parts import part
from api.problems import Code, Problem

LOGIN = "/ops/login"
# Browsers accept this prefix only from this very host over TLS. On the machine itself there may be no TLS.
COOKIES = {"https": "__Host-foredraw-ops", "http": "foredraw-ops"}
"""The name of the session's cookie, by the scheme of the page that it was set on."""

operators = Blueprint("operators", __name__, url_prefix="/ops")

Arguments = ParamSpec("Arguments")


def present_session() -> Session | None:
    """Return the operator of this request; `None` if nobody is signed in."""
    for name in COOKIES.values():
        secret = request.cookies.get(name)
        if secret:
            # A page that refreshes itself says so, and does not extend the session.
            return part(Sessions).find(secret, active=request.path != "/ops/live")
    return None


def for_operators(
    view: Callable[Concatenate[Session, Arguments], AnyResponse],
) -> Callable[Arguments, AnyResponse]:
    """Do what `for_people` does, and refuse an auditor."""

    @wraps(view)
    def of_operator(session: Session, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> AnyResponse:
        if session.operator.role != Role.OPERATOR:
            abort(403, _("You are signed in as an auditor, who can look at everything here and change nothing."))
        return view(session, *arguments, **named)

    return for_people(of_operator)


def for_people(
    view: Callable[Concatenate[Session, Arguments], AnyResponse],
) -> Callable[Arguments, AnyResponse]:
    """Send a caller that is not signed in to the login page, and do nothing else."""

    @wraps(view)
    def guarded(*arguments: Arguments.args, **named: Arguments.kwargs) -> AnyResponse:
        session = present_session()
        return redirect(LOGIN, 303) if session is None else view(session, *arguments, **named)

    return guarded


@operators.before_request
def _refuse_token_in_address() -> None:
    if any(has_one(value) for value in request.args.values()):
        # Nor does the page of the refusal repeat it in its links to other languages.
        request.args = MultiDict()
        abort(
            400,
            _("There is a token in this address. Addresses are kept in histories and logs: revoke that token now."),
        )


@operators.after_request
def _guard(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    # With a stricter policy a browser would not send the origin of a form, either.
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@operators.errorhandler(HTTPException)
def _refused(error: HTTPException) -> Response:
    titles = {
        400: _("This cannot be read"),
        403: _("This is not allowed"),
        429: _("Too many wrong tokens at once"),
    }
    status = error.code or 500
    if status not in titles or error.description is None:
        return _problem(Problem(Code.BODY_TOO_LARGE if status == Code.BODY_TOO_LARGE.status else Code.INTERNAL, ""))
    return show("error", status=status, title=titles[status], text=error.description)


@operators.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    match problem.code:
        case Code.BODY_TOO_LARGE:
            text = _("The form is too large. Nothing was done.")
        case Code.WRONG_TABLE:
            text = _("The token that you signed in with is not for this table.")
        case Code.LOG_ENDED:
            text = _(
                "The log has ended: its last record names the log that follows it, and nothing is appended any more."
            )
        case Code.TABLE_HALTED:
            text = _("The table is halted. How it goes on stands in the documents of the service.")
        case _:
            return error_page(problem)
    return show("error", status=problem.code.status, title=_("This cannot be done"), text=text)
