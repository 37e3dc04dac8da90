"""The records of one round: found by hints, and each checked to be the right one."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed
from fairness.player.round_code import RoundCode
from fairness.policy.witnessed import Witnessed, read_witnessed
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.records.rules import UNSALTED
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_batch, find_lock, find_reveal, find_salt
from fairness.round.rules import (
    Fixing,
    check_beacon_of,
    check_follows,
    check_opened,
    check_pending_of,
    check_revealed_after,
    check_salt,
    check_table_of,
    check_times,
    check_witnessed_of,
    time_of,
)


@dataclass(frozen=True, slots=True)
class RoundRecords:
    """The batches of rounds n … n + lead in order, with their salts, and the lock and the reveal of round n."""

    batches: list[Placed[BatchRecord]]
    salts: list[Placed[SaltRecord]]
    """One for each batch if the table has a salt; otherwise none."""
    lock: Placed[LockRecord]
    reveal: Placed[RevealRecord]
    witnessed: Witnessed | None = None
    """What witnesses saw of the round's batch, if the policy demands it."""

    @property
    def salt(self) -> Placed[SaltRecord] | None:
        """The salt of the round's batch."""
        return self.salts[0] if self.salts else None

    @property
    def fixed(self) -> Fixing:
        """The record that fixed the round."""
        return self.salt or self.batches[0]


def find_tables(log: AuthenticLog, code: RoundCode, games: Games, *, name: str | None) -> list[Placed[TableRecord]]:
    """The tables to which the code may belong, at least one.

    Raises `CheckFailed`: `CODE_TABLE`, `CODE_GAME`, or what is wrong with a table's own record.
    """
    prefix = code.table_prefix
    indexes = [hint.table for hint in log.tables_beginning(prefix)]
    # Before any of them is read: a hint may lead to a record that is newer than this program, of whatever table.
    for index in indexes:
        leaf = log.tiles.leaf(index)
        if not leaf.startswith(prefix):
            expected = f"a table whose id begins with {prefix.hex()}"
            raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=leaf.hex(), index=index)
    tables = [log.record(index, TableRecord, "a table record") for index in indexes]
    for table in tables:
        check_table_of(table, log.checkpoint.origin, games)
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
    """The records of an ended round. Raises `CheckFailed`: `CODE_ROUND` if it has not ended."""
    lock_hint, reveal_hint = _hints_of_ended(log, table, number)
    batches, salts = _find_batches(log, table, number)
    lock = find_lock(log, table, number, lock_hint)
    reveal = find_reveal(log, table, number, reveal_hint)
    beacons = log.head.policy.known_beacons
    for batch in batches:
        check_beacon_of(table, batch, beacons)
    for batch, salt in zip(batches, salts, strict=False):
        check_salt(table, batch, salt, beacons)
    _check_order(table, batches, salts, lock)
    check_revealed_after(lock, reveal)
    check_times(table, [*batches, *salts, lock, reveal])
    check_opened(lock, max(map(time_of, salts or batches)))
    return RoundRecords(batches, salts, lock, reveal, _check_witnessed(log, table, batches[0]))


def _check_witnessed(log: AuthenticLog, table: Placed[TableRecord], batch: Placed[BatchRecord]) -> Witnessed | None:
    policy = log.head.policy
    if policy.quorum is None or table.record.salt == UNSALTED:
        return None
    data = read_witnessed(log.read, batch.record_id, batch.index)
    return check_witnessed_of(table, batch, data, policy)


def _hints_of_ended(log: AuthenticLog, table: Placed[TableRecord], number: int) -> tuple[int, int]:
    """The hints for the lock and the reveal of an ended round."""
    hints = log.round_positions(table.record_id, number)
    found = f"round {number} of {table.record.table} is "
    if hints is None:
        found += "not committed"
    elif hints.lock is None:
        found += "committed, and not yet played"
    elif hints.reveal is None:
        found += "locked, and not yet revealed"
    else:
        return hints.lock, hints.reveal
    found += f", as of the checkpoint of {log.size} records"
    raise CheckFailed(Check.CODE_ROUND, expected="a round that has ended", found=found)


def _find_batches(
    log: AuthenticLog, table: Placed[TableRecord], number: int
) -> tuple[list[Placed[BatchRecord]], list[Placed[SaltRecord]]]:
    """The batches of rounds ``number`` … ``number`` + lead, each chained to the previous one, and their salts."""
    batches: list[Placed[BatchRecord]] = []
    salts: list[Placed[SaltRecord]] = []
    wanted, last = number, number + table.record.lead
    while wanted <= last:
        hints = log.round_positions(table.record_id, wanted)
        if hints is None or hints.batch is None:
            raise CheckFailed(
                Check.LEAD_COMMITTED, expected=f"rounds up to {last} committed", found=f"no batch of round {wanted}"
            )
        batch = find_batch(log, table, wanted, hints.batch)
        if batches:
            check_follows(batches[-1], batch)
        batches.append(batch)
        check_pending_of(batches)
        if table.record.salt != UNSALTED:
            if hints.salt is None:
                found = f"no salt of batch {batch.record.batch}"
                raise CheckFailed(Check.LEAD_COMMITTED, expected=f"rounds up to {last} salted", found=found)
            salts.append(find_salt(log, batch, hints.salt))
        wanted = batch.record.first + batch.record.count
    return batches, salts


def _check_order(
    table: Placed[TableRecord],
    batches: list[Placed[BatchRecord]],
    salts: list[Placed[SaltRecord]],
    lock: Placed[LockRecord],
) -> None:
    """Check the order in the log: the table before its batches, all of them and their salts before the lock."""
    at = table.index
    for batch in batches:
        if batch.index <= at:
            expected = f"batch {batch.record.batch} after record {at}"
            raise CheckFailed(
                Check.ROUND_RECORDS, expected=expected, found=f"record {batch.index}", index=batch.index
            )
        at = batch.index
    at = max([at, *(salt.index for salt in salts)])
    if lock.index <= at:
        expected = f"what fixed the next rounds before the lock, record {lock.index}"
        raise CheckFailed(Check.LEAD_COMMITTED, expected=expected, found=f"record {at}", index=lock.index)
