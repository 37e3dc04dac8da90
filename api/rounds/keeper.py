"""The keeper: commits batches ahead of need, and ends what engines and operators left behind.

The batches of tables with a salt are the `salter`'s, because it waits for strangers.

Each turn looks at every table once. A table that cannot go on (halted, damaged, or its seeds are gone) is
logged and passed over; the others do not wait for it.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from api.custody.custodian import SeedsUnavailableError
from api.problems import Problem
from api.rounds.admission import Prepared
from api.rounds.batches import Batches
from api.rounds.calls import Rounds
from api.rounds.change import TableChange, TableWriter
from api.rounds.seeds import Seeds
from api.rounds.status import past_due
from api.rounds.tables import close_table, end_table
from api.settings import Settings
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules, decode_state
from api.store.models import RoundRow, TableRow
from api.world.statuses import note_damage
from api.world.storage_failures import STORAGE_FAILURES, in_words
from api.world.timekeeper import ClockJumped
from fairness.errors import CheckFailed
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from games import GAMES

CLOSED_REASON = "table closed"

_logger = logging.getLogger("foredraw.keeper")


class Keeper:
    """Keeps every table committed ahead, and every round ended."""

    def __init__(
        self, settings: Settings, writer: TableWriter, seeds: Seeds, rounds: Rounds, batches: Batches
    ) -> None:
        self._settings, self._writer, self._seeds = settings, writer, seeds
        self._rounds, self._batches = rounds, batches
        self._said: dict[str, str] = {}
        self._jumped = False

    def turn(self) -> None:
        """Do what is due. What it raises, ends the keeper."""
        if self._clock_has_jumped():
            # Whatever is due ends in a record, and no record can be given its time.
            return
        with self._writer.database.read() as connection:
            tables = sql.ALL_TABLES.all(connection)
            locked = {row.table: row for row in sql.LOCKED_ROUNDS.all(connection)}
        for row in tables:
            if row.halted is not None:
                continue
            try:
                self._keep(row, decode_state(row.queued_state), locked.get(row.name))
                self._said.pop(row.name, None)
            except (Problem, SeedsUnavailableError, CheckFailed, DamagedStateError) as error:
                self._say_once(row.name, str(error))
            except STORAGE_FAILURES as error:
                # If only this table cannot be read, the others continue.
                note_damage(error, self._settings, self._writer.timekeeper)
                self._say_once(row.name, in_words(error, self._settings))

    def _clock_has_jumped(self) -> bool:
        """Return whether it has. Says so once, and once that it is right again."""
        try:
            self._writer.timekeeper.remember()
        except ClockJumped as jumped:
            if not self._jumped:
                _logger.critical("%s", jumped.detail)
            self._jumped = True
            return True
        if self._jumped:
            _logger.warning("the clock is right again: rounds go on")
        self._jumped = False
        return False

    def _keep(self, row: TableRow, state: TableState, locked: RoundRow | None) -> None:
        if state.closed:
            return
        if locked is not None and past_due(self._writer.timekeeper, row, locked) >= timedelta(0):
            # Never voided by a time-out: an engine must not be able to drop a round by silence.
            self._rounds.end(state, locked.round, reason=None)
        elif row.closing:
            self._close(state)
        elif state.salt == UNSALTED and self._batches.is_due(state):
            self._batches.commit(state, decode_rules(GAMES.of(state), row.rules))

    def _close(self, state: TableState) -> None:
        """Take one step of closing a table: the locked round ends, an open one is given up, end, close."""
        if state.ended:
            end = self._seeds.publication.end(state.table_id)
            if end is not None:
                close_table(self._writer, self._seeds, state, end)
            return
        number = state.next_round
        prepared = self._rounds.prepare_locking(state, number)
        self._writer.change(state.name, number, lambda change: self._end(change, number, prepared))

    def _end(self, change: TableChange, number: int, prepared: Prepared) -> None:
        """Give up round ``number`` if it is open; otherwise end the table, if no round is locked."""
        state = change.state
        if state.locked is not None or state.ended or state.next_round != number:
            return
        if change.round is not None:
            self._rounds.give_up(change, number, CLOSED_REASON, prepared)
        else:
            end_table(change)

    def _say_once(self, table: str, problem: str) -> None:
        if self._said.get(table) != problem:
            self._said[table] = problem
            _logger.error("table %s: %s", table, problem)
