"""The records of one round: found by hints, and each checked to be what it is claimed to be."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.finding_aids import RoundPositions
from fairness.game import Games
from fairness.records import BatchRecord, LockRecord, RevealRecord, TableRecord
from fairness.replay import check_table
from fairness.round_code import RoundCode
from verifier.authentic_log import AuthenticLog, Placed


@dataclass(frozen=True, slots=True)
class RoundRecords:
    """The batches of rounds n … n + lead in order, and the lock and the reveal of round n."""

    batches: list[Placed[BatchRecord]]
    lock: Placed[LockRecord]
    reveal: Placed[RevealRecord]


def find_tables(log: AuthenticLog, code: RoundCode, games: Games, *, name: str | None) -> list[Placed[TableRecord]]:
    """The tables that the code may be of, at least one.

    Raises `CheckFailed`: `CODE_TABLE`, `CODE_GAME`, or what is wrong with a table's own record.
    """
    prefix = code.table_prefix
    tables = [log.record(hint.table, TableRecord, "a table record") for hint in log.tables_beginning(prefix)]
    for table in tables:
        if not table.record_id.startswith(prefix):
            expected = f"a table whose id begins with {prefix.hex()}"
            raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=table.record_id.hex(), index=table.index)
        try:
            check_table(table.record, log.checkpoint.origin, games)
        except CheckFailed as failure:
            raise failure.at(index=table.index) from failure
    if not tables:
        expected = f"a table of {log.checkpoint.origin} whose id begins with {prefix.hex()}"
        raise CheckFailed(Check.CODE_TABLE, expected=expected, found="none: the code is of another log")
    named = [table for table in tables if name in {None, table.record.table}]
    if not named:
        found = f"a code of {', '.join(table.record.table for table in tables)}"
        raise CheckFailed(Check.CODE_TABLE, expected=f"a code of {name}", found=found)
    fitting = [table for table in named if table.record.game == code.game]
    if not fitting:
        other = named[0].record
        raise CheckFailed(
            Check.CODE_GAME,
            expected=f"{other.game}, the game of {other.table}",
            found=f"{code.game} in the code",
            index=named[0].index,
        )
    return fitting


def find_round(log: AuthenticLog, table: Placed[TableRecord], number: int) -> RoundRecords:
    """The records of an ended round. Raises `CheckFailed`: `CODE_ROUND` for one that has not ended."""
    hints = log.round_positions(table.record_id, number)
    _check_ended(log, table.record.table, number, hints)
    if hints is None:
        raise ValueError("a round that has ended has positions")
    batches = _find_batches(log, table, number)
    lock = find_lock(log, table, number, hints)
    reveal = find_reveal(log, table, number, hints)
    found = RoundRecords(batches, lock, reveal)
    _check_order(table, found)
    _check_times(table, found)
    _check_status(found)
    return found


def find_lock(
    log: AuthenticLog, table: Placed[TableRecord], number: int, hints: RoundPositions | None
) -> Placed[LockRecord]:
    """The lock of a round."""
    if hints is None or not hints.lock:
        raise CheckFailed(Check.ROUND_RECORDS, expected=f"a hint at the lock of round {number}", found="none")
    lock = log.record(hints.lock, LockRecord, f"the lock of round {number}")
    _check_is_of(table, number, lock.record.table, lock.record.round, lock.index)
    return lock


def find_reveal(
    log: AuthenticLog, table: Placed[TableRecord], number: int, hints: RoundPositions
) -> Placed[RevealRecord]:
    """The reveal of a round of which the hints know one."""
    reveal = log.record(hints.reveal, RevealRecord, f"the reveal of round {number}")
    _check_is_of(table, number, reveal.record.table, reveal.record.round, reveal.index)
    return reveal


def _check_ended(log: AuthenticLog, table: str, number: int, hints: RoundPositions | None) -> None:
    size = log.checkpoint.size
    if hints is None:
        found = f"round {number} of {table} is not committed"
    elif not hints.lock or hints.lock >= size:
        found = f"round {number} of {table} is committed, and not yet played"
    elif not hints.reveal or hints.reveal >= size:
        found = f"round {number} of {table} is locked, and not yet revealed"
    else:
        return
    found += f", as of the checkpoint of {size} records"
    raise CheckFailed(Check.CODE_ROUND, expected="a round that has ended", found=found)


def _check_is_of(table: Placed[TableRecord], number: int, found_table: str, found_number: int, index: int) -> None:
    if (found_table, found_number) != (table.record.table, number):
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"round {number} of {table.record.table}",
            found=f"round {found_number} of {found_table}",
            index=index,
        )


def _find_batches(log: AuthenticLog, table: Placed[TableRecord], number: int) -> list[Placed[BatchRecord]]:
    """The batches that hold rounds ``number`` … ``number`` + lead, each chained to the one before."""
    batches: list[Placed[BatchRecord]] = []
    wanted, last = number, number + table.record.lead
    while wanted <= last:
        hints = log.round_positions(table.record_id, wanted)
        if hints is None:
            raise CheckFailed(
                Check.LEAD_COMMITTED, expected=f"rounds up to {last} committed", found=f"no batch of round {wanted}"
            )
        batch = log.record(hints.batch, BatchRecord, f"the batch of round {wanted}")
        _check_batch(table, batch, wanted)
        if batches:
            _check_chained(batches[-1], batch)
        batches.append(batch)
        wanted = batch.record.first + batch.record.count
    return batches


def _check_batch(table: Placed[TableRecord], batch: Placed[BatchRecord], wanted: int) -> None:
    record = batch.record
    end = record.first + record.count - 1
    if record.table != table.record.table or not record.first <= wanted <= end:
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"the batch of round {wanted} of {table.record.table}",
            found=f"the batch of rounds {record.first} to {end} of {record.table}",
            index=batch.index,
        )
    custodians = len(table.record.custodians)
    if len(record.anchors) != custodians or len(record.commitments) != custodians:
        found = f"{len(record.anchors)} anchors, {len(record.commitments)} roots"
        raise CheckFailed(Check.BATCH_CUSTODIANS, expected=custodians, found=found, index=batch.index)


def _check_chained(before: Placed[BatchRecord], batch: Placed[BatchRecord]) -> None:
    checks = (
        (Check.BATCH_NUMBER, before.record.batch + 1, batch.record.batch),
        (Check.BATCH_FIRST, before.record.first + before.record.count, batch.record.first),
        (Check.BATCH_PREVIOUS, before.record_id.hex(), batch.record.previous),
    )
    for check, expected, found in checks:
        if expected != found:
            raise CheckFailed(check, expected=expected, found=found, index=batch.index)


def _check_order(table: Placed[TableRecord], found: RoundRecords) -> None:
    """Positions in the log are its order: the batches before the lock, the lock before the reveal."""
    at = table.index
    for batch in found.batches:
        if batch.index <= at:
            expected = f"batch {batch.record.batch} after record {at}"
            raise CheckFailed(
                Check.ROUND_RECORDS, expected=expected, found=f"record {batch.index}", index=batch.index
            )
        at = batch.index
    if found.lock.index <= at:
        expected, lock = (
            f"the batches of the next rounds before the lock, record {found.lock.index}",
            found.lock.index,
        )
        raise CheckFailed(Check.LEAD_COMMITTED, expected=expected, found=f"record {at}", index=lock)
    if found.reveal.index <= found.lock.index:
        expected = f"the reveal after the lock, record {found.lock.index}"
        raise CheckFailed(
            Check.REVEAL_LOCKED, expected=expected, found=f"record {found.reveal.index}", index=found.reveal.index
        )


def _check_times(table: Placed[TableRecord], found: RoundRecords) -> None:
    lock = found.lock.record
    latest = table.record.created
    times = [(batch.record.committed, batch.index) for batch in found.batches]
    times += [(lock.locked, found.lock.index), (found.reveal.record.revealed, found.reveal.index)]
    for time, index in times:
        if time < latest:
            raise CheckFailed(Check.TIME_ORDER, expected=f"{latest} or later", found=time, index=index)
        latest = time
    if lock.opened is not UNSET:
        fixed = found.batches[-1].record.committed
        if lock.opened > lock.locked:
            expected = f"{lock.locked} or earlier"
            raise CheckFailed(Check.LOCK_OPENED, expected=expected, found=lock.opened, index=found.lock.index)
        if lock.opened < fixed:
            raise CheckFailed(
                Check.LEAD_OPENED, expected=f"{fixed} or later", found=lock.opened, index=found.lock.index
            )


def _check_status(found: RoundRecords) -> None:
    reveal, given_up, index = found.reveal.record, found.lock.record.given_up, found.reveal.index
    void = reveal.status == "void"
    if given_up and not void:
        raise CheckFailed(Check.REVEAL_GIVEN_UP, expected="void", found=reveal.status, index=index)
    if (reveal.reason is not UNSET) != (void and not given_up):
        expected = "no reason" if reveal.reason is not UNSET else "a reason"
        raise CheckFailed(Check.REVEAL_REASON, expected=expected, found=reveal.reason, index=index)
