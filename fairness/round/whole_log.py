"""Where the records of tables and rounds stand, by reading every record of a log instead of its finding aids.

What is not found here is not in the log. Only the tables whose ids begin with the wanted four bytes are noted;
nothing is replayed, so other tables' records are not judged, and of these only their form, and that no round has two
locks or two reveals, no round two batches, and no batch two salts. Asides and tables of later versions are passed
over (SPEC 4.9, 4.10).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unknown
from fairness.hashing import leaf_hash
from fairness.records.record import (
    BatchRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    SaltRecord,
    aside_of,
    newer_record,
    parse_record,
    table_and_type,
    tail_of,
)
from fairness.round.finding_aids import PREFIX_SIZE
from fairness.round.positions import RoundHints, TableHints

Bundles = Callable[[], Iterable[tuple[int, Sequence[bytes]]]]
"""Reads all records of a log from the first on: some of them, which the checkpoint vouches for, with the index of the
first.
"""


class WholeLog:
    """Positions by every record of a log, which is read once for the tables of one prefix."""

    is_whole = True

    def __init__(self, bundles: Bundles) -> None:
        self._bundles = bundles
        self._known: dict[bytes, list[_Table]] = {}

    def tables_beginning(self, prefix: bytes) -> list[TableHints]:
        """Answer as `Positions` says."""
        return [TableHints(table.index, table.end) for table in self._tables(prefix)]

    def round_positions(self, table_id: bytes, number: int) -> RoundHints | None:
        """Answer as `Positions` says."""
        found = self._table(table_id)
        return None if found is None else found.hints(number)

    def check_single(self, table_id: bytes, number: int) -> None:
        """Check what `Positions` says; also that all records of the table have their form (`RECORD_FORM`)."""
        if (found := self._table(table_id)) is not None:
            found.check_single(number)

    def _table(self, table_id: bytes) -> _Table | None:
        return next((each for each in self._tables(table_id) if each.table_id == table_id), None)

    def _tables(self, prefix: bytes) -> list[_Table]:
        wanted = prefix[:PREFIX_SIZE]
        if wanted not in self._known:
            self._known[wanted] = _tables_beginning(wanted, self._bundles())
        return self._known[wanted]


def _tables_beginning(prefix: bytes, bundles: Iterable[tuple[int, Sequence[bytes]]]) -> list[_Table]:
    found: list[_Table] = []
    by_name: dict[str, list[_Table]] = {}
    for base, records in bundles:
        for index, data in enumerate(records, base):
            claimed = table_and_type(tail_of(data))
            if claimed is None:
                continue
            name, kind = claimed
            for table in by_name.get(name, ()):
                table.take(index, data)
            if kind == b"table" and newer_record(data) is None and (leaf := leaf_hash(data))[:PREFIX_SIZE] == prefix:
                found.append(_Table(index, leaf))
                by_name.setdefault(name, []).append(found[-1])
    return found


class _Column:
    """Where the locks, or the reveals, of a table stand, by rounds; those in order take eight bytes each."""

    def __init__(self) -> None:
        self._in_order = array("Q")
        self._others: dict[int, int] = {}
        self.second: dict[int, int] = {}
        """Where a second one of a round stands."""

    def put(self, number: int, index: int) -> None:
        """Note the one of a round."""
        if self.get(number) is not None:
            self.second.setdefault(number, index)
        elif number == len(self._in_order) + 1:
            self._in_order.append(index)
        else:
            self._others[number] = index

    def get(self, number: int) -> int | None:
        """Return where the first one of a round stands."""
        return self._in_order[number - 1] if number <= len(self._in_order) else self._others.get(number)


@dataclass(frozen=True, slots=True)
class _Batch:
    index: int
    number: int
    first: int
    last: int


@dataclass(slots=True)
class _Table:
    """The records of one table, as far as a round needs them."""

    index: int
    table_id: bytes
    end: int | None = None
    batches: list[_Batch] = field(default_factory=list)
    salts: dict[int, int] = field(default_factory=dict)
    """By batches."""
    second_salts: dict[int, int] = field(default_factory=dict)
    locks: _Column = field(default_factory=_Column)
    reveals: _Column = field(default_factory=_Column)
    malformed: CheckFailed | None = None
    """The first record in its name that is none of its own form."""

    def take(self, index: int, data: bytes) -> None:
        """Take the next record in the table's name."""
        if aside_of(data) is not None:
            return
        try:
            self._note(parse_record(data), index)
        except Malformed as error:
            self._refuse(index, error.expected, error.found)
        except Unknown as error:
            self._refuse(index, "a record of version 1, as the table is", str(error.what[0]))

    def _refuse(self, index: int, expected: str, found: str) -> None:
        if self.malformed is None:
            self.malformed = CheckFailed(Check.RECORD_FORM, expected=expected, found=found, index=index)

    def _note(self, record: Record, index: int) -> None:
        match record:
            case LockRecord():
                self.locks.put(record.round, index)
            case RevealRecord():
                self.reveals.put(record.round, index)
            case BatchRecord():
                self.batches.append(_Batch(index, record.batch, record.first, record.first + record.count - 1))
            case SaltRecord():
                seen = self.second_salts if record.batch in self.salts else self.salts
                seen.setdefault(record.batch, index)
            case EndRecord():
                self.end = index if self.end is None else self.end
            case _:
                pass

    def _batches_of(self, number: int) -> list[_Batch]:
        return [batch for batch in self.batches if batch.first <= number <= batch.last]

    def hints(self, number: int) -> RoundHints | None:
        """Return where the records of a round stand; `None` if the log has none of them."""
        batches = self._batches_of(number)
        batch, salt = (batches[0].index, self.salts.get(batches[0].number)) if batches else (None, None)
        found = RoundHints(batch, salt, self.locks.get(number), self.reveals.get(number))
        return None if found == RoundHints(None, None, None, None) else found

    def check_single(self, number: int) -> None:
        """Raise `CheckFailed` if a record of the table is malformed, or if a round has two of one kind."""
        if self.malformed is not None:
            raise self.malformed
        if (second := self.locks.second.get(number)) is not None:
            raise _twice(Check.LOCK_NEXT, f"lock of round {number}", self.locks.get(number), second)
        if (second := self.reveals.second.get(number)) is not None:
            raise _twice(Check.REVEAL_LOCKED, f"reveal of round {number}", self.reveals.get(number), second)
        batches = self._batches_of(number)
        if len(batches) > 1:
            raise _twice(Check.BATCH_FIRST, f"batch of round {number}", batches[0].index, batches[1].index)
        for batch in batches:
            if (second := self.second_salts.get(batch.number)) is not None:
                raise _twice(Check.SALT_AWAITED, f"salt of batch {batch.number}", self.salts[batch.number], second)


def _twice(check: Check, what: str, first: int | None, second: int) -> CheckFailed:
    found = f"two, at records {first} and {second}"
    return CheckFailed(check, expected=f"one {what}", found=found, index=second)
