"""Remarks of a verdict that rest on no check: times that a clock has not reached, the verifier's own or a witness's
(SPEC 8.1).

The current time is an argument: nothing here or in a check reads a clock. A remark is never a failure, because the
wrong clock may be the verifier's.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from fairness.times import format_time, milliseconds, seconds_in_words
from verifier.sentences import MOST_NAMED, Remark

if TYPE_CHECKING:
    from fairness.round.aids_check import AidFault
    from verifier.audit.report import AuditReport


TOLERANCE = timedelta(minutes=10)
"""How far two honest clocks may differ. A service accepts a step of five minutes of its own clock."""
_TOLERANCE_MS = TOLERANCE // timedelta(milliseconds=1)

OF_TABLE = Remark.ROUND_OF_THE_FUTURE.replace("this round", "%(table)s")


BEFORE_ITS_RECORDS = (
    "The witness %(name)s says that it cosigned this checkpoint at %(time)s, but the newest record in it has the time"
    " %(newest)s. One of the two clocks is wrong."
)
OF_THE_FUTURE = (
    "The witness %(name)s says that it cosigned this checkpoint at %(time)s, but the clock of this device shows %(now)s. One"
    " of the two clocks is wrong."
)


ASTRAY = {
    "missing": "The log's index is missing",
    "old": "The log's index is older than its records",
    "false": "The log's index leads elsewhere than to its records",
    "unreadable": "The log's index could not be read",
}
AIDS_PROVE_NOTHING = (
    "Nobody signs it, so this is evidence against nobody; but who looks for that by a round code does not find it."
)
MORE_AIDS = "The log's index does not lead to its records at %(count)s more places."


def log_remarks(report: AuditReport, now: str | None) -> list[str]:
    """Return a sentence for each table whose newest record is in the future, for each witness whose time cannot be
    right, for bets that return more than is staked, and for what is wrong with finding aids, if somebody asked.

    ``now`` is a TIME; without a clock nothing is in the future.
    """
    return [
        *_table_remarks(report, now),
        *_witness_remarks(report, now),
        *report.paytables.generous,
        *_aids_remarks(report),
    ]


def _aids_remarks(report: AuditReport) -> list[str]:
    faults = report.aids or []
    named = [f"{ASTRAY[fault.what]}: {_what_of(fault)}. {AIDS_PROVE_NOTHING}" for fault in faults[:MOST_NAMED]]
    return named + ([MORE_AIDS % {"count": f"{len(faults) - MOST_NAMED:,}"}] if len(faults) > MOST_NAMED else [])


def _what_of(fault: AidFault) -> str:
    if fault.rounds is None:
        return f"the entry of {fault.table}"
    first, last = fault.rounds.start, fault.rounds.stop - 1
    return f"round {first} of {fault.table}" if first == last else f"rounds {first} to {last} of {fault.table}"


def _witness_remarks(report: AuditReport, now: str | None) -> list[str]:
    newest, found = max((table.state.latest for table in report.tables), default=None), []
    for witness, seconds in report.head.last_seen.items():
        given = {"name": witness.name, "time": seconds_in_words(seconds), "newest": newest, "now": now}
        if now is not None and 1000 * seconds > milliseconds(now) + _TOLERANCE_MS:
            found.append(OF_THE_FUTURE % given)
        elif newest is not None and milliseconds(newest) > 1000 * seconds + _TOLERANCE_MS:
            found.append(BEFORE_ITS_RECORDS % given)
    return found


def _table_remarks(report: AuditReport, now: str | None) -> list[str]:
    return [
        OF_TABLE % {"table": table.name, "newest": table.state.latest, "now": now}
        for table in report.tables
        if _is_ahead(table.state.latest, now)
    ]


def round_remarks(newest: str, now: str | None) -> list[str]:
    """Return the sentence for a round whose newest record has time ``newest``, if that is in the future."""
    if now is None or not _is_ahead(newest, now):
        return []
    return [Remark.ROUND_OF_THE_FUTURE.fill(newest=newest, now=now)]


def _is_ahead(time: str, now: str | None) -> bool:
    # Times compare as text.
    return now is not None and time > format_time(datetime.fromisoformat(now) + TOLERANCE)
