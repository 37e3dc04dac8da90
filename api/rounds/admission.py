"""Whether a round may be opened or locked now.

A refusal says which round in which status the call needed, and which it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api.findings.states import OLDER_DATABASE
from api.integrity.integrity import Integrity
from api.problems import Code, Problem, out_of_order
from api.rounds.change import TableChange
from api.rounds.commitments_files import CommitmentsFiles
from api.rounds.seeds import Seeds, refusal_as_problem
from api.sql.connection import Engine
from api.store import statements as sql
from api.store.models import RoundRow, RoundStatus, TableRow
from api.witnesses.gate import Gate
from fairness.records.rules import UNSALTED
from fairness.records.table_state import PendingBatch, TableState
from games import GAMES

ENDED = (RoundStatus.PLAYED, RoundStatus.VOID)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was found about a round before the transaction that opens or locks it."""

    table_id: bytes
    """The table whose mark was read."""
    batch_id: bytes | None
    """The batch whose seeds and file were looked at; `None` if the round was not committed yet, or is only locked."""
    refusal: Problem | None
    """Why the custodian or the file refuses the round, for when nothing else does."""


class Admission:
    """The checks before a round takes bets, and before it takes no more.

    In a transaction all tables wait, so the custodian and the commitments file are asked before it (`prepare`).
    """

    def __init__(self, seeds: Seeds, files: CommitmentsFiles, gate: Gate, integrity: Integrity) -> None:
        self._seeds, self._files, self._gate, self._integrity = seeds, files, gate, integrity
        self._new_to_the_log: set[str] = set()
        """Tables whose next round was found to be new to the published log, for as long as a file is open."""

    def prepare(self, state: TableState, number: int) -> Prepared:
        """Ask the custodian for the seeds and the mark of a round, and look at the file of its batch.

        The first look at a batch unrolls its chain, and makes a lost file again, durably.
        """
        batch = next((batch for batch in state.batches if batch.first <= number <= batch.last), None)
        if batch is None:
            return self.prepare_locking(state, number)
        try:
            with refusal_as_problem():
                self._seeds.check_not_released(state, number)
                self._seeds.check_held(state, batch)
                self._files.check_once(state, batch)
        except Problem as refusal:
            return Prepared(state.table_id, batch.batch_id, refusal)
        return Prepared(state.table_id, batch.batch_id, None)

    def prepare_locking(self, state: TableState, number: int) -> Prepared:
        """Ask the custodian for the mark of a round's table."""
        try:
            with refusal_as_problem():
                self._seeds.check_not_released(state, number)
        except Problem as refusal:
            return Prepared(state.table_id, None, refusal)
        return Prepared(state.table_id, None, None)

    def check_prepared(self, prepared: Prepared, state: TableState, number: int) -> None:
        """Raise what was found, if it is a refusal; or `Problem` if it is about another table of this name."""
        if prepared.refusal is not None:
            raise prepared.refusal
        if prepared.table_id != state.table_id:
            # The database has been exchanged. The next call looks at what it has.
            raise self.lead_not_published(state, number)

    def lead_not_published(self, state: TableState, number: int) -> Problem:
        """Return the refusal of a round whose lead is not published."""
        salted = "" if state.salt == UNSALTED else ", or not salted"
        needed = number + state.lead
        detail = f"{state.name} round {number}: the rounds up to {needed} are not published yet{salted}"
        through = self._published_through(state, needed)
        return Problem(Code.LEAD_NOT_PUBLISHED, detail, published_through=through)

    def check_opening(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Raise `Problem` unless a round to which nothing has happened may be opened."""
        state = change.state
        if change.row.closing or state.ended:
            raise Problem(Code.TABLE_CLOSED, f"{state.name} takes no more rounds")
        if number != state.next_round:
            raise out_of_order(state.name, expected=next_opening(change), found=status_of(state, number, None))
        if state.locked is not None and not GAMES.of(state).has_flight:
            raise _after_the_locked_one(state.name, state.locked.number)
        _check_not_paused(change.row)
        self._integrity.check_open(state.name, number)
        self._gate.check_open(state.name, number)
        needed = number + state.lead
        if self._published_through(state, needed) < needed:
            raise self.lead_not_published(state, number)
        self._check_new_to_the_log(change, number)
        self._check_batch(change, number, prepared)

    def check_locking(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Raise `Problem` unless the round is the next one, and the one before has ended."""
        state = change.state
        status = status_of(state, number, change.round)
        if state.ended:
            raise Problem(Code.TABLE_CLOSED, f"{state.name} takes no more rounds")
        if number != state.next_round:
            raise out_of_order(state.name, expected=next_opening(change), found=status)
        if state.locked is not None:
            raise _after_the_locked_one(state.name, state.locked.number)
        self._check_new_to_the_log(change, number)
        self.check_prepared(prepared, state, number)

    def _published_through(self, state: TableState, needed: int) -> int:
        """Return the last round up to which all are fixed by published records: batches, and their salts. Those
        beyond the ``needed`` one may be left out.
        """
        through = state.batches[0].first - 1 if state.batches else state.committed_through
        for batch in state.batches:
            if through >= needed or not self._is_fixed(state, batch):
                break
            through = batch.last
        return through

    def _is_fixed(self, state: TableState, batch: PendingBatch) -> bool:
        published = self._seeds.publication
        if not published.has_batch(batch.batch_id, state.table_id, batch.last):
            return False
        return state.salt == UNSALTED or (
            batch.awaits is None and published.has_salt(batch.batch_id, state.table_id, batch.last)
        )

    def _check_batch(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Refuse bets on a round that could never be revealed or verified, or whose commitment cannot be read."""
        state = change.state
        batch = next(batch for batch in state.batches if batch.first <= number <= batch.last)
        self.check_prepared(prepared, state, number)
        if prepared.batch_id != batch.batch_id:
            # It was committed a moment ago; or the database has been exchanged, and the next call looks at what it
            # has.
            raise self.lead_not_published(state, number)
        if state.salt != UNSALTED and self._gate.needs_witnessed(batch.batch_id):
            index = self._seeds.publication.batch_at(batch.batch_id, state.table_id, number)
            if index is None:
                raise self.lead_not_published(state, number)
            self._gate.check_witnessed(state.name, number, batch.batch_id, index, self._pulse(change, batch.number))

    def _pulse(self, change: TableChange, batch: int) -> int | None:
        """Return when the pulse of a batch came; `None` if the beacon is unknown."""
        beacon = change.writer.beacons.get(change.state.salt)
        salts = sql.SALTS_BETWEEN.all(
            change.connection, table=change.state.name, from_batch=batch, before_batch=batch + 1
        )
        return None if beacon is None or not salts else beacon.time_of(salts[0].beacon)

    def _check_new_to_the_log(self, change: TableChange, number: int) -> None:
        """Refuse bets on a known outcome: what the log has locked is not offered again.

        An older database shows so; if the log is as old, the custodian's mark shows it (`prepare`). For a file, one
        look at each table is enough: if one is put back while it is open (SQLite's backup), the mark shows it, which
        moves before an outcome is known. Behind the address of a server there may be another one at any time, whose
        database is older, so that each round is looked at.
        """
        state = change.state
        if state.name in self._new_to_the_log and change.connection.engine is Engine.SQLITE:
            return
        if self._seeds.publication.lock(state.table_id, number) is not None:
            extra = f" in the published log: {OLDER_DATABASE}"
            raise out_of_order(
                state.name, expected=next_opening(change), found=(number, RoundStatus.LOCKED), extra=extra
            )
        self._new_to_the_log.add(state.name)


def _check_not_paused(row: TableRow) -> None:
    if row.paused or row.stopped:
        what, resumes = (row.name, f"table resume {row.name}") if row.paused else ("all tables", "resume --all")
        detail = f"the operator has paused {what}: no round is opened until `foredraw {resumes}`"
        raise Problem(Code.TABLE_PAUSED, detail)


def next_opening(change: TableChange) -> tuple[int, Sequence[RoundStatus]]:
    """Return what an opening waits for, the next round or the end of the open one: in one of which statuses."""
    state, number = change.state, change.state.next_round
    if sql.ONE_ROUND.find(change.connection, table=state.name, round=number) is None:
        return (number, [RoundStatus.COMMITTED])
    return (number, [RoundStatus.LOCKED, *ENDED] if GAMES.of(state).has_flight else ENDED)


def status_of(state: TableState, number: int, row: RoundRow | None) -> tuple[int, RoundStatus]:
    """Return a round and its status. Raises `Problem` if it is not committed."""
    if number > state.committed_through:
        detail = f"{state.name} is committed up to round {state.committed_through}"
        raise Problem(Code.UNKNOWN_ROUND, detail, committed_through=state.committed_through)
    return (number, RoundStatus.COMMITTED if row is None else row.status)


def _after_the_locked_one(table: str, locked: int) -> Problem:
    return out_of_order(table, expected=(locked, ENDED), found=(locked, RoundStatus.LOCKED))
