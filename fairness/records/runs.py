"""Replay in long runs, as an audit does it: what `Replay.advance` does, in a fraction of the time.

It parses many records at once. It also checks the seeds of many rounds at once: when their batch ends, before any
record that is neither a lock nor a reveal, and at the end of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fairness.draws.game import Game, Outcome
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.limits import ROUNDS_AFTER_END
from fairness.records.record import (
    Aside,
    BatchRecord,
    CloseRecord,
    LockRecord,
    NewerRecord,
    Record,
    RevealRecord,
    SaltRecord,
    parse_records,
)
from fairness.records.replay import Replay, apply_lock, check_reveal, check_takes, end_round, read_record
from fairness.records.reveals import check_reveals, unused_outcomes
from fairness.records.table_state import TableState

Entry = tuple[int, bytes]
"""A record's index in the log, and its bytes."""


@dataclass(slots=True)
class RunNotes:
    """What some records of one table said that its state does not keep, and a verdict reports."""

    batches: list[tuple[int, BatchRecord]] = field(default_factory=list)
    """The batch records, each with its index."""
    salts: list[tuple[int, int]] = field(default_factory=list)
    """The salts: the index of each, and the beacon's round whose pulse it is."""
    unused: list[Outcome] | None = None
    """What the first `ROUNDS_AFTER_END` unused rounds would have been; `None` unless these records closed the
    table.
    """


def advance_run(replay: Replay, name: str, entries: Sequence[Entry]) -> RunNotes:
    """Advance as `Replay.advance`, by many records of the table ``name`` in turn.

    Raises `CheckFailed`, with its index, for the first that `advance` would refuse; the table's state is then of
    no more use.
    """
    run, table, index = _Run(replay, name), replay.tables.get(name), -1
    try:
        for record, (index, data) in zip(_read(entries), entries, strict=True):
            if isinstance(record, Aside):
                continue
            if table is not None and (table.newer or isinstance(record, NewerRecord)):
                replay.apply(record, data)
            elif isinstance(record, LockRecord):
                apply_lock(check_takes(table, record), record, data, replay.known)
            elif isinstance(record, RevealRecord):
                # What `apply_to` does with it, but for its seeds.
                known = check_takes(table, record)
                locked = check_reveal(known, record)
                run.ended.append((index, record))
                if record.round == known.batches[0].last:
                    run.check_ended()
                end_round(known, record, locked)
            else:
                run.apply(record, data, index)
                table = replay.tables[name]
        run.check_ended()
    except CheckFailed as error:
        # The fault may as well be in a round that ended before, whose seeds were not looked at yet.
        run.check_ended()
        raise error.at(index=index if error.index is None else error.index) from None
    return run.notes


def _read(entries: Sequence[Entry]) -> Iterable[Record | NewerRecord | Aside]:
    try:
        return parse_records([data for _, data in entries])
    except (Malformed, Unknown):
        # Read one by one, as they are asked for, the first that is malformed is met in its turn.
        return (read_record(data, index) for index, data in entries)


class _Run:
    """Some records of one table, whose rounds end before their seeds are checked."""

    def __init__(self, replay: Replay, name: str) -> None:
        self._replay, self._name = replay, name
        self.ended: list[tuple[int, RevealRecord]] = []
        """The reveals whose seeds are still to be checked, each with its index."""
        self.notes = RunNotes()

    def apply(self, record: Record | NewerRecord, data: bytes, index: int) -> None:
        """Do what `Replay.apply` does, and note what only this record says."""
        self.check_ended()
        table = self._replay.tables.get(self._name)
        # The state of a closed table has no batches any more.
        pending = [] if table is None else table.batches[:]
        awaited = {batch.number: batch.awaits for batch in pending}
        self._replay.apply(record, data)
        if isinstance(record, BatchRecord):
            self.notes.batches.append((index, record))
        elif isinstance(record, SaltRecord) and (number := awaited[record.batch]) is not None:
            self.notes.salts.append((index, number))
        elif isinstance(record, CloseRecord) and table is not None:
            closed = list(zip(pending, record.seeds, strict=True))
            self.notes.unused = unused_outcomes(table, closed, self._game_of(table), ROUNDS_AFTER_END)

    def _game_of(self, table: TableState) -> Game:
        return self._replay.known.games.of(table)

    def check_ended(self) -> None:
        """Check the seeds of the rounds that ended. Raises `CheckFailed`, with its index, for the first at fault."""
        if not self.ended:
            return
        rounds, self.ended = self.ended, []
        table = self._replay.tables[self._name]
        game = self._game_of(table)
        try:
            check_reveals(table, [record for _, record in rounds], game)
        except CheckFailed:
            # Nothing was changed by it, so one by one they show which of them it was.
            for index, record in rounds:
                try:
                    check_reveals(table, [record], game)
                except CheckFailed as error:
                    raise error.at(index=index) from None
            raise
