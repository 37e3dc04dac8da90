"""How fast a server is asked: as it asks for itself, with status 429 or 503 and `Retry-After` (RFC 9110, section
10.2.3).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from threading import Condition, Event

from verifier.sources.limits import CALM_FILES, MOST_CONNECTIONS

_SHOWN = 10**9
"""Seconds; whoever asks for more is understood as asking for this long."""


def clock() -> float:
    """Return seconds of a clock that is never set."""
    return time.monotonic()


def rest(seconds: float, ended: Event) -> bool:
    """Wait; returns whether it was ``ended`` before."""
    return ended.wait(seconds)


def asked_wait(status: int, headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait; `None` if it does not. A 429 asks for it, with a time or without
    (then 0).
    """
    if status not in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        return None
    seconds = _seconds(headers.get("Retry-After", "").strip(), headers.get("Date", ""))
    return 0.0 if seconds is None and status == HTTPStatus.TOO_MANY_REQUESTS else seconds


def _seconds(text: str, sent: str) -> float | None:
    if text.isascii() and text.isdigit():
        # Python reads no number of thousands of digits.
        return min(float(text[:20]), _SHOWN)
    until = _time(text)
    if until is None:
        return None
    # By the server's own clock, if it shows it: this machine's may be wrong.
    now = _time(sent) or datetime.now(UTC)
    return min(max(0.0, (until - now).total_seconds()), _SHOWN)


def _time(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


class Pace:
    """What all readers of one server share: the moment until which nobody asks, and how many ask at a time."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._most, self._reading, self._calm = MOST_CONNECTIONS, 0, 0
        self._not_before = float("-inf")

    @property
    def most(self) -> int:
        """How many may ask at a time."""
        return self._most

    @contextmanager
    def turn(self, ended: Event) -> Iterator[bool]:
        """Wait for a place, and until the server wants to be asked; yields whether it was ``ended`` meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: self._reading < self._most)
            self._reading += 1
            left = self._not_before - clock()
        try:
            yield ended.is_set() or (left > 0 and rest(left, ended))
        finally:
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    def slow_down(self, seconds: float) -> None:
        """Let nobody ask for so long, and then half as many at a time."""
        with self._changed:
            self._not_before = max(self._not_before, clock() + seconds)
            self._most, self._calm = max(1, self._most // 2), 0

    def answered(self) -> None:
        """Count a file that came: after many of them, one reader more may ask."""
        with self._changed:
            self._calm += 1
            if self._calm >= CALM_FILES and self._most < MOST_CONNECTIONS:
                self._most, self._calm = self._most + 1, 0
                self._changed.notify_all()
