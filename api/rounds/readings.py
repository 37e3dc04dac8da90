"""Who reads the outcome of a round that is not revealed yet, for the journal.

The token that locked a round is given its outcome, by that call and by each repetition: its lock is in the log, and
its name is in the round's row. Anybody else who asks is noted before the answer, once a round and process. So the
calls of an engine that plays alone cost no write.

A lock can keep the order of a round back. Then everybody who is given the whole outcome is noted, and so is each call
that is given the next things: with their positions, in the transaction that remembers how far the order was given.
"""

from __future__ import annotations

from api.journal.chain import append, note
from api.journal.entry import SERVICE, Act, Deed, Values, holder
from api.sharing.bounded import BoundedCache
from api.sql.connection import Connection
from api.sql.database import Database
from api.store.models import RoundRow
from api.world.timekeeper import Timekeeper

_REMEMBERED = 4096


class Readings:
    """Notes readings of outcomes, for one process."""

    def __init__(self, database: Database, timekeeper: Timekeeper) -> None:
        self._database, self._timekeeper = database, timekeeper
        self._noted: BoundedCache[tuple[str, int, str | None], None] = BoundedCache(_REMEMBERED)

    def note(self, table: str, number: int, *, by: str | None, locked_by: str | None, was_given: bool = True) -> None:
        """Note it durably, before the token ``by`` is given the outcome of a round that ``locked_by`` locked.

        ``was_given`` says whether the answer of the lock had the outcome, too.
        """
        reading = table, number, by
        if (was_given and by == locked_by) or reading in self._noted:
            return
        note(self._database, self._timekeeper.shown(), _deed(table, by, locked_by, {"round": number}))
        self._noted.put(reading, None)

    def note_next(self, connection: Connection, row: RoundRow, start: int, count: int, *, by: str | None) -> None:
        """Note it, before the token ``by`` is given things of an order, inside the transaction that remembers it."""
        given = {"count": count, "from": start, "round": row.round}
        append(connection, self._timekeeper.shown(), _deed(row.table, by, row.locked_by, given))


def _deed(table: str, by: str | None, locked_by: str | None, given: Values) -> Deed:
    who = SERVICE if by is None else holder("engine", by)
    before = None if locked_by is None else {"locked_by": locked_by}
    return Deed(who, Act.OUTCOME_READ, table, before=before, after=given)
