"""What an audit found out: the verdict as a value, for a terminal, for JSON, for a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from fairness.checkpoints import Checkpoint
from fairness.table_state import TableState
from verifier.history import RulesChange, TableHistory
from verifier.round_rows import RoundRows


class AuditState(Struct):
    """What the next audit needs to read only what is new."""

    key: str
    """The verifier key that the log was audited with."""
    checkpoint: str
    """The signed note, verbatim."""
    tables: dict[str, TableState]
    histories: dict[str, TableHistory]
    seen: str = ""
    """A larger signed checkpoint that was seen, and extends that one, while its records could not be replayed."""


class UnopenedBatch(Struct, frozen=True):
    """A batch whose last seed is not public, so that only its file of commitments could be checked."""

    batch: int
    first: int
    last: int


class Hanging(Struct, frozen=True):
    """What an operator owes: a locked round its reveal, an ended table its close."""

    table: str
    what: Literal["locked-round", "not-closed"]
    since: str
    round: int | None = None

    def __str__(self) -> str:
        if self.what == "locked-round":
            return f"{self.table}: round {self.round} was locked at {self.since} and is not revealed"
        return f"{self.table}: ended at {self.since} and is not closed"


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table, from its first record to the checkpoint."""

    state: TableState
    history: TableHistory

    @property
    def name(self) -> str:
        """The table's name."""
        return self.state.name

    @property
    def changes(self) -> list[RulesChange]:
        """Every change of the game's rules from one batch to the next."""
        return self.history.changes

    @property
    def unopened(self) -> list[UnopenedBatch]:
        """The batches that are not yet opened."""
        return [UnopenedBatch(batch.number, batch.first, batch.last) for batch in self.state.batches]

    @property
    def hanging(self) -> list[Hanging]:
        """What hangs. Nothing of a table follows a locked round or an end, so its latest time is that one's."""
        state, found = self.state, []
        if state.locked is not None:
            found.append(Hanging(state.name, "locked-round", state.latest, state.locked.number))
        if state.ended and not state.closed:
            found.append(Hanging(state.name, "not-closed", state.latest))
        return found


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Everything that was checked held; this is what the log says."""

    checkpoint: Checkpoint
    seen_before: int
    """How many records an earlier audit had checked; they were not read again."""
    state: AuditState
    rounds: dict[str, RoundRows] = field(default_factory=dict)
    """By table the numbers of every round, where they were asked for."""

    @property
    def tables(self) -> list[TableReport]:
        """The tables by name."""
        histories = self.state.histories
        return [
            TableReport(table, histories.get(name, TableHistory()))
            for name, table in sorted(self.state.tables.items())
        ]

    @property
    def hanging(self) -> list[Hanging]:
        """What hangs, over all tables."""
        return [entry for table in self.tables for entry in table.hanging]

    @property
    def rounds_ended(self) -> int:
        """How many rounds were played or void."""
        return sum(table.state.counts.played + table.state.counts.void for table in self.tables)
