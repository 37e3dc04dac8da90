"""What a watch reports: growth of a log, troubles and alarms (SPEC 8.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fairness.errors import CheckFailed


class EventKind(StrEnum):
    """What happened. A name never changes its meaning."""

    BEGUN = "begun"
    GREW = "grew"
    TROUBLE = "trouble"
    RECOVERED = "recovered"
    UNKNOWN = "unknown"
    SANDBOX = "sandbox"
    CLOCK = "clock"
    ENDED = "ended"
    FORK = "fork"
    BROKEN_RULE = "broken-rule"
    FALSE_FILES = "false-files"
    SHRUNK = "shrunk"
    STALLED = "stalled"
    UNREADABLE = "unreadable"
    NOT_REMEMBERED = "not-remembered"
    WRONG_CLOCK = "wrong-clock"


_NO_ALARM = {
    EventKind.BEGUN,
    EventKind.GREW,
    EventKind.TROUBLE,
    EventKind.RECOVERED,
    EventKind.UNKNOWN,
    EventKind.SANDBOX,
    EventKind.CLOCK,
    EventKind.ENDED,
}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing to report."""

    kind: EventKind
    text: str
    size: int
    """The size of the largest log that was seen."""
    failure: CheckFailed | None = None
    evidence: str | None = None
    """The file in which evidence was kept."""

    @property
    def is_alarm(self) -> bool:
        """Whether it is an alarm."""
        return self.kind not in _NO_ALARM
