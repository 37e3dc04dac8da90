"""Whether a round may be opened or locked now.

A refusal says which round in which status the call needed, and which it found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from api.findings.states import OLDER_DATABASE
from api.integrity.integrity import Integrity
from api.log.publication import Publication
from api.problems import Code, Problem, out_of_order
from api.rounds.change import TableChange, halted
from api.rounds.commitments_files import CommitmentsFiles
from api.rounds.seeds import Seeds, refusal_as_problem
from api.rounds.status import TableStatus
from api.sql.connection import Engine
from api.store import statements as sql
from api.store.models import RoundRow, RoundStatus, SaltRow
from api.witnesses.gate import Gate
from api.world.timekeeper import ClockJumped, Timekeeper
from fairness.beacon.chain import Beacons
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


class Troubles(NamedTuple):
    """What keeps rounds from being opened at every table; `None` for each that does not."""

    software: str | None
    witnesses: str | None
    clock: ClockJumped | None


class Openings:
    """What keeps the next round of a table from being opened: asked by the call that opens it, and by answers about
    tables.

    Not here is what only the call finds out: the order of rounds, and what it asks the custodian and writes.
    """

    def __init__(
        self, publication: Publication, gate: Gate, integrity: Integrity, timekeeper: Timekeeper, beacons: Beacons
    ) -> None:
        self._publication, self._gate, self._integrity = publication, gate, integrity
        self._timekeeper, self._beacons = timekeeper, beacons

    def troubles(self) -> Troubles:
        """Return what is wrong now, for any number of tables."""
        return Troubles(self._integrity.trouble(), self._gate.trouble(), self._timekeeper.jump())

    def why_not(
        self, seen: TableStatus, troubles: Troubles, salt_of: Callable[[str, int], SaltRow | None]
    ) -> Iterator[Problem]:
        """Yield each reason, that of the call first; one that stays alone if nothing else counts.

        ``salt_of`` returns what salts a batch, by its table's name and its number.
        """
        state = seen.state
        where = f"{state.name} round {state.next_round}"
        if seen.halted is not None:
            yield halted(state.name, seen.halted)
            return
        if seen.closing or state.ended:
            yield Problem(Code.TABLE_CLOSED, f"{state.name} takes no more rounds")
            return
        if seen.paused:
            what, resumes = (
                ("all tables", "resume --all") if seen.stopped else (state.name, f"table resume {state.name}")
            )
            detail = f"the operator has paused {what}: no round is opened until `foredraw {resumes}`"
            yield Problem(Code.TABLE_PAUSED, detail)
        if troubles.software is not None:
            yield Problem(
                Code.SOFTWARE_CHANGED, f"{where}: {troubles.software}. Rounds that are open or locked go on"
            )
        if troubles.witnesses is not None:
            detail = f"{where}: {troubles.witnesses}. The round can be opened when the witnesses are back"
            yield Problem(Code.WITNESSES_AWAY, detail)
        needed = state.next_round + state.lead
        if self._published_through(state, needed) < needed:
            yield self.lead_not_published(state, state.next_round)
        else:
            yield from self._not_witnessed(state, salt_of)
        if troubles.clock is not None:
            yield troubles.clock

    def _not_witnessed(self, state: TableState, salt_of: Callable[[str, int], SaltRow | None]) -> Iterator[Problem]:
        number = state.next_round
        batch = next(batch for batch in state.batches if batch.first <= number <= batch.last)
        if state.salt == UNSALTED or not self._gate.needs_witnessed(batch.batch_id):
            return
        index = self._publication.batch_at(batch.batch_id, state.table_id, number)
        if index is None:
            yield self.lead_not_published(state, number)
            return
        beacon, salt = self._beacons.get(state.salt), salt_of(state.name, batch.number)
        pulse = None if beacon is None or salt is None else beacon.time_of(salt.beacon)
        try:
            self._gate.check_witnessed(state.name, number, batch.batch_id, index, pulse)
        except Problem as refusal:
            yield refusal

    def lead_not_published(self, state: TableState, number: int) -> Problem:
        """Return the refusal of a round whose lead is not published."""
        salted = "" if state.salt == UNSALTED else ", or not salted"
        needed = number + state.lead
        detail = f"{state.name} round {number}: the rounds up to {needed} are not published yet{salted}"
        through = self._published_through(state, needed)
        return Problem(Code.LEAD_NOT_PUBLISHED, detail, published_through=through)

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
        if not self._publication.has_batch(batch.batch_id, state.table_id, batch.last):
            return False
        return state.salt == UNSALTED or (
            batch.awaits is None and self._publication.has_salt(batch.batch_id, state.table_id, batch.last)
        )


class Admission:
    """The checks before a round takes bets, and before it takes no more.

    In a transaction all tables wait, so the custodian and the commitments file are asked before it (`prepare`).
    """

    def __init__(self, seeds: Seeds, files: CommitmentsFiles, openings: Openings) -> None:
        self._seeds, self._files, self.openings = seeds, files, openings
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
            raise self.openings.lead_not_published(state, number)

    def check_opening(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Raise `Problem` unless a round to which nothing has happened may be opened."""
        seen, state = TableStatus.of(change.row, change.state), change.state
        if not (seen.closing or state.ended):
            if number != state.next_round:
                raise out_of_order(state.name, expected=next_opening(change), found=status_of(state, number, None))
            if state.locked is not None and not GAMES.of(state).has_flight:
                raise _after_the_locked_one(state.name, state.locked.number)
        for refusal in self.openings.why_not(seen, self.openings.troubles(), partial(_salt_of, change)):
            raise refusal
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

    def _check_batch(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Refuse bets on a round that could never be revealed or verified, or whose commitment cannot be read."""
        state = change.state
        batch = next(batch for batch in state.batches if batch.first <= number <= batch.last)
        self.check_prepared(prepared, state, number)
        if prepared.batch_id != batch.batch_id:
            # It was committed a moment ago; or the database has been exchanged, and the next call looks at what it
            # has.
            raise self.openings.lead_not_published(state, number)

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


def _salt_of(change: TableChange, table: str, batch: int) -> SaltRow | None:
    found = sql.SALTS_BETWEEN.all(change.connection, table=table, from_batch=batch, before_batch=batch + 1)
    return found[0] if found else None


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
    if row is not None:
        return (number, row.status)
    return (number, RoundStatus.UNUSED if state.ended else RoundStatus.COMMITTED)


def _after_the_locked_one(table: str, locked: int) -> Problem:
    return out_of_order(table, expected=(locked, ENDED), found=(locked, RoundStatus.LOCKED))
