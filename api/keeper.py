"""The keeper: commits batches ahead of need, and ends what engines and operators left behind.

Each turn looks at every table once. A table that cannot go on (halted, damaged, or its seeds are gone) is
logged and passed over; the others do not wait for it.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from api import statements as sql
from api.custodian import SeedsUnavailableError
from api.ledger import DamagedStateError, Entry, change, decode_rules, decode_state
from api.problems import Problem
from api.rounds import end_round, give_up
from api.service import Service
from api.tables import close_table, commit_batch, end_table, needs_batch
from fairness.errors import CheckFailed
from fairness.table_state import TableState

CLOSED_REASON = "table closed"
GIVEN_UP_GRACE_SECONDS = 3
"""How long an engine has to finish a void that it began, before the keeper does."""

_logger = logging.getLogger("foredraw.keeper")


class Keeper:
    """Keeps every table committed ahead, and every round ended."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._said: dict[str, str] = {}

    def turn(self) -> None:
        """Do what is due. What it raises, ends the keeper."""
        with self._service.database.read() as connection:
            tables = connection.execute(sql.ALL_TABLES).all()
            locked = {row.table: row for row in connection.execute(sql.LOCKED_ROUNDS)}
        for row in tables:
            if row.halted is not None:
                continue
            try:
                self._keep(row, decode_state(row.queued_state), locked.get(row.name))
                self._said.pop(row.name, None)
            except (Problem, SeedsUnavailableError, CheckFailed, DamagedStateError) as error:
                self._say_once(row.name, str(error))

    def _keep(self, row: Row[Any], state: TableState, locked: Row[Any] | None) -> None:
        if state.closed:
            return
        if locked is not None and self._is_due(row, locked):
            # Never voided by a time-out: an engine must not be able to drop a round by silence.
            end_round(self._service, state, locked.round, reason=None)
        elif row.closing:
            self._close(state)
        elif needs_batch(state, self._service.settings.batch_size):
            commit_batch(self._service, state, decode_rules(self._service.games[state.game], row.rules))

    def _is_due(self, row: Row[Any], locked: Row[Any]) -> bool:
        # A table that is being closed waits like any other: its flight may not be over.
        allowed = GIVEN_UP_GRACE_SECONDS if locked.given_up else row.timeout
        return _age(locked.locked, self._service.clock.now()) >= allowed

    def _close(self, state: TableState) -> None:
        """One step of closing a table: the locked round ends, an open one is given up, end, close."""
        service = self._service
        if state.ended:
            position = service.publication.end_position(state.table_id)
            if 0 < position < service.publication.size:
                close_table(service, state, position)
            return
        number = state.next_round
        change(service, state.name, number, lambda entry: _end(entry, number))

    def _say_once(self, table: str, problem: str) -> None:
        if self._said.get(table) != problem:
            self._said[table] = problem
            _logger.error("table %s: %s", table, problem)


def _end(entry: Entry, number: int) -> None:
    """Give up round ``number`` if it is open, or else end the table, where no round is locked."""
    state = entry.state
    if state.locked is not None or state.ended or state.next_round != number:
        return
    if entry.round is not None:
        give_up(entry, number, CLOSED_REASON)
    else:
        end_table(entry)


def _age(then: str, now: str) -> float:
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()
