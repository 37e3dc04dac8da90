"""What a verdict remarks without a check behind it: times that the verifier's own clock has not reached (SPEC 8.1).

The present is an argument: nothing here or in a check reads a clock. A remark is never a failure, for the clock
that is wrong may be the verifier's.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from fairness.times import format_time
from verifier.audit.report import AuditReport

TOLERANCE = timedelta(minutes=10)
"""How far two honest clocks may be apart. A service accepts five minutes of its own."""

_ONE_IS_WRONG = (
    "has the time {newest}, and the clock of this computer shows {now}. One of the two clocks is wrong; no check depends"
    " on either."
)
OF_TABLE = "The newest record of {table} " + _ONE_IS_WRONG
OF_ROUND = "The newest record of this round " + _ONE_IS_WRONG


def log_remarks(report: AuditReport, now: str | None) -> list[str]:
    """A sentence for each table whose newest record is of the future; none without a clock (``now`` is a TIME)."""
    return [
        OF_TABLE.format(table=table.name, newest=table.state.latest, now=now)
        for table in report.tables
        if _is_ahead(table.state.latest, now)
    ]


def round_remarks(newest: str, now: str | None) -> list[str]:
    """The same for a round whose newest record has the time ``newest``."""
    return [OF_ROUND.format(newest=newest, now=now)] if _is_ahead(newest, now) else []


def _is_ahead(time: str, now: str | None) -> bool:
    # Times compare as text.
    return now is not None and time > format_time(datetime.fromisoformat(now) + TOLERANCE)
