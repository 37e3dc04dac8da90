"""Messages about requests: gunicorn's own, and in JSON a line for each request.

A request's line names the rule of its address and never the address itself, in which somebody may have put a token;
of what the address names, only a table and a number that are spelled like ones.
"""

from __future__ import annotations

import logging
import time

from flask import Flask, Response, g, request
from gunicorn.config import Config
from gunicorn.glogging import Logger

from api.http.answers import named_in_address
from api.present_request import request_id
from api.server.messages import REQUESTS, JsonLines, is_json, write_json


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
    """Write a line about each request, if messages are JSON."""
    if not is_json():
        return

    @app.before_request
    def begin() -> None:
        g.begun = time.monotonic()

    @app.after_request
    def end(response: Response) -> Response:
        milliseconds = round(1000 * (time.monotonic() - g.begun), 3)
        fields = {**fields_of_request(response.status_code), "milliseconds": milliseconds}
        REQUESTS.info("request", extra={"fields": fields})
        return response


def fields_of_request(status: int) -> dict[str, str | int | None]:
    """Return what may be written anywhere about the present request, which has been answered with this status."""
    rule = request.url_rule
    return {
        "request": request_id(),
        "method": request.method if request.method in {"GET", "HEAD", "POST"} else "other",
        "route": None if rule is None else rule.rule,
        "status": status,
        **named_in_address(),
    }
