"""What must hold of the records of one round, found one by one instead of replayed (SPEC 8.2 and 8.6).

Each function raises `CheckFailed`, naming the rule and the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.game import Game, Games
from fairness.draws.seed_chain import unroll
from fairness.draws.stream import Stream, context
from fairness.errors import CheckFailed
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, TableRecord
from fairness.records.replay import check_digest, check_rules, check_table
from fairness.round.authentic_log import Placed

Dated = Placed[BatchRecord] | Placed[LockRecord] | Placed[RevealRecord]


def check_table_of(table: Placed[TableRecord], origin: str, games: Games) -> None:
    """The table is one of the log ``origin``, by its own record."""
    try:
        check_table(table.record, origin, games)
    except CheckFailed as failure:
        raise failure.at(index=table.index) from failure


def lead_round(table: TableRecord, number: int) -> int:
    """The round whose lock, after the batch of round ``number``, shows that this one was fixed far enough ahead."""
    return max(1, number - table.lead)


def check_round_of(table: Placed[TableRecord], number: int, found: Placed[LockRecord] | Placed[RevealRecord]) -> None:
    """A lock or a reveal is that of the round ``number`` of ``table``."""
    record = found.record
    if (record.table, record.round) != (table.record.table, number):
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"round {number} of {table.record.table}",
            found=f"round {record.round} of {record.table}",
            index=found.index,
        )


def check_lock_of(table: Placed[TableRecord], number: int, lock: Placed[LockRecord]) -> None:
    """A lock is that of the round ``number`` of ``table``, with a digest of the bets where the table requires one."""
    check_round_of(table, number, lock)
    if table.record.bets is not UNSET:
        try:
            check_digest(lock.record)
        except CheckFailed as failure:
            raise failure.at(index=lock.index) from failure


def check_batch_of(table: Placed[TableRecord], number: int, batch: Placed[BatchRecord]) -> None:
    """A batch is of ``table`` and holds the round ``number``, with one seed chain per custodian."""
    record = batch.record
    end = record.first + record.count - 1
    if record.table != table.record.table or not record.first <= number <= end:
        raise CheckFailed(
            Check.ROUND_RECORDS,
            expected=f"the batch of round {number} of {table.record.table}",
            found=f"the batch of rounds {record.first} to {end} of {record.table}",
            index=batch.index,
        )
    custodians = len(table.record.custodians)
    if len(record.anchors) != custodians or len(record.commitments) != custodians:
        found = f"{len(record.anchors)} anchors, {len(record.commitments)} roots"
        raise CheckFailed(Check.BATCH_CUSTODIANS, expected=custodians, found=found, index=batch.index)


def check_times(table: Placed[TableRecord], following: Iterable[Dated]) -> None:
    """The times of a table's record and of some that follow it do not decrease."""
    latest = table.record.created
    for placed in following:
        time = _time_of(placed)
        if time < latest:
            raise CheckFailed(Check.TIME_ORDER, expected=f"{latest} or later", found=time, index=placed.index)
        latest = time


def _time_of(placed: Dated) -> str:
    record = placed.record
    if isinstance(record, BatchRecord):
        return record.committed
    return record.locked if isinstance(record, LockRecord) else record.revealed


def check_opened(lock: Placed[LockRecord], fixed: str) -> None:
    """A round was not opened before ``fixed``, and not after its lock."""
    record = lock.record
    if record.opened is UNSET:
        return
    if record.opened > record.locked:
        expected = f"{record.locked} or earlier"
        raise CheckFailed(Check.LOCK_OPENED, expected=expected, found=record.opened, index=lock.index)
    if record.opened < fixed:
        raise CheckFailed(Check.LEAD_OPENED, expected=f"{fixed} or later", found=record.opened, index=lock.index)


def check_revealed_after(lock: Placed[LockRecord], reveal: Placed[RevealRecord]) -> None:
    """The reveal stands after the lock, and ends the round as the lock allows."""
    if reveal.index <= lock.index:
        expected = f"the reveal after the lock, record {lock.index}"
        raise CheckFailed(Check.REVEAL_LOCKED, expected=expected, found=f"record {reveal.index}", index=reveal.index)
    record, given_up = reveal.record, lock.record.given_up
    void = record.status == "void"
    if given_up and not void:
        raise CheckFailed(Check.REVEAL_GIVEN_UP, expected="void", found=record.status, index=reveal.index)
    if (record.reason is not UNSET) != (void and not given_up):
        expected = "no reason" if record.reason is not UNSET else "a reason"
        raise CheckFailed(Check.REVEAL_REASON, expected=expected, found=record.reason, index=reveal.index)


def check_chains(table: Placed[TableRecord], batch: Placed[BatchRecord], number: int, seeds: Sequence[bytes]) -> None:
    """The seeds of a round, one per custodian, unroll to the anchors of its batch."""
    for seed, anchor in zip(seeds, batch.record.anchors, strict=True):
        count = number - batch.record.first + 1
        *_, found = unroll(seed, table_id=table.record_id, last=number, count=count)
        if found.hex() != anchor:
            raise CheckFailed(
                Check.SEED_LINK,
                expected=f"a seed that unrolls to the anchor {anchor}",
                found=found.hex(),
                index=batch.index,
            )


def check_outcome(
    batch: Placed[BatchRecord], reveal: Placed[RevealRecord], seeds: Sequence[bytes], game: Game
) -> None:
    """The outcome of a reveal is what the rules of its batch make of the seeds."""
    try:
        check_rules(batch.record, game)
    except CheckFailed as failure:
        raise failure.at(index=batch.index) from failure
    stream = Stream(seeds, context(batch.record_id), reveal.record.round)
    outcome = game.outcome(stream, batch.record.rules)
    if outcome != reveal.record.outcome:
        raise CheckFailed(Check.OUTCOME, expected=outcome, found=reveal.record.outcome, index=reveal.index)
