"""The check of one bet, from its receipt: it was fixed by the round's lock, before the outcome was public."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.game import Games
from fairness.errors import CheckFailed, Malformed, NotShown
from fairness.log.checkpoints import Checkpoint
from fairness.player.bets import BetReceipt
from fairness.policy.head import Head
from fairness.policy.policy import Trust
from fairness.records.record import LockRecord, RevealRecord, TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_lock, find_reveal, find_table
from fairness.round.rules import check_revealed_after, check_table_of, check_times
from games import GAMES
from verifier.audit.bundles import Progress
from verifier.caveats import bet_caveats
from verifier.round.not_shown import naming_ways_on
from verifier.round.proof_check import check_proof
from verifier.round.published import limits_of, open_log
from verifier.round.records import check_locked
from verifier.round.report import Passed, signed
from verifier.sentences import Checked, NotChecked, WayOn
from verifier.sources.source import Source


@dataclass(frozen=True, slots=True)
class BetReport:
    """Everything that was checked about one bet held."""

    head: Head
    receipt: BetReceipt
    table: TableRecord
    lock: Placed[LockRecord]
    reveal: Placed[RevealRecord] | None
    """`None` as long as none is shown; if every record was read, until the outcome is public."""
    passed: tuple[Passed, ...]
    """The steps of SPEC 8.4, in order."""
    not_checked: tuple[str, ...]
    unknown: tuple[str, ...]
    """What this verifier does not know; a bet depends on it only if a proof file stands in for the log."""
    is_whole: bool
    """Whether every record of the log was read."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log that was read."""
        return self.head.checkpoint

    @property
    def newest_time(self) -> str:
        """The time of its last record."""
        return self.lock.record.locked if self.reveal is None else self.reveal.record.revealed


# A bet was among those that were fixed before the outcome was public, if (SPEC 8.4):
#  1. its receipt has its form, and so leads to a digest;
#  2. the log's checkpoint is signed, and has the policy's quorum;
#  3. the log has the receipt's table;
#  4. the log has the round's lock;
#  5. the lock carries that digest;
#  6. the reveal, if there is one, stands after the lock.
# Steps 2 to 4 read the log, or a proof file of the round.


def check_bet(
    source: Source, trust: Trust, receipt: bytes, *, games: Games = GAMES, whole: Progress | None = None
) -> BetReport:
    """Check the bet of a ``receipt`` against the log of ``source``, believing whom ``trust`` names.

    Raises `CheckFailed` (`NotShown` for what finding aids do not lead to) or `Unreadable`. With ``whole``, every
    record is read in the place of the finding aids.
    """
    # Step 1: the receipt.
    bet = read_receipt(receipt)

    # Step 2: the checkpoint.
    log = open_log(source, trust, whole)
    with naming_ways_on(log):
        report = _check(bet, _round_in_log(bet, log, games), games, absent=NotChecked.REVEAL_NOT_SHOWN)
    return replace(report, not_checked=limits_of(log, report.not_checked))


def check_bet_by_proof(proof: bytes, trust: Trust, receipt: bytes, *, games: Games = GAMES) -> BetReport:
    """Check the bet of a ``receipt`` offline, with the ``proof`` file of its round (5.6). Raises `CheckFailed`."""
    # Step 1: the receipt.
    bet = read_receipt(receipt)
    found = _round_in_proof(bet, proof, trust, games)
    report = _check(bet, found, games, absent=NotChecked.WHAT_FOLLOWED)
    return replace(report, not_checked=(*report.not_checked, NotChecked.AS_OF_CHECKPOINT))


@dataclass(frozen=True, slots=True)
class _Round:
    """The records of a locked round, in the log of ``checkpoint``."""

    head: Head
    table: Placed[TableRecord]
    lock: Placed[LockRecord]
    reveal: Placed[RevealRecord] | None
    unknown: tuple[str, ...] = ()
    is_whole: bool = False


def _round_in_log(bet: BetReceipt, log: AuthenticLog, games: Games) -> _Round:
    # Step 3: the table, by its whole id.
    table = _find_table(log, bet.table_id, games)

    # Step 4: the lock.
    hints = log.round_positions(table.record_id, bet.round_number)
    check_locked(log, bet.round_number, hints)
    if hints is None or hints.lock is None:
        expected = f"a lock of round {bet.round_number} of {table.record.table}"
        raise NotShown(Check.BET_ROUND, expected=expected, found=f"none, {log.as_of}")
    lock = find_lock(log, table, bet.round_number, hints.lock)
    check_times(table, [lock])
    reveal = None if hints.reveal is None else find_reveal(log, table, bet.round_number, hints.reveal)
    return _Round(log.head, table, lock, reveal, is_whole=log.is_whole)


def _round_in_proof(bet: BetReceipt, proof: bytes, trust: Trust, games: Games) -> _Round:
    # Steps 2 to 4: everything that the proof says holds; and it is of the receipt's table and round.
    proven = check_proof(proof, trust, games=games)
    expected = f"a proof of round {bet.round_number} of the table {bet.table_id.hex()}"
    if (proven.table.record_id, proven.round) != (bet.table_id, bet.round_number):
        found = f"round {proven.round} of {proven.table.record_id.hex()}"
        raise CheckFailed(Check.BET_ROUND, expected=expected, found=found)
    if proven.lock is None:
        expected = f"a lock of round {bet.round_number} in the file"
        found = f"a receipt: the round is {proven.stage} in this file"
        absent = NotShown(Check.BET_ROUND, expected=expected, found=found)
        absent.ways_on = (WayOn.FILE_BEFORE_LOCK,)
        raise absent
    return _Round(proven.head, proven.table, proven.lock, proven.reveal, proven.unknown)


def _check(bet: BetReceipt, found: _Round, games: Games, *, absent: NotChecked) -> BetReport:
    """Take steps 5 and 6; ``absent`` is what it means that no reveal is shown, unless every record was read."""
    table, lock, reveal = found.table, found.lock, found.reveal

    # Step 5: the digest.
    _check_digest(bet, lock)

    # Step 6: the reveal.
    if reveal is not None:
        check_revealed_after(lock, reveal)
        check_times(table, [lock, reveal])

    return BetReport(
        head=found.head,
        receipt=bet,
        table=table.record,
        lock=lock,
        reveal=reveal,
        passed=tuple(_passed(bet, found)),
        not_checked=(
            *([] if reveal or found.is_whole else [absent]),
            *bet_caveats(table.record, games, found.head.policy),
        ),
        unknown=found.unknown,
        is_whole=found.is_whole,
    )


def read_receipt(data: bytes) -> BetReceipt:
    """Read a receipt. Raises `CheckFailed` (`BET_FORM`)."""
    try:
        return BetReceipt.parse(data)
    except Malformed as error:
        raise CheckFailed(Check.BET_FORM, expected=error.expected, found=f"{error.what} {error.found}") from error


def _find_table(log: AuthenticLog, table_id: bytes, games: Games) -> Placed[TableRecord]:
    table = find_table(log, table_id)
    if table is None:
        expected = f"the table {table_id.hex()} in {log.checkpoint.origin}"
        raise NotShown(Check.BET_ROUND, expected=expected, found=f"none, {log.as_of}")
    check_table_of(table, log.checkpoint.origin, games)
    return table


def _check_digest(bet: BetReceipt, lock: Placed[LockRecord]) -> None:
    carried = lock.record.bets
    if carried is UNSET:
        found = "a round that was given up" if lock.record.given_up else "a lock without a digest of bets"
        raise CheckFailed(
            Check.BET_DIGEST, expected=_spelled(bet.bets.count, bet.bets.root), found=found, index=lock.index
        )
    if carried != bet.bets:
        raise CheckFailed(
            Check.BET_DIGEST,
            expected=f"{_spelled(carried.count, carried.root)} in the lock",
            found=f"{_spelled(bet.bets.count, bet.bets.root)} from the receipt",
            index=lock.index,
        )


def _spelled(count: int, root: str) -> str:
    return f"count {count}, root {root}"


def _passed(bet: BetReceipt, found: _Round) -> Iterator[Passed]:
    table, lock, reveal = found.table, found.lock, found.reveal
    yield Passed(Check.BET_FORM, Checked.BET_FORM)
    yield signed(found.head)
    yield Passed(Check.BET_ROUND, Checked.TABLE_OF_BET.fill(table=table.record.table), (table.index,))
    yield Passed(Check.BET_ROUND, Checked.LOCK_OF_BET.fill(round=bet.round_number), (lock.index,))
    yield Passed(Check.BET_DIGEST, Checked.DIGEST_CARRIED.fill(count=bet.count), (lock.index,))
    if reveal is not None:
        yield Passed(Check.ROUND_RECORDS, Checked.PUBLISHED_AFTER, (lock.index, reveal.index))
    elif found.is_whole:
        yield Passed(Check.ROUND_RECORDS, Checked.NOT_PUBLISHED, (lock.index,))
