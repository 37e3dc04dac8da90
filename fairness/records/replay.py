"""Replay: the state machine that holds every rule about records (SPEC 4.3 to 4.7).

`Replay.advance` takes the next record's bytes and either advances or raises `CheckFailed`, naming
the rule, what was expected and what was found. The service appends nothing that it refuses; the
verifier's audit *is* replay over the public log, in long runs (`Replay.advance_run`). One table's
records never touch another table's state, so tables can be replayed side by side. The rules about
seeds are in `openings`.

Every rule is checked before anything is changed: after an error the state is what it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.game import Game, Games, Outcome, RulesRefused
from fairness.draws.stream import context
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import U48_LIMIT, leaf_hash, parse_hex
from fairness.limits import LARGEST_LEAD, MOST_PENDING_BATCHES, ROUNDS_AFTER_END
from fairness.records.record import (
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    parse_record,
    parse_records,
)
from fairness.records.reveals import check_unused, open_rounds, unused_outcomes
from fairness.records.table_state import LockedRound, PendingBatch, RoundCounts, TableState


@dataclass(slots=True)
class RunNotes:
    """What some records of one table said that its state does not keep, and a verdict reports."""

    batches: list[tuple[int, BatchRecord]] = field(default_factory=list)
    """The batch records, each with its index."""
    unused: list[Outcome] | None = None
    """What the first `ROUNDS_AFTER_END` unused rounds would have been; `None` unless these records closed the table."""


class Replay:
    """The rules of the log, applied record by record to the tables' states."""

    def __init__(self, origin: str, games: Games, tables: dict[str, TableState] | None = None) -> None:
        """Start from an empty log, or from the ``tables`` that an earlier replay arrived at."""
        self.origin = origin
        self.tables: dict[str, TableState] = {} if tables is None else tables
        self._games = games

    def advance(self, data: bytes) -> Record:
        """Apply the next record, or raise `CheckFailed` and stay as before."""
        record = _parse(data)
        table = self.tables.get(record.table)
        if isinstance(record, RevealRecord) and table is not None and not table.ended:
            locked = _check_reveal(table, record)
            open_rounds(table, [record], self._games[table.game])
            _end_round(table, record, locked)
        else:
            self._step(table, record, data)
        return record

    def advance_run(self, name: str, entries: Sequence[tuple[int, bytes]]) -> RunNotes:
        """Apply many records of the table ``name`` in turn, each with its index: as `advance` does, but faster.

        Raises `CheckFailed`, with its index, for the first that `advance` would refuse; the table's state is then of
        no more use.
        """
        notes = RunNotes()
        # The seeds of rounds that ended are checked for many rounds at once: where a batch ends, before
        # any record that is neither lock nor reveal, and at the end.
        ended: list[tuple[int, RevealRecord]] = []
        table, index = self.tables.get(name), -1
        try:
            for record, (index, data) in zip(_parse_run(entries), entries, strict=True):
                if isinstance(record, LockRecord) and table is not None and not table.ended:
                    _lock(table, record)
                elif isinstance(record, RevealRecord) and table is not None and not table.ended:
                    _end_round(table, record, _check_reveal(table, record))
                    ended.append((index, record))
                    if record.round == table.batches[0].last:
                        self._open(table, ended)
                else:
                    self._open(table, ended)
                    # The state of a closed table has no batches any more.
                    pending = [] if table is None else table.batches[:]
                    self._step(table, record, data)
                    table = self.tables[name]
                    if isinstance(record, BatchRecord):
                        notes.batches.append((index, record))
                    elif isinstance(record, CloseRecord):
                        closed = list(zip(pending, record.seeds, strict=True))
                        notes.unused = unused_outcomes(table, closed, self._games[table.game], ROUNDS_AFTER_END)
        except CheckFailed as error:
            # The fault may as well be in a round that ended before, whose seeds were not looked at yet.
            self._open(table, ended)
            raise error.at(index=index if error.index is None else error.index) from None
        self._open(table, ended)
        return notes

    def _open(self, table: TableState | None, ended: list[tuple[int, RevealRecord]]) -> None:
        """Open rounds, and forget them. Raises `CheckFailed`, with its index, for the first at fault."""
        if table is None or not ended:
            return
        rounds, game = ended[:], self._games[table.game]
        ended.clear()
        try:
            open_rounds(table, [record for _, record in rounds], game)
        except CheckFailed:
            # Nothing was changed by it, so one by one they show which of them it was.
            for index, record in rounds:
                try:
                    open_rounds(table, [record], game)
                except CheckFailed as error:
                    raise error.at(index=index) from None
            raise

    def _step(self, table: TableState | None, record: Record, data: bytes) -> None:
        # Nearly every one of these records is a lock, so it is asked for first.
        if table is None or isinstance(record, TableRecord):
            self._begin(table, record, data)
        elif table.ended:
            self._step_after_end(table, record)
        elif isinstance(record, LockRecord):
            _lock(table, record)
        elif isinstance(record, BatchRecord):
            _batch(table, record, data, self._games[table.game])
        else:
            self._step_of_any_time(table, record)

    def _begin(self, table: TableState | None, record: Record, data: bytes) -> None:
        if not isinstance(record, TableRecord):
            raise CheckFailed(Check.TABLE_KNOWN, expected="a table of this log", found=record.table)
        _require(table is None, Check.TABLE_NEW, "a new name", record.table)
        self.tables[record.table] = self._new_table(record, data)

    def _step_after_end(self, table: TableState, record: Record) -> None:
        if table.closed:
            raise CheckFailed(Check.AFTER_CLOSE, expected="nothing", found=f"a {record.type}")
        if not isinstance(record, SaltRecord | CloseRecord):
            raise CheckFailed(Check.AFTER_END, expected="a salt or a close", found=f"a {record.type}")
        self._step_of_any_time(table, record)

    def _step_of_any_time(self, table: TableState, record: Record) -> None:
        if isinstance(record, EndRecord):
            _end(table, record)
        elif isinstance(record, CloseRecord):
            _close(table, record)
        else:
            # Every table has the salt policy "none", for now: see TABLE_SALT.
            raise CheckFailed(Check.SALT_AWAITED, expected="no salt", found=f"a {record.type}")

    def _new_table(self, record: TableRecord, data: bytes) -> TableState:
        check_table(record, self.origin, self._games)
        table_id = leaf_hash(data)
        return TableState(
            name=record.table,
            table_id=table_id,
            game=record.game,
            lead=record.lead,
            custodians=record.custodians,
            created=record.created,
            latest=record.created,
            last_batch_id=table_id,
            bets_required=record.bets is not UNSET,
            counts=RoundCounts(without_digest=0, without_bets=0),
        )


def _parse(data: bytes, index: int | None = None) -> Record:
    try:
        return parse_record(data)
    except Malformed as error:
        raise CheckFailed(Check.RECORD_FORM, expected=error.expected, found=error.found, index=index) from error


def _parse_run(entries: Sequence[tuple[int, bytes]]) -> Iterable[Record]:
    try:
        return parse_records([data for _, data in entries])
    except Malformed:
        # Parsed one by one, as they are asked for, the first that is malformed is met in its turn.
        return (_parse(data, index) for index, data in entries)


def check_table(record: TableRecord, origin: str, games: Games) -> None:
    """What must hold of a table's own record, whatever else is in the log."""
    game = games.get(record.game)
    if game is None:
        raise CheckFailed(Check.RECORD_FORM, expected=f"a game of {sorted(games)}", found=record.game)
    _require(record.log == origin, Check.TABLE_ORIGIN, origin, record.log)
    leads = f"{game.lead} to {LARGEST_LEAD}"
    _require(game.lead <= record.lead <= LARGEST_LEAD, Check.TABLE_LEAD, leads, record.lead)
    _require(record.salt == "none", Check.TABLE_SALT, "none, until quicknet can be verified", record.salt)


def check_rules(record: BatchRecord, game: Game) -> None:
    """A batch's rules are exactly the parameters of its game's version."""
    try:
        game.check_rules(record.rules)
    except RulesRefused as error:
        raise CheckFailed(Check.BATCH_RULES, expected=str(error), found=record.rules) from error


def _require(holds: bool, check: Check, expected: object, found: object) -> None:  # noqa: FBT001
    if not holds:
        raise CheckFailed(check, expected=expected, found=found)


def _not_before(table: TableState, time: str) -> None:
    if time < table.latest:
        raise CheckFailed(Check.TIME_ORDER, expected=f"{table.latest} or later", found=time)


def _batch(table: TableState, record: BatchRecord, data: bytes, game: Game) -> None:
    _not_before(table, record.committed)
    _require(record.batch == table.last_batch + 1, Check.BATCH_NUMBER, table.last_batch + 1, record.batch)
    first = table.committed_through + 1
    _require(record.first == first, Check.BATCH_FIRST, first, record.first)
    last = first + record.count - 1
    _require(last < U48_LIMIT, Check.BATCH_LAST, f"below {U48_LIMIT}", last)
    previous = table.last_batch_id.hex()
    _require(record.previous == previous, Check.BATCH_PREVIOUS, previous, record.previous)
    custodians = len(table.custodians)
    _require(len(record.anchors) == custodians, Check.BATCH_CUSTODIANS, custodians, len(record.anchors))
    _require(len(record.commitments) == custodians, Check.BATCH_CUSTODIANS, custodians, len(record.commitments))
    _require(
        len(set(record.anchors)) == len(record.anchors), Check.BATCH_ANCHORS, "different anchors", record.anchors
    )
    pending = len(table.batches) + 1
    _require(pending <= MOST_PENDING_BATCHES, Check.BATCH_PENDING, MOST_PENDING_BATCHES, pending)
    _require(record.beacon is UNSET, Check.BATCH_BEACON, "no beacon", record.beacon)
    check_rules(record, game)

    batch_id = leaf_hash(data)
    table.batches.append(
        PendingBatch(
            number=record.batch,
            batch_id=batch_id,
            first=first,
            count=record.count,
            anchors=[parse_hex(anchor) for anchor in record.anchors],
            roots=[parse_hex(root) for root in record.commitments],
            rules=record.rules,
            context=context(batch_id),
            fixed=record.committed,
            locks_before=table.engine_locks,
        )
    )
    table.last_batch, table.last_batch_id, table.committed_through = record.batch, batch_id, last
    table.latest = record.committed


def _lock(table: TableState, record: LockRecord) -> None:
    number = record.round
    if table.locked is not None:
        raise CheckFailed(
            Check.LOCK_AFTER_REVEAL, expected=f"the reveal of round {table.locked.number}", found=f"lock of {number}"
        )
    if number != table.next_round:
        raise CheckFailed(Check.LOCK_NEXT, expected=f"round {table.next_round}", found=f"round {number}")
    if record.locked < table.latest:
        _not_before(table, record.locked)
    fixed = check_lead(table, number)
    opened, given_up = record.opened is not UNSET, record.given_up
    if record.opened is not UNSET:
        _check_opened(table, record.opened, fixed, record.locked)
    if table.bets_required:
        check_digest(record)

    if not given_up:
        _count_locked(table, record)
    table.locked = LockedRound(number, given_up, opened)
    table.next_round = number + 1
    table.latest = record.locked


def _check_opened(table: TableState, opened: str, fixed: str, locked: str) -> None:
    if not table.created <= opened <= locked:
        raise CheckFailed(Check.LOCK_OPENED, expected=f"{table.created} to {locked}", found=opened)
    if opened < fixed:
        raise CheckFailed(Check.LEAD_OPENED, expected=f"{fixed} or later", found=opened)


def check_digest(record: LockRecord) -> None:
    """The lock of a round that is played carries a digest of its bets, where its table requires one."""
    if record.bets is UNSET and not record.given_up:
        raise CheckFailed(Check.BETS_REQUIRED, expected="a digest of the bets", found="none")


def _count_locked(table: TableState, record: LockRecord) -> None:
    if record.round > table.lead:
        distance = table.engine_locks - table.batches[0].locks_before
        if table.smallest_distance is None or distance < table.smallest_distance:
            table.smallest_distance = distance
    table.engine_locks += 1
    if record.bets is not UNSET and record.bets.count:
        return
    counts = table.counts
    # A state that an older program began never gets these counts: its first rounds would be left out.
    if counts.without_digest is None or counts.without_bets is None:
        return
    if record.bets is UNSET:
        counts.without_digest += 1
    else:
        counts.without_bets += 1


def check_lead(table: TableState, round_number: int) -> str:
    """The lead rule (SPEC 4.4): raise unless the rounds up to ``round_number`` + lead are committed.

    Returns the latest time of the batches that hold them; a round is not opened before it.
    """
    needed = round_number + table.lead
    if table.committed_through < needed:
        raise CheckFailed(
            Check.LEAD_COMMITTED,
            expected=f"rounds up to {needed} committed",
            found=f"up to {table.committed_through}",
        )
    # Times do not decrease, so the last of these batches is also the latest.
    for batch in reversed(table.batches):
        if batch.first <= needed:
            return batch.fixed
    raise ValueError("a round that has not ended has its batch among the pending ones")


def _check_reveal(table: TableState, record: RevealRecord) -> LockedRound:
    """All rules about a reveal but those of `openings`; returns the round that it ends."""
    locked, number = table.locked, record.round
    if locked is None or locked.number != number:
        expected = "no reveal" if locked is None else f"round {locked.number}"
        raise CheckFailed(Check.REVEAL_LOCKED, expected=expected, found=f"round {number}")
    if record.revealed < table.latest:
        _not_before(table, record.revealed)
    void = record.status == "void"
    if locked.given_up and not void:
        raise CheckFailed(Check.REVEAL_GIVEN_UP, expected="void", found=record.status)
    if (record.reason is not UNSET) != (void and not locked.given_up):
        expected = "no reason" if record.reason is not UNSET else "a reason"
        raise CheckFailed(Check.REVEAL_REASON, expected=expected, found=record.reason)
    if len(record.seeds) != len(table.custodians):
        raise CheckFailed(Check.SEED_COUNT, expected=len(table.custodians), found=len(record.seeds))
    return locked


def _end_round(table: TableState, record: RevealRecord, locked: LockedRound) -> None:
    if record.status == "void":
        _count_void(table, locked)
    else:
        table.counts.played += 1
    table.locked = None
    table.latest = record.revealed


def _count_void(table: TableState, locked: LockedRound) -> None:
    if not locked.given_up:
        table.counts.void_locked += 1
    elif locked.opened:
        table.counts.void_opened += 1
    else:
        table.counts.void_never_opened += 1


def _end(table: TableState, record: EndRecord) -> None:
    if table.locked is not None:
        expected = f"the reveal of round {table.locked.number}"
        raise CheckFailed(Check.END_LOCKED, expected=expected, found="an end")
    _not_before(table, record.ended)

    table.ended = True
    table.latest = record.ended


def _close(table: TableState, record: CloseRecord) -> None:
    _require(table.ended, Check.CLOSE_ENDED, "an end before it", "a close")
    _not_before(table, record.closed)
    expected, found = [batch.number for batch in table.batches], [entry.batch for entry in record.seeds]
    _require(found == expected, Check.CLOSE_BATCHES, expected, found)
    unused = [
        check_unused(table, batch, [bytes.fromhex(seed) for seed in entry.seeds])
        for batch, entry in zip(table.batches, record.seeds, strict=True)
    ]

    table.counts.unused = sum(unused)
    table.batches.clear()
    table.previous_seeds, table.peaks = [], []
    table.closed = True
    table.latest = record.closed
