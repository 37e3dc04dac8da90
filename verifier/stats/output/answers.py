"""What the numbers of a log say, for programs, as types (`verifier.answers`)."""

from __future__ import annotations

from typing import TypedDict

from verifier.answers.parts import Held, LogHead, Rules
from verifier.audit.report import Silent
from verifier.stats.conduct.ends import TableEnd
from verifier.stats.conduct.timing import TableTiming
from verifier.stats.conduct.voids import TableVoided


class TestRun(TypedDict):
    """A test, or why it was not run."""

    test: str
    tables: list[str]
    subject: str
    question: str
    rounds: int
    null_law: str
    statistic: float | None
    p: float | None
    adjusted_p: float | None
    alarm: bool
    observed: str
    expected: str
    power: str
    skipped: str


class TableCounted(TypedDict):
    """A table."""

    table: str
    game: str
    rules: Rules
    rounds: int
    played: int


class TableReturned(TypedDict):
    """What the standard bet returned at a table."""

    table: str
    bet: str
    rounds: int
    wins: int
    returned: float
    expected: float
    tolerance: float
    p: float


class LogCounted(Held):
    """The statistics of a log."""

    log: LogHead
    false_alarms: float
    alarms: list[TestRun]
    tests: list[TestRun]
    tables: list[TableCounted]
    returns: list[TableReturned]
    voids: list[TableVoided]
    timing: list[TableTiming]
    ends: list[TableEnd]
    silent: list[Silent]
    written: str | None
    not_checked: list[str]
