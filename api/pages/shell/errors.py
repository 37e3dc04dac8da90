"""Errors for people: a program gets a problem document, a browser gets a page."""

from __future__ import annotations

from flask import Response, current_app, request

from api.http.crowds import crowds
from api.pages.shell.frame import show
from api.pages.shell.languages import gettext as _
from api.pages.shell.lasting import kept_or_made
from api.problems import RETRY_SECONDS, Code, Problem

_FOR_PROGRAMS = ("/v1/", "/log/", "/health/", "/metrics/", "/static/", "/scripts/", "/verifier/", "/openapi.json/")
"""What is at these addresses and below them is never a page."""


def wants_page() -> bool:
    """Return whether this is a browser that asks for a page."""
    if request.method not in ("GET", "HEAD") or f"{request.path}/".startswith(_FOR_PROGRAMS):
        return False
    return request.accept_mimetypes.best_match(["application/problem+json", "text/html"]) == "text/html"


def error_page(problem: Problem) -> Response:
    """Return a page that says what is wrong, in the reader's language."""
    of_crowds = crowds()
    if problem.code is Code.BUSY and of_crowds is not None:
        return kept_or_made(of_crowds, Code.BUSY, _busy)
    match problem.code.status:
        case 404:
            title = _("There is nothing here")
            text = _("No page, table or round has this address. It may be mistyped, or the round does not exist yet.")
        case 400 | 405:
            title = _("This address cannot be read")
            text = _("Something in it is not what this page takes. Please check it.")
        case _ if problem.code is Code.TABLE_HALTED:
            title = _("The table is halted")
            text = _(
                "This table is halted. No round is played until the operator has found out why. What stands in the log is not affected."
            )
        case _:
            title = _("Something is wrong on our side")
            text = _("Please try again in a moment. The log and every round in it are not affected.")
    return show("error", status=problem.code.status, title=title, text=text)


def _busy() -> Response:
    """Answer every refusal with one page: it costs nothing, and contains nothing of a request."""
    with current_app.test_request_context(headers=[*request.headers]):
        title, text = _("Too many visitors at this moment"), _("Please try again in a moment.")
        response = show("error", status=Code.BUSY.status, title=title, text=text)
    response.headers["Retry-After"] = str(RETRY_SECONDS[Code.BUSY])
    return response
