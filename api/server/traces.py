"""A request's span: its route, its status, and its id, and never its address or its body (`api.traces`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, Response

from api import traces
from api.server.request_messages import fields_of_request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_NAMES = {
    "method": "http.request.method",
    "route": "http.route",
    "status": "http.response.status_code",
    "table": "foredraw.table",
    "number": "foredraw.round",
    "request": "foredraw.request",
}


def trace_requests(app: Flask, *, of_engines: bool) -> None:
    """Make each request a span, if this program traces. An engine may say which of its own traces that is part of."""
    if not traces.is_traced():
        return
    traces.check()
    inside = app.wsgi_app

    def traced(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with traces.request_span(environ.get("HTTP_TRACEPARENT") if of_engines else None):
            return inside(environ, start_response)

    app.wsgi_app = traced  # type: ignore[method-assign]  # Flask's own way to wrap an application

    @app.after_request
    def describe(response: Response) -> Response:
        fields = fields_of_request(response.status_code)
        named = {_NAMES[name]: value for name, value in fields.items() if name in _NAMES and value is not None}
        traces.describe(f"{fields['method']} {fields['route'] or 'unknown'}", named)
        return response
