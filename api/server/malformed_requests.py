"""Requests that are not HTTP never reach the application: they are answered, counted, and reported once a minute.

Anybody can send any number of them, and a message for each would fill the operator's disk.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

import msgspec
from gunicorn import util
from gunicorn.http import errors

from api.answers.problems import problem_of
from api.present_request import request_id
from api.problems import Problem
from api.server.request_ids import HEADER
from api.world.shared_count import SharedCount
from fairness.errors import quote

REPORT_SECONDS = 60.0


def is_malformed(error: BaseException) -> bool:
    """Return whether gunicorn could not read what a client sent. (A header of ours that it could not write is not
    that.)
    """
    ours = (errors.InvalidResponseHeader, errors.InvalidResponseHeaderName)  # type: ignore[attr-defined]  # not in its stubs
    return isinstance(error, errors.ParseException) and not isinstance(error, ours)


class MalformedRequests:
    """The count of one process."""

    def __init__(
        self, warn: Callable[[str], None], count: SharedCount, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._warn, self._count, self._clock = warn, count, clock
        self._unreported = 0
        self._last = ""
        self._next_report = clock()

    def note(self, sender: str, error: BaseException) -> None:
        """Count one."""
        self._count.add()
        self._unreported += 1
        self._last = f"{sender}: {quote(str(error))}"

    def report(self, *, last: bool = False) -> None:
        """Report how many there were since the last report: at most once in `REPORT_SECONDS`, and when the process
        ends.
        """
        now = self._clock()
        if self._unreported and (last or now >= self._next_report):
            self._warn(f"malformed requests: {self._unreported} more, the last from {self._last}")
            self._unreported, self._next_report = 0, now + REPORT_SECONDS


def answer(client: socket.socket, problem: Problem) -> None:
    """Send a problem document without the application, about the present request, and that the connection ends."""
    body, status = msgspec.json.encode(problem_of(problem)), HTTPStatus(problem.code.status)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nContent-Type: application/problem+json\r\n"
        f"{HEADER}: {request_id()}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with suppress(OSError):
        util.write_nonblock(client, head.encode() + body)
