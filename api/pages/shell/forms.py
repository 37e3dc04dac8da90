"""Forms of our own pages: sent by such a page, small, and with exactly the fields that it has."""

from __future__ import annotations

from hmac import compare_digest
from urllib.parse import parse_qsl

from flask import abort, request

from api.access.sessions import Session
from api.http.request_body import read_body
from api.pages.shell.languages import gettext as _

FORM_TOKEN = "form_token"  # noqa: S105 -- the name of a field


def own_scheme() -> str:
    """Return the scheme of our own page that sent this request; refuses a request of any other page.

    Every browser names the origin of the page that sends a form, and no page can make it lie. Only
    the browser knows the scheme: a server with TLS stands in front of this one.
    """
    scheme, _separator, host = request.headers.get("Origin", "").partition("://")
    same_site = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if scheme not in ("http", "https") or host != request.headers.get("Host") or not same_site:
        abort(403, _("A form is taken from our own pages only. Nothing was done."))
    return scheme


def read_form(*fields: str) -> dict[str, str]:
    """Return the fields of a form, each exactly once. Refuses everything else."""
    own_scheme()
    form = _parse() if request.mimetype == "application/x-www-form-urlencoded" else None
    if form is None or form.keys() != set(fields):
        abort(400, _("This form is not one of this page. Nothing was done."))
    return form


def read_session_form(session: Session, *fields: str) -> dict[str, str]:
    """Return the fields of a form that this session was shown, for this address."""
    form = read_form(*fields, FORM_TOKEN)
    if not compare_digest(form.pop(FORM_TOKEN).encode(), session.form_token(request.path).encode()):
        abort(403, _("This form was shown to somebody else, or before you signed in again. Nothing was done."))
    return form


def _parse() -> dict[str, str] | None:
    """Return the fields as they were sent; `None` if they are malformed or one is repeated."""
    try:
        text = read_body().decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=20)
    except ValueError:
        return None
    form = dict(pairs)
    return form if len(form) == len(pairs) else None
