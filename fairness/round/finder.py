"""The records of one round in a log: found by hints, and each checked to be what it is claimed to be."""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check
from fairness.errors import NotShown
from fairness.records.record import BatchRecord, EndRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed, by_a_hint
from fairness.round.finding_aids import PREFIX_SIZE, ROUNDS_PER_FILE
from fairness.round.rules import check_batch_of, check_lock_of, check_round_of, check_salt_of


def find_table(log: AuthenticLog, table_id: bytes) -> Placed[TableRecord] | None:
    """Return the table of this id; `None` if the log of the checkpoint has none of version 1, as far as the hints
    show.
    """
    for hint in log.tables_beginning(table_id):
        if log.holds(hint.table, table_id):
            return log.table(hint.table)
    return None


def find_table_ids(log: AuthenticLog, digits: str) -> list[bytes]:
    """Return the ids that begin with these ``digits``, eight to 64 hexadecimal ones, as far as the hints show."""
    prefix = bytes.fromhex(digits[: 2 * PREFIX_SIZE])
    leaves = [log.tiles.leaf(hint.table) for hint in log.tables_beginning(prefix)]
    return [leaf for leaf in dict.fromkeys(leaves) if leaf.hex().startswith(digits)]


def find_end(log: AuthenticLog, table_id: bytes) -> Placed[EndRecord] | None:
    """Return the end of the table of this id; `None` while the log has none, as far as the hints say."""
    for hint in log.tables_beginning(table_id):
        if hint.end is not None and log.holds(hint.table, table_id) and (own := log.table(hint.table)) is not None:
            table = own.record.table
            end = log.record(hint.end, EndRecord, f"the end of {table}", table)
            if end.record.table != table:
                expected, found = f"the end of {table}", f"the end of {end.record.table}"
                raise NotShown(Check.ROUND_RECORDS, expected=expected, found=found, index=end.index)
            return end
    return None


def find_batch(log: AuthenticLog, table: Placed[TableRecord], number: int, hint: int) -> Placed[BatchRecord]:
    """Return the batch that holds a round."""
    batch = log.record(hint, BatchRecord, f"the batch of round {number}", table.record.table)
    with by_a_hint():
        check_batch_of(table, number, batch)
    return batch


def find_salt(log: AuthenticLog, batch: Placed[BatchRecord], hint: int) -> Placed[SaltRecord]:
    """Return the salt of a batch."""
    salt = log.record(hint, SaltRecord, f"the salt of batch {batch.record.batch}", batch.record.table)
    with by_a_hint():
        check_salt_of(batch, salt)
    return salt


def find_lock(log: AuthenticLog, table: Placed[TableRecord], number: int, hint: int) -> Placed[LockRecord]:
    """Return the lock of a round."""
    lock = log.record(hint, LockRecord, f"the lock of round {number}", table.record.table)
    with by_a_hint():
        check_lock_of(table, number, lock)
    return lock


def find_reveal(log: AuthenticLog, table: Placed[TableRecord], number: int, hint: int) -> Placed[RevealRecord]:
    """Return the reveal of a round."""
    reveal = log.record(hint, RevealRecord, f"the reveal of round {number}", table.record.table)
    with by_a_hint():
        check_round_of(table, number, reveal)
    return reveal


def first_locked_after(
    index: int, batch: BatchRecord, number: int, lead: int, lock_of: Callable[[int], int | None]
) -> int:
    """Return the first round whose lock comes after ``index``, where round ``number`` of the ``batch`` was fixed, or
    that round itself.

    By hints: ``lock_of`` returns where a round's lock may stand. One that is still to come, `None`, comes after
    everything. The steps are those of SPEC 8.2: strides that double around where it should be, then halving.
    """

    def is_after(each: int) -> bool:
        if each == number:
            return True
        lock = lock_of(each)
        return lock is None or lock > index

    before, after = 0, number
    guess = max(1, batch.first - lead)
    if is_after(guess):
        after, stride = guess, ROUNDS_PER_FILE
        while before == 0 and after > stride:
            if is_after(after - stride):
                after -= stride
                stride *= 2
            else:
                before = after - stride
    else:
        before = guess
    while after - before > 1:
        middle = (before + after) // 2
        if is_after(middle):
            after = middle
        else:
            before = middle
    return after
