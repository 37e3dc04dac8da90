"""Messages about requests: gunicorn's own, and in JSON a line for each request, with its id.

A request's line names the rule of its address and never the address itself, in which somebody may have put a token;
of what the address names, only a table and a number that are spelled like ones.
"""

from __future__ import annotations

import logging
import re
import time

from flask import Flask, Response, g, request
from gunicorn.config import Config
from gunicorn.glogging import Logger

from api.server.messages import REQUESTS, JsonLines, is_json, request_id, write_json
from api.world.clock import entropy

HEADER = "X-Request-Id"
_TABLE, _NUMBER = re.compile("[a-z0-9-]{1,32}", re.ASCII), re.compile("[1-9][0-9]{0,14}", re.ASCII)
_ID_SIZE = 8


class GunicornMessages(Logger):
    """gunicorn's own messages, and those of the application in its processes."""

    def setup(self, cfg: Config) -> None:
        """Set it up in the master, whose workers inherit it."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonLines())
        write_json(logging.WARNING)
        REQUESTS.setLevel(logging.INFO)


def note_requests(app: Flask) -> None:
    """Give each request, in JSON, an id, in its messages and in its answer, and a line of its own."""
    if not is_json():
        return

    @app.before_request
    def begin() -> None:
        g.begun, g.request_id = time.monotonic(), entropy(_ID_SIZE).hex()
        request_id.set(g.request_id)

    @app.after_request
    def end(response: Response) -> Response:
        response.headers[HEADER] = g.request_id
        milliseconds = round(1000 * (time.monotonic() - g.begun), 3)
        fields = {**fields_of_request(response.status_code), "milliseconds": milliseconds}
        REQUESTS.info("request", extra={"fields": fields})
        # The greenlet of this connection answers its next request, too.
        request_id.set(None)
        return response


def fields_of_request(status: int) -> dict[str, str | int | None]:
    """Return what may be written anywhere about the present request, which has been answered with this status."""
    rule = request.url_rule
    fields: dict[str, str | int | None] = {
        "request": g.get("request_id"),
        "method": request.method if request.method in {"GET", "HEAD", "POST"} else "other",
        "route": None if rule is None else rule.rule,
        "status": status,
    }
    named = request.view_args or {}
    for name, kind in (("table", _TABLE), ("number", _NUMBER)):
        if isinstance(value := named.get(name), str) and kind.fullmatch(value):
            fields[name] = value
    return fields
