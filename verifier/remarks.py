"""Remarks of a verdict that rest on no check: times that the verifier's own clock has not reached (SPEC 8.1).

The current time is an argument: nothing here or in a check reads a clock. A remark is never a failure, because the
wrong clock may be the verifier's.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from fairness.times import format_time
from verifier.audit.report import AuditReport
from verifier.sentences import Remark

TOLERANCE = timedelta(minutes=10)
"""How far two honest clocks may differ. A service accepts a step of five minutes of its own clock."""

OF_TABLE = Remark.ROUND_OF_THE_FUTURE.replace("this round", "%(table)s")


def log_remarks(report: AuditReport, now: str | None) -> list[str]:
    """A sentence for each table whose newest record is in the future; none without a clock (``now`` is a TIME)."""
    return [
        OF_TABLE % {"table": table.name, "newest": table.state.latest, "now": now}
        for table in report.tables
        if _is_ahead(table.state.latest, now)
    ]


def round_remarks(newest: str, now: str | None) -> list[str]:
    """The sentence for a round whose newest record has time ``newest``, if that is in the future."""
    if now is None or not _is_ahead(newest, now):
        return []
    return [Remark.ROUND_OF_THE_FUTURE.fill(newest=newest, now=now)]


def _is_ahead(time: str, now: str | None) -> bool:
    # Times compare as text.
    return now is not None and time > format_time(datetime.fromisoformat(now) + TOLERANCE)
