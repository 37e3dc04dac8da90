"""What a verdict reports about a table and its replay state has already forgotten."""

from __future__ import annotations

from msgspec import Struct, field

from fairness.records.record import BatchRecord, Outcome
from fairness.records.runs import RunNotes
from fairness.records.table_state import TableState


class RulesChange(Struct, frozen=True):
    """From this batch on the game's rules were others."""

    batch: int
    before: dict[str, int]
    after: dict[str, int]


class TableHistory(Struct):
    """The rules of a table, batch by batch, and where its unopened batches stand in the log."""

    rules: dict[str, int] = field(default_factory=dict)
    """Those of the last batch; empty before the first."""
    changes: list[RulesChange] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)
    """Batch number to record index, for batches whose last seed is not public."""
    unused: list[Outcome] | None = None
    """The outcomes that a closed table's first unused rounds would have had; `None` if an older program saw it close."""

    def add(self, notes: RunNotes) -> None:
        """Some more of its records were replayed."""
        for index, record in notes.batches:
            self._add_batch(record, index)
        if notes.unused is not None:
            self.unused = [dict(outcome) for outcome in notes.unused]

    def _add_batch(self, record: BatchRecord, index: int) -> None:
        """A batch was committed by the record at ``index``."""
        if self.rules and self.rules != record.rules:
            self.changes.append(RulesChange(record.batch, self.rules, record.rules))
        self.rules = record.rules
        self.positions[record.batch] = index

    def forget_revealed(self, table: TableState) -> None:
        """Keep positions of the batches that are still pending only."""
        pending = {batch.number for batch in table.batches}
        self.positions = {number: index for number, index in self.positions.items() if number in pending}
