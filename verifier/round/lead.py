"""How many rounds ahead one round was fixed, shown by two records of the log."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.checks import Check
from fairness.errors import CheckFailed, NotShown
from fairness.records.record import LockRecord, TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_lock, first_locked_after
from verifier.round.records import RoundRecords


@dataclass(frozen=True, slots=True)
class Lead:
    """``ahead`` rounds, and the records that show it."""

    ahead: int
    records: tuple[int, ...]


def rounds_ahead(
    log: AuthenticLog,
    table: Placed[TableRecord],
    number: int,
    found: RoundRecords,
) -> Lead:
    """Return how many rounds before round ``number`` the first one was locked after the record that fixed ``number``.

    Locks are in the order of their rounds, so that round is the only one whose lock is after that record
    while the lock of the previous round is before it. Hints find it, two authentic locks prove it.
    Rounds that were given up count; only an audit can distinguish them from played ones.
    """
    fixed, batch, lead = found.fixed.index, found.batches[0].record, table.record.lead
    last = found.lock.index
    first = first_locked_after(fixed, batch, number, lead, lambda each: _hint(log, table, each, last))
    after = found.lock if first == number else _lock(log, table, first, last)
    if after.index <= fixed:
        raise _false_hint(after, f"a lock after record {fixed}")
    records: tuple[int, ...] = (fixed, after.index)
    if first > 1:
        before = _lock(log, table, first - 1, last)
        if before.index >= fixed:
            raise _false_hint(before, f"a lock before record {fixed}")
        records = (before.index, *records)
    ahead, least = number - first, min(lead, number - 1)
    if ahead < least:
        raise CheckFailed(
            Check.LEAD_COMMITTED,
            expected=f"round {number} fixed before round {number - least} was locked",
            found=f"round {first} is the first that was locked after its {found.fixed.record.type}",
            index=fixed,
        )
    return Lead(ahead, records)


def _hint(log: AuthenticLog, table: Placed[TableRecord], number: int, last: int) -> int:
    """Return the hint of a lock before the record ``last``, a later lock.

    Rounds are locked in order, so it is only missing if hints are false, or, with every record read, if that rule is
    broken.
    """
    hints = log.round_positions(table.record_id, number)
    if hints is None or hints.lock is None:
        check = Check.LOCK_NEXT if log.is_whole else Check.ROUND_RECORDS
        raise log.lacks(check, expected=f"a lock of round {number}", found="none", index=last)
    return hints.lock


def _lock(log: AuthenticLog, table: Placed[TableRecord], number: int, last: int) -> Placed[LockRecord]:
    return find_lock(log, table, number, _hint(log, table, number, last))


def _false_hint(lock: Placed[LockRecord], expected: str) -> NotShown:
    return NotShown(Check.ROUND_RECORDS, expected=expected, found=f"record {lock.index}", index=lock.index)
