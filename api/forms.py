"""Forms of our own pages: sent by such a page, small, and with exactly the fields that it has."""

from __future__ import annotations

from collections.abc import Collection
from hmac import compare_digest
from urllib.parse import parse_qsl

from flask import abort, request

from api.request_body import read_body
from api.sessions import Session

FORM_TOKEN = "form_token"  # noqa: S105


def own_origin() -> str:
    """The scheme with which our own page was shown that sent this request; refuses a request of any other page.

    Every browser names the origin of the page that sends a form, and no page can make it lie. Only
    the scheme is the browser's alone to know: a server with TLS stands in front of this one.
    """
    scheme, _, host = request.headers.get("Origin", "").partition("://")
    if scheme not in ("http", "https") or host != request.headers.get("Host"):
        abort(403, "a form is taken from our own pages only")
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        abort(403, "a form is taken from our own pages only")
    return scheme


def read_form(fields: Collection[str]) -> dict[str, str]:
    """The fields of a form, each exactly once. Refuses everything else."""
    own_origin()
    if request.mimetype != "application/x-www-form-urlencoded":
        abort(400, "expected a form")
    try:
        text = read_body().decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=20)
    except ValueError:
        abort(400, "expected a form")
    form = dict(pairs)
    if len(form) != len(pairs) or form.keys() != set(fields):
        abort(400, f"expected the fields {', '.join(sorted(fields))}, each once")
    return form


def read_session_form(session: Session, *fields: str) -> dict[str, str]:
    """The fields of a form that this session was shown, for this address."""
    form = read_form({*fields, FORM_TOKEN})
    if not compare_digest(form.pop(FORM_TOKEN).encode(), session.form_token(request.path).encode()):
        abort(403, "the form is not one of this session")
    return form
