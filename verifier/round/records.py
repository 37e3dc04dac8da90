"""The records of one round: found by hints, and each checked to be the right one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, NotShown, Unreadable
from fairness.player.round_code import RoundCode
from fairness.policy.custody import Released, read_custody
from fairness.policy.witnessed import Witnessed, open_seen, read_witnessed, witnessed_path
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.records.rules import UNSALTED
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_batch, find_lock, find_reveal, find_salt
from fairness.round.positions import RoundHints
from fairness.round.rules import (
    Fixing,
    check_beacon_of,
    check_custody_of,
    check_follows,
    check_opened,
    check_pending_of,
    check_pulse_of,
    check_revealed_after,
    check_salt_after,
    check_table_of,
    check_times,
    check_witnessed_of,
    time_of,
)
from verifier.forks.extension import NotAnExtension, check_extends
from verifier.round.code_checks import check_table_of_code

Result = TypeVar("Result")


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
    released: tuple[Released, ...] = ()
    """By what the custodians whose keys the policy has release the seeds of the round's batch."""

    @property
    def salt(self) -> Placed[SaltRecord] | None:
        """The salt of the round's batch."""
        return self.salts[0] if self.salts else None

    @property
    def fixed(self) -> Fixing:
        """The record that fixed the round."""
        return self.salt or self.batches[0]


def in_its_table(
    log: AuthenticLog,
    code: RoundCode,
    games: Games,
    check: Callable[[Placed[TableRecord]], Result],
    *,
    name: str | None = None,
) -> Result:
    """Return what ``check`` makes of the code's table. The four bytes are only a prefix, so it is the table for which
    all holds.

    Tables of later versions are passed over: a code of theirs has a later version, too. Raises what ``check`` raises,
    `CheckFailed` (`CODE_TABLE`, `CODE_GAME`, or what is wrong with a table's own record), and `NotShown`
    (`CODE_TABLE`) if there is no such table.
    """
    failures: list[CheckFailed | Unreadable] = []
    indexes = [hint.table for hint in log.tables_beginning(code.table_prefix)]
    # Nobody else can have the seeds of a table, so what is wrong with it is not hidden by what else begins alike.
    own = [index for index in indexes if _has_seeds(log, index, code)] if len(indexes) > 1 else []
    for index in own or indexes:
        try:
            if (table := log.table(index)) is not None:
                return check(_table_of_code(log, table, code, games, name))
        except (CheckFailed, Unreadable) as failure:
            failures.append(failure)
    if not failures:
        expected = f"a table of {log.checkpoint.origin} whose id begins with {code.table_prefix.hex()}"
        raise NotShown(Check.CODE_TABLE, expected=expected, found=f"none, {log.as_of}")
    raise min(failures, key=_likelihood)


def _has_seeds(log: AuthenticLog, index: int, code: RoundCode) -> bool:
    """Return whether the table of this record revealed the code's seeds for the code's round, as far as the hints
    show.
    """
    number = code.round_number
    try:
        table = log.table(index)
        # Whatever else is wrong with a table that has them: it is the code's.
        hints = None if table is None else log.positions.round_positions(table.record_id, number)
        if table is None or hints is None or hints.reveal is None:
            return False
        reveal = find_reveal(log, table, number, hints.reveal)
    except (CheckFailed, Unreadable):
        return False
    return reveal.record.seeds == [seed.hex() for seed in code.seeds]


def _likelihood(failure: CheckFailed | Unreadable) -> int:
    """Rank a failure: of several tables of which none has the code's seeds, the least is reported.

    A code that may be one of a table that cannot be read, or whose round is not shown, is evidence against nobody;
    and a table of another game than the code's hides nothing that is wrong with one of its game.
    """
    if isinstance(failure, Unreadable):
        return 0
    if isinstance(failure, NotShown):
        return 1
    return 3 if failure.check in {Check.CODE_TABLE, Check.CODE_GAME} else 2


def _table_of_code(
    log: AuthenticLog, table: Placed[TableRecord], code: RoundCode, games: Games, name: str | None
) -> Placed[TableRecord]:
    """Return the table, if the code may belong to it."""
    check_table_of(table, log.checkpoint.origin, games)
    check_table_of_code(code, table, name)
    return table


def find_round(log: AuthenticLog, table: Placed[TableRecord], number: int) -> RoundRecords:
    """Return the records of an ended round. Raises `CheckFailed`; `NotShown` (`CODE_ROUND`) if it has not ended, as
    far as is shown.
    """
    lock_hint, reveal_hint = _hints_of_ended(log, table, number)
    batches, salts = _find_batches(log, table, number, lock_hint)
    lock = find_lock(log, table, number, lock_hint)
    reveal = find_reveal(log, table, number, reveal_hint)
    _check_order(table, batches, salts, lock)
    check_revealed_after(lock, reveal)
    check_times(table, [*batches, *salts, lock, reveal])
    check_opened(lock, max(map(time_of, salts or batches)), table.record.created)
    witnessed = _check_witnessed(log, table, batches[0])
    return RoundRecords(batches, salts, lock, reveal, witnessed, _check_custody(log, table, batches[0]))


def _check_custody(log: AuthenticLog, table: Placed[TableRecord], batch: Placed[BatchRecord]) -> tuple[Released, ...]:
    def said(name: str) -> tuple[bytes, bytes | None]:
        return read_custody(log.read, batch.record_id, name, batch.index)

    return check_custody_of(table, batch, log.head.policy, said)


def _check_witnessed(log: AuthenticLog, table: Placed[TableRecord], batch: Placed[BatchRecord]) -> Witnessed | None:
    policy = log.head.policy
    if policy.quorum is None or table.record.salt == UNSALTED:
        return None
    data = read_witnessed(log.read, batch.record_id, batch.index)
    try:
        # The log's signature alone shows a fork, so this comes before anything that depends on witnesses.
        check_extends(open_seen(data, log.head), log.head.signed, lambda _: log.tiles)
    except NotAnExtension as error:
        raise error.at(where=witnessed_path(batch.record_id)) from error
    return check_witnessed_of(table, batch, data, policy)


def _hints_of_ended(log: AuthenticLog, table: Placed[TableRecord], number: int) -> tuple[int, int]:
    """Return the hints for the lock and the reveal of an ended round."""
    hints = log.round_positions(table.record_id, number)
    check_locked(log, number, hints)
    found = f"round {number} of {table.record.table} is "
    if hints is None:
        found += "not committed"
    elif hints.lock is None:
        found += "committed, and not yet played"
    elif hints.reveal is None:
        found += "locked, and not yet revealed"
    else:
        return hints.lock, hints.reveal
    raise NotShown(Check.CODE_ROUND, expected="a round that has ended", found=f"{found}, {log.as_of}")


def check_locked(log: AuthenticLog, number: int, hints: RoundHints | None) -> None:
    """Check that a round with a reveal has a lock, if every record was read; hints alone show nothing of the kind."""
    if log.is_whole and hints is not None and hints.lock is None and hints.reveal is not None:
        expected = f"a lock of round {number} before its reveal"
        raise CheckFailed(Check.REVEAL_LOCKED, expected=expected, found="none", index=hints.reveal)


def _find_batches(
    log: AuthenticLog, table: Placed[TableRecord], number: int, lock: int
) -> tuple[list[Placed[BatchRecord]], list[Placed[SaltRecord]]]:
    """Return the batches of rounds ``number`` … ``number`` + lead, each chained to the previous one, and their salts.

    The round's ``lock`` is what needs them. What is wrong with one is said before the next one is looked for: a hint
    that is missing must not hide it.
    """
    beacons = log.head.policy.known_beacons
    batches: list[Placed[BatchRecord]] = []
    salts: list[Placed[SaltRecord]] = []
    wanted, last = number, number + table.record.lead
    while wanted <= last:
        hints = log.round_positions(table.record_id, wanted)
        if hints is None or hints.batch is None:
            expected, found = f"rounds up to {last} committed", f"no batch of round {wanted}"
            raise log.lacks(Check.LEAD_COMMITTED, expected=expected, found=found, index=lock)
        batch = find_batch(log, table, wanted, hints.batch)
        check_beacon_of(table, batch, beacons)
        if batches:
            check_follows(batches[-1], batch)
        batches.append(batch)
        check_pending_of(batches)
        if table.record.salt != UNSALTED:
            if hints.salt is None:
                expected, found = f"rounds up to {last} salted", f"no salt of batch {batch.record.batch}"
                raise log.lacks(Check.LEAD_COMMITTED, expected=expected, found=found, index=lock)
            salts.append(find_salt(log, batch, hints.salt))
            check_salt_after(batch, salts[-1])
            check_pulse_of(table, batch, salts[-1], beacons)
        wanted = batch.record.first + batch.record.count
    return batches, salts


def _check_order(
    table: Placed[TableRecord],
    batches: list[Placed[BatchRecord]],
    salts: list[Placed[SaltRecord]],
    lock: Placed[LockRecord],
) -> None:
    """Check the order in the log: the table before its batches, all of them and their salts before the lock.

    The log's key signed all of them, so these are the checks of an audit, and no false hint.
    """
    at, check = table.index, Check.TABLE_KNOWN
    for batch in batches:
        if batch.index <= at:
            expected = f"batch {batch.record.batch} after record {at}"
            raise CheckFailed(check, expected=expected, found=f"record {batch.index}", index=batch.index)
        at, check = batch.index, Check.BATCH_NUMBER
    at = max([at, *(salt.index for salt in salts)])
    if lock.index <= at:
        expected = f"what fixed the next rounds before the lock, record {lock.index}"
        raise CheckFailed(Check.LEAD_COMMITTED, expected=expected, found=f"record {at}", index=lock.index)
