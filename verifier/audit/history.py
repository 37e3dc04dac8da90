"""What a verdict reports about a table but its replay state no longer has."""

from __future__ import annotations

from msgspec import Struct, field

from fairness.records.record import BatchRecord, Outcome
from fairness.records.runs import RunNotes
from fairness.records.table_state import TableState


class RulesChange(Struct, frozen=True):
    """The game's rules changed with this batch."""

    batch: int
    before: dict[str, int]
    after: dict[str, int]


class SaltedBatch(Struct, frozen=True):
    """A batch that names a pulse, so that a policy asks when witnesses saw it."""

    table: str
    number: int
    index: int
    """The index of its record."""
    batch_id: bytes
    beacon: str
    """The name that its table has for the beacon."""
    pulse: int
    """The beacon's round."""


class TableHistory(Struct):
    """The changes of a table's rules, and the places of its unopened batches in the log."""

    rules: dict[str, int] = field(default_factory=dict)
    """The rules of the last batch; empty before the first."""
    changes: list[RulesChange] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)
    """Batch number to record index, for batches whose last seed is not public."""
    unused: list[Outcome] | None = None
    """The outcomes that a closed table's first unused rounds would have had; `None` until it is closed."""

    def add(self, notes: RunNotes) -> None:
        """Take note of more records of the table, which were replayed."""
        for index, record in notes.batches:
            self._add_batch(record, index)
        if notes.unused is not None:
            self.unused = [dict(outcome) for outcome in notes.unused]

    def _add_batch(self, record: BatchRecord, index: int) -> None:
        """Take note of a batch that the record at ``index`` committed."""
        if self.rules and self.rules != record.rules:
            self.changes.append(RulesChange(record.batch, self.rules, record.rules))
        self.rules = record.rules
        self.positions[record.batch] = index

    def forget_revealed(self, table: TableState) -> None:
        """Keep only the positions of batches that are still pending."""
        pending = {batch.number for batch in table.batches}
        self.positions = {number: index for number, index in self.positions.items() if number in pending}
