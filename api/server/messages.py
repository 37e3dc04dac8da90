"""How messages are written: lines for people, or, with ``FOREDRAW_LOG_FORMAT=json``, a JSON object a line, with request ids.

A request's line names the rule of its address and never the address itself, in which somebody may have put a token; of
what the address names, only a table and a number that are spelled like ones.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

from flask import Flask, Response, g, request
from gunicorn.config import Config
from gunicorn.glogging import Logger

from api.settings import SettingsError
from api.world.clock import entropy
from api.world.surroundings.streams import Rank, say, wait_for_nobody
from fairness.errors import quote
from fairness.times import format_time

FORMAT = "FOREDRAW_LOG_FORMAT"
HEADER = "X-Request-Id"
_TABLE, _NUMBER = re.compile("[a-z0-9-]{1,32}", re.ASCII), re.compile("[1-9][0-9]{0,14}", re.ASCII)
_ID_SIZE = 8

_request: ContextVar[str | None] = ContextVar("request", default=None)
_requests = logging.getLogger("foredraw.requests")


def is_json() -> bool:
    """Whether messages are JSON. Raises `SettingsError`."""
    chosen = os.environ.get(FORMAT) or "text"
    if chosen not in {"text", "json"}:
        raise SettingsError(f"{FORMAT}: expected text or json, found {quote(chosen)}")
    return chosen == "json"


def write_messages(level: int, text_format: str | None = None) -> None:
    """From now on this program writes messages of ``level`` and above to standard error. Raises `SettingsError`.

    Without a ``text_format``, only JSON is arranged: Python's own lines are as they were.
    """
    if is_json():
        _write_json(level)
    elif text_format is not None:
        # A process that was forked has its parent's handlers.
        handler = Messages()
        handler.setFormatter(logging.Formatter(text_format))
        logging.basicConfig(level=level, handlers=[handler], force=True)


def wait_for_no_reader() -> None:
    """From now on this process, and what it forks, goes on whoever reads its messages. Raises `SettingsError`."""
    wait_for_nobody(_lost_in_json if is_json() else None)


def _lost_in_json(lines: int) -> str:
    words = f"{lines} messages were lost, because nobody has read what this program says"
    record = logging.LogRecord("foredraw.messages", logging.ERROR, __file__, 0, words, None, None)
    return JsonLines().format(record) + "\n"


class Messages(logging.StreamHandler[TextIO]):
    """Writes to standard error; if there is no room for all, errors last."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message."""
        try:
            say(self.stream, self.format(record) + self.terminator, _rank_of(record))
        except Exception:  # noqa: BLE001 -- as every handler of messages does
            self.handleError(record)


def _rank_of(record: logging.LogRecord) -> Rank:
    if record.name == _requests.name:
        return Rank.CALL
    return Rank.ALARM if record.levelno >= logging.ERROR else Rank.NEWS


class JsonLines(logging.Formatter):
    """A message as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        fields = {
            "time": format_time(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if (identifier := _request.get()) is not None:
            fields["request"] = identifier
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        # A file's name or a variable of the environment may have bytes that are no UTF-8, which Python keeps as lone surrogates.
        # Escaped as JSON has it, because the escapes of an output that does not have a character are no JSON.
        return json.dumps({name: _whole(value) for name, value in fields.items()}, separators=(",", ":"))


def _whole(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


class GunicornMessages(Logger):
    """gunicorn's own messages, and those of the application in its processes."""

    def setup(self, cfg: Config) -> None:
        """Called in the master, whose workers inherit it."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonLines())
        _write_json(logging.WARNING)
        _requests.setLevel(logging.INFO)


def note_requests(app: Flask) -> None:
    """In JSON, each request has an id, in its messages and in its answer, and a line of its own."""
    if not is_json():
        return

    @app.before_request
    def begin() -> None:
        g.begun, g.request_id = time.monotonic(), entropy(_ID_SIZE).hex()
        _request.set(g.request_id)

    @app.after_request
    def end(response: Response) -> Response:
        response.headers[HEADER] = g.request_id
        milliseconds = round(1000 * (time.monotonic() - g.begun), 3)
        fields = {**fields_of_request(response.status_code), "milliseconds": milliseconds}
        _requests.info("request", extra={"fields": fields})
        # The greenlet of this connection answers its next request, too.
        _request.set(None)
        return response


def fields_of_request(status: int) -> dict[str, str | int | None]:
    """What may be written anywhere about the present request, which has been answered with this status."""
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


def _write_json(level: int) -> None:
    handler = Messages()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
