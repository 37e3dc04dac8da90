"""How a table stands, as far as its rows can be read: one damaged row hides no other table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from api.sql.connection import Connection
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_state
from api.store.models import RoundRow, TableRow
from api.world.timekeeper import Timekeeper
from fairness.records.table_state import TableState

GIVEN_UP_GRACE_SECONDS = 3
"""How long an engine has to finish a void that it began, before the keeper does."""

_LONG_AGO = "2000-01-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class TableStatus:
    """A table's state, and why it is halted, if it is."""

    state: TableState
    """For display only: the status of a ``damaged`` table follows from the rows of its rounds and batches."""
    halted: str | None
    damaged: bool = False
    paused: bool = False
    """Whether an operator lets no round be opened."""
    stopped: bool = False
    """Whether an operator lets none be opened at any table."""
    closing: bool = False
    """Whether an operator has asked to close it."""

    @classmethod
    def of(cls, row: TableRow, state: TableState) -> Self:
        """Return how the table of a row stands, whose ``state`` could be read."""
        stopped = bool(row.stopped)
        return cls(state, row.halted, paused=bool(row.paused or stopped), stopped=stopped, closing=bool(row.closing))


def table_status(connection: Connection, row: TableRow) -> TableStatus:
    """Return how the table of a row stands."""
    try:
        return TableStatus.of(row, decode_state(row.queued_state))
    except DamagedStateError as error:
        return TableStatus(_state_by_other_rows(connection, row), row.halted or str(error), damaged=True)


def _state_by_other_rows(connection: Connection, row: TableRow) -> TableState:
    reached = sql.REACHED.one(connection, table=row.name)
    return TableState(
        name=row.name,
        table_id=bytes.fromhex(row.table_id),
        game=row.game,
        lead=row.lead,
        custodians=[],
        created=_LONG_AGO,
        latest=_LONG_AGO,
        last_batch_id=b"",
        committed_through=reached.committed or 0,
        next_round=(reached.locked or 0) + 1,
    )


def fixed_through(state: TableState) -> int:
    """Return the last round up to which all are committed, and salted if the table has a salt."""
    awaiting = (batch.first - 1 for batch in state.batches if batch.awaits is not None)
    return next(awaiting, state.committed_through)


def past_due(timekeeper: Timekeeper, table: TableRow, locked: RoundRow) -> timedelta:
    """Return how long ago the keeper should have ended a locked round; negative before.

    A table that is being closed waits like any other: its flight may not be over.
    """
    allowed = GIVEN_UP_GRACE_SECONDS if locked.given_up else table.timeout
    return timekeeper.age(locked.tick) - timedelta(seconds=allowed)
