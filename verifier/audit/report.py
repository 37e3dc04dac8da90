"""What an audit found: the verdict as a value, for a terminal, for JSON, for a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from fairness.beacon.chain import Beacons
from fairness.limits import LONGEST_WAIT
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from fairness.records.record import KNOWN_ASIDES
from fairness.records.table_state import RoundCounts, TableState
from fairness.round.aids_check import AidFault
from fairness.times import milliseconds
from verifier.audit.clock import Clock, NewRecords
from verifier.audit.history import RulesChange, TableHistory
from verifier.audit.remembered import AuditState
from verifier.audit.round_rows import RoundRows
from verifier.paytables import Judged, NamedPaytable

SILENT_AFTER = timedelta(days=1)
"""A table with rounds left that has no record for this long while the log continues is reported as silent."""


class UnopenedBatch(Struct, frozen=True):
    """A batch whose last seed is not public, so that only its file of commitments could be checked."""

    batch: int
    first: int
    last: int
    awaits_salt: bool = False


class Unfinished(Struct, frozen=True):
    """What a later record of a table should finish: a locked round by its reveal, a batch by its salt, an ended table
    by its close.
    """

    table: str
    what: Literal["locked-round", "awaits-salt", "not-closed"]
    begun_at: str
    round: int | None = None
    batch: int | None = None
    beacon: str = ""
    """If a batch awaits its salt, the name that its table has for the beacon."""
    pulse: int | None = None
    """The beacon's round that such a batch awaits."""

    def wait(self, beacons: Beacons) -> float:
        """Return how many seconds after ``begun_at`` it can be finished at the earliest; the most that is allowed if
        the beacon is unknown.
        """
        if self.pulse is None:
            return 0
        beacon = beacons.get(self.beacon)
        if beacon is None:
            return LONGEST_WAIT
        # A batch that was replayed while its beacon was unknown may name any round.
        return max(0, min(beacon.time_of(self.pulse) - milliseconds(self.begun_at) / 1000, LONGEST_WAIT))

    def __str__(self) -> str:
        if self.what == "awaits-salt":
            return f"{self.table}: batch {self.batch} was committed at {self.begun_at} and awaits its salt"
        if self.what == "locked-round":
            return f"{self.table}: round {self.round} was locked at {self.begun_at} and is not revealed"
        return f"{self.table}: ended at {self.begun_at} and is not closed"


class Silent(Struct, frozen=True):
    """A table that has rounds left, has neither ended nor a round in progress, and has had no record for long."""

    table: str
    last_at: str
    newest_at: str
    """The newest time in the log."""
    rounds_left: int

    def __str__(self) -> str:
        return (
            f"{self.table}: no record since {self.last_at}, the log goes on to {self.newest_at};"
            f" {self.rounds_left:,} committed {'round is' if self.rounds_left == 1 else 'rounds are'} left"
        )


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
    def paytable(self) -> NamedPaytable:
        """What its record says of its bets."""
        state = self.state
        rules = [
            *(change.before for change in self.history.changes),
            *([self.history.rules] if self.history.rules else []),
        ]
        return NamedPaytable(state.name, state.game, state.declaration_text, state.paytable, _each_once(rules))

    @property
    def changes(self) -> list[RulesChange]:
        """Every change of the game's rules from one batch to the next."""
        return self.history.changes

    @property
    def unopened(self) -> list[UnopenedBatch]:
        """The batches that are not yet opened."""
        return [
            UnopenedBatch(batch.number, batch.first, batch.last, batch.awaits is not None)
            for batch in self.state.batches
        ]

    @property
    def unfinished(self) -> list[Unfinished]:
        """What is unfinished, and since when, by the operator's clock."""
        state = self.state
        if state.newer:
            # A record that this program does not know may have finished it.
            return []
        found = [
            Unfinished(
                state.name, "awaits-salt", batch.fixed, batch=batch.number, beacon=state.salt, pulse=batch.awaits
            )
            for batch in state.batches
            if batch.awaits is not None
        ]
        if state.locked is not None:
            found.append(Unfinished(state.name, "locked-round", state.locked.since, state.locked.number))
        if state.ended and not state.closed:
            found.append(Unfinished(state.name, "not-closed", state.ended_at))
        return found

    def silent(self, newest: str) -> Silent | None:
        """Return the report that it fell silent, in a log whose newest time is ``newest``; unfinished tables are
        reported as `unfinished`.
        """
        state = self.state
        left = state.committed_through - state.next_round + 1
        if state.ended or state.locked is not None or not left or state.newer:
            return None
        if datetime.fromisoformat(newest) - datetime.fromisoformat(state.latest) < SILENT_AFTER:
            return None
        return Silent(state.name, state.latest, newest, left)


def table_reports(state: AuditState) -> list[TableReport]:
    """Return the tables of a state by name."""
    histories = state.histories
    return [TableReport(table, histories.get(name, TableHistory())) for name, table in sorted(state.tables.items())]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What the log says, if everything that was checked held."""

    head: Head
    seen_before: int
    """The number of records that an earlier audit had checked; they were not read again."""
    state: AuditState
    rounds: dict[str, RoundRows] = field(default_factory=dict)
    """The numbers of every round by table, if they were requested."""
    new: NewRecords | None = None
    """What is known about the times of the new records, if witnesses are asked; `None` where their files were
    checked.
    """
    newest_pulse: int = 0
    """The latest time of a pulse in the new records, in seconds since 1970; 0 if they have none of a beacon that is
    known.
    """

    paytables: Judged = field(default_factory=Judged)
    """What is to be said of what bets pay."""
    aids: list[AidFault] | None = None
    """What is wrong with the finding aids; `None` if nobody asked."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log that was audited."""
        return self.head.checkpoint

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the log but asides, so that nothing can be wrong with it."""
        return not self.state.tables

    @property
    def asides(self) -> dict[str, int]:
        """How many asides this program does not know, by their types."""
        return {name: count for name, count in sorted(self.state.asides.items()) if name not in KNOWN_ASIDES}

    @property
    def tables(self) -> list[TableReport]:
        """The tables by name."""
        return table_reports(self.state)

    @property
    def unfinished(self) -> list[Unfinished]:
        """What is unfinished in all tables. A single log cannot show whether it hangs; only a later one can (SPEC
        8.1).
        """
        return [entry for table in self.tables for entry in table.unfinished]

    @property
    def newest_time(self) -> str:
        """The latest time of any record, by the operator's clock; empty in an empty log."""
        return max((table.state.latest for table in self.tables), default="")

    @property
    def silent(self) -> list[Silent]:
        """The tables that fell silent with rounds left."""
        newest = self.newest_time
        return [found for table in self.tables if (found := table.silent(newest)) is not None]

    @property
    def never_played(self) -> list[str]:
        """The tables that have a batch and no lock, by name: committed, and never played."""
        return [
            table.name
            for table in self.tables
            if table.state.last_batch and table.state.next_round == 1 and not table.state.newer
        ]

    @property
    def witnessed_files(self) -> int:
        """How many batches were witnessed before their pulses; 0 if it was not asked."""
        return 0 if self.state.witnessing is None else self.state.witnessing.files

    @property
    def clock(self) -> Clock | None:
        """How wrong the operator's clock was; `None` if no witnessed file shows anything about it."""
        return None if self.state.witnessing is None or not self.witnessed_files else self.state.witnessing.clock

    @property
    def rounds_ended(self) -> int:
        """How many rounds were played or void."""
        return sum(_ended(table.state.counts) for table in self.tables)

    @property
    def drawn(self) -> int:
        """How many of them are of tables whose every outcome was checked: their games, and the rules of these, are
        known.
        """
        return sum(_ended(table.state.counts) for table in self.tables if not table.state.unknown)


def _each_once(rules: list[dict[str, int]]) -> list[dict[str, int]]:
    return [each for at, each in enumerate(rules) if each not in rules[:at]]


def _ended(counts: RoundCounts) -> int:
    return counts.played + counts.void
