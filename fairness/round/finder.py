"""The records of one round in a log: found by hints, and each checked to be what it is claimed to be."""

from __future__ import annotations

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finding_aids import RoundPositions
from fairness.round.rules import check_batch_of, check_lock_of, check_round_of


def find_table(log: AuthenticLog, table_id: bytes) -> Placed[TableRecord] | None:
    """The table of this id; `None` if the log of the checkpoint has none, as far as the hints show."""
    for hint in log.tables_beginning(table_id):
        if hint.table < log.checkpoint.size:
            table = log.record(hint.table, TableRecord, "a table record")
            if table.record_id == table_id:
                return table
    return None


def find_batch(
    log: AuthenticLog, table: Placed[TableRecord], number: int, hints: RoundPositions
) -> Placed[BatchRecord]:
    """The batch that holds a round."""
    batch = log.record(hints.batch, BatchRecord, f"the batch of round {number}")
    check_batch_of(table, number, batch)
    return batch


def find_lock(
    log: AuthenticLog, table: Placed[TableRecord], number: int, hints: RoundPositions | None
) -> Placed[LockRecord]:
    """The lock of a round."""
    if hints is None or not hints.lock:
        raise CheckFailed(Check.ROUND_RECORDS, expected=f"a hint at the lock of round {number}", found="none")
    lock = log.record(hints.lock, LockRecord, f"the lock of round {number}")
    check_lock_of(table, number, lock)
    return lock


def find_reveal(
    log: AuthenticLog, table: Placed[TableRecord], number: int, hints: RoundPositions
) -> Placed[RevealRecord]:
    """The reveal of a round."""
    reveal = log.record(hints.reveal, RevealRecord, f"the reveal of round {number}")
    check_round_of(table, number, reveal)
    return reveal
