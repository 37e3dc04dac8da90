"""How messages are written: lines for people, or, with ``FOREDRAW_LOG_FORMAT=json``, a JSON object a line."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import TextIO

from api.present_request import present_request
from api.settings import SettingsError
from api.world.surroundings.streams import Rank, say, wait_for_nobody
from fairness.errors import quote
from fairness.times import format_time

FORMAT = "FOREDRAW_LOG_FORMAT"

REQUESTS = logging.getLogger("foredraw.requests")
"""Has a line for each request, where messages are JSON."""


def is_json() -> bool:
    """Return whether messages are JSON. Raises `SettingsError`."""
    chosen = os.environ.get(FORMAT) or "text"
    if chosen not in {"text", "json"}:
        raise SettingsError(f"{FORMAT}: expected text or json, found {quote(chosen)}")
    return chosen == "json"


def write_messages(level: int, text_format: str | None = None) -> None:
    """Write messages of ``level`` and above to standard error from now on. Raises `SettingsError`.

    Without a ``text_format``, only JSON is arranged: Python's own lines are as they were.
    """
    if is_json():
        write_json(level)
    elif text_format is not None:
        # A process that was forked has its parent's handlers.
        handler = Messages()
        handler.setFormatter(logging.Formatter(text_format))
        logging.basicConfig(level=level, handlers=[handler], force=True)


def wait_for_no_reader() -> None:
    """Let this process, and what it forks, go on from now on, whether or not anybody reads its messages. Raises
    `SettingsError`.
    """
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
    if record.name == REQUESTS.name:
        return Rank.CALL
    return Rank.ALARM if record.levelno >= logging.ERROR else Rank.NEWS


class JsonLines(logging.Formatter):
    """A message as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        fields = {
            "time": format_time(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if (request := present_request.get()) is not None:
            fields["request"] = request.identifier
            if request.caller is not None:
                fields["caller"] = request.caller
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        # A file's name or a variable of the environment may have bytes that are no UTF-8, which Python keeps as lone
        # surrogates. Escaped as JSON has it, because the escapes of an output that does not have a character are no
        # JSON.
        return json.dumps({name: _whole(value) for name, value in fields.items()}, separators=(",", ":"))


def _whole(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def write_json(level: int) -> None:
    """Write the same, as JSON."""
    handler = Messages()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
