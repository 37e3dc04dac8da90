"""Who is told the outcome of a round that is not revealed yet, for the journal.

The token that locked a round is told its outcome, by that call and by each repetition: its lock is in the log, and its
name is in the round's row. Whoever else asks is noted before the answer, once a round and process. So the calls of an
engine that plays alone cost no write.
"""

from __future__ import annotations

from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed, holder
from api.sql.database import Database
from api.world.bounded import BoundedCache
from api.world.timekeeper import Timekeeper

_REMEMBERED = 4096


class Readings:
    """Notes readings of outcomes, for one process."""

    def __init__(self, database: Database, timekeeper: Timekeeper) -> None:
        self._database, self._timekeeper = database, timekeeper
        self._noted: BoundedCache[tuple[str, int, str | None], None] = BoundedCache(_REMEMBERED)

    def note(self, table: str, number: int, *, by: str | None, locked_by: str | None) -> None:
        """Before the token ``by`` is told the outcome of a round that ``locked_by`` locked. When it returns, that is durable."""
        reading = table, number, by
        if by == locked_by or reading in self._noted:
            return
        before = None if locked_by is None else {"locked_by": locked_by}
        deed = Deed(
            SERVICE if by is None else holder("engine", by),
            Act.OUTCOME_READ,
            table,
            before=before,
            after={"round": number},
        )
        note(self._database, self._timekeeper.shown(), deed)
        self._noted.put(reading, None)
