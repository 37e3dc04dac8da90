"""Comparing the finding aids with the records that they should lead to (SPEC 5.4).

Records are taken in the order of the log, each once. A file of rounds is looked at when all of its rounds have ended,
or when somebody asks, so that no more than the files of rounds to come are in memory, however long the log is.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from msgspec import UNSET

from fairness.errors import Malformed, Missing, Unknown, Unreadable
from fairness.hashing import leaf_hash
from fairness.log.tiles import ReadFile
from fairness.records.record import (
    BatchRecord,
    CloseRecord,
    EndRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    encode_record,
    newer_record,
    parse_record,
)
from fairness.records.table_state import TableState
from fairness.round.finding_aids import (
    COLUMNS,
    ROUNDS_PER_FILE,
    RoundPositions,
    TablePositions,
    place_in_file,
    rounds_noted,
    rounds_path,
    tables_path,
)

What = Literal["missing", "old", "false", "unreadable"]
"""No file; a file that does not lead to a record yet; one that leads elsewhere; one that could not be read."""
_ENTRY = struct.Struct(">4Q")
_POSITION = struct.Struct(">Q")
MOST_KEPT = 100
"""Files that are looked at again, if not every record is taken: more do not say more."""


@dataclass(frozen=True, slots=True)
class AidFault:
    """What is wrong with the file that leads to a table, or with the entries of some of its rounds."""

    path: str
    table: str
    rounds: range | None
    """Rounds that follow one another; `None` for what leads to the table itself."""
    what: What
    position: int
    """The first record that it does not lead to; 0 if it leads to all of them, and to another one that it should
    not.
    """

    def __str__(self) -> str:
        if self.rounds is None:
            return f"{self.table} ({self.what})"
        first, last = self.rounds.start, self.rounds.stop - 1
        rounds = f"round {first}" if first == last else f"rounds {first} to {last}"
        return f"{self.table}, {rounds} ({self.what})"


def in_a_row(faults: Iterable[AidFault]) -> list[AidFault]:
    """Return these in the order of tables and rounds, and rounds that follow one another together, also of several
    files.
    """
    found: list[AidFault] = []
    for each in sorted(faults, key=lambda fault: (fault.table, fault.rounds.start if fault.rounds else 0)):
        before = found[-1] if found else None
        if before and before.rounds and each.rounds and _goes_on(before, each):
            rounds = range(before.rounds.start, each.rounds.stop)
            found[-1] = replace(before, rounds=rounds, position=min(before.position, each.position))
        else:
            found.append(each)
    return found


def _goes_on(before: AidFault, after: AidFault) -> bool:
    if before.rounds is None or after.rounds is None:
        return False
    return (before.table, before.what, before.rounds.stop) == (after.table, after.what, after.rounds.start)


@dataclass(slots=True)
class _RoundsFile:
    """What a file of rounds must have."""

    path: str
    table: str
    first: int
    """The first round of the file."""
    wanted: bytearray = field(default_factory=lambda: bytearray(ROUNDS_PER_FILE * RoundPositions.SIZE))
    """The positions that it must have; 0 where none is known."""
    ended: int = 0
    """How many of its rounds have ended."""

    def note(self, places: range, column: int, position: int) -> None:
        for place in places:
            _POSITION.pack_into(self.wanted, place * RoundPositions.SIZE + column * _POSITION.size, position)
        self.ended += len(places) if column == COLUMNS[RevealRecord] else 0

    def faults(self, data: bytes | None, size: int | None) -> list[AidFault]:
        """Return what is wrong with the file; with the ``size`` of a log, also positions below it that lead to
        nothing known.
        """
        is_one = data is not None and is_rounds_file(data)
        found = (data if data and is_one else b"").ljust(len(self.wanted), b"\0")
        faults: list[AidFault] = []
        entries = zip(_ENTRY.iter_unpack(self.wanted), _ENTRY.iter_unpack(found), strict=True)
        for number, (wanted, at) in enumerate(entries, self.first):
            wrong = [pair for pair in zip(wanted, at, strict=True) if _is_wrong(*pair, size)]
            if wrong:
                lacks = is_one and not any(have for _, have in wrong)
                what: What = "missing" if data is None else "old" if lacks else "false"
                position = min(want for want, _ in wrong)
                faults.append(AidFault(self.path, self.table, range(number, number + 1), what, position))
        return in_a_row(faults)

    def unreadable(self) -> list[AidFault]:
        """Return the faults of a file that could not be read."""
        return [replace(each, what="unreadable") for each in self.faults(None, None)]

    def keep(self, faults: Iterable[AidFault]) -> None:
        """Forget what must be in the entries of other rounds than those of these faults."""
        wrong = {number for each in faults for number in each.rounds or ()}
        for place in range(ROUNDS_PER_FILE):
            if self.first + place not in wrong:
                start = place * RoundPositions.SIZE
                self.wanted[start : start + RoundPositions.SIZE] = bytes(RoundPositions.SIZE)


def _is_wrong(want: int, have: int, size: int | None) -> bool:
    """Return whether a file has another position than it must; where it may have any, one that the log of this
    ``size`` has.
    """
    return want != have and (want > 0 or (size is not None and have < size))


def is_rounds_file(data: bytes) -> bool:
    """Return whether this is a file of rounds, by its size."""
    return bool(data) and len(data) % RoundPositions.SIZE == 0 and len(data) <= ROUNDS_PER_FILE * RoundPositions.SIZE


@dataclass(slots=True)
class _KnownTable:
    """A table whose records are taken."""

    table_id: bytes
    position: int | None = None
    """Where its record stands; `None` if that was not taken."""
    end: int = 0
    close: int = 0
    salted: dict[int, range] = field(default_factory=dict)
    """The rounds of the batches that await their salts, by the batches' numbers."""


class AidsCheck:
    """Takes records of a log, and says which finding aids do not lead to them. Raises `Unreadable`."""

    def __init__(self, read: ReadFile, size: int | None = None, tables: Iterable[TableState] = ()) -> None:
        """With the ``size`` of the log, every record is to be taken, and nothing else may be led to.

        Otherwise ``tables`` are those of the records before, and files that are wrong are looked at again by each
        `faults`.
        """
        self._read, self._size = read, size
        self._tables = {each.name: _known(each) for each in tables if not each.newer}
        self._files: dict[str, _RoundsFile] = {}
        self._touched: set[str] = set()
        """The tables whose own positions are to be looked at."""
        self._others: set[int] = set()
        """Where records of tables of later versions stand, to which a file may lead."""
        self._found: list[AidFault] = []

    def take(self, index: int, data: bytes) -> None:
        """Take the next record. One that no rule of this version judges is passed over."""
        try:
            record = parse_record(data)
        except (Unknown, Malformed):
            newer = newer_record(data)
            if newer is not None and newer.type == "table":
                self._others.add(index)
            return
        self.take_record(index, record)

    def take_record(self, index: int, record: Record) -> None:
        """Take a record that was read already."""
        if isinstance(record, TableRecord):
            self._tables[record.table] = _KnownTable(leaf_hash(encode_record(record)), index)
        if (table := self._tables.get(record.table)) is None:
            return
        match record:
            case BatchRecord() if record.beacon is not UNSET:
                table.salted[record.batch] = rounds_noted(record, None)
            case EndRecord():
                table.end = index
            case CloseRecord():
                table.close = index
            case _:
                pass
        column = COLUMNS.get(type(record))
        if column is None:
            self._touched.add(record.table)
            return
        salted = table.salted.pop(record.batch, None) if isinstance(record, SaltRecord) else None
        self._note(record.table, table, rounds_noted(record, salted), column, index)

    def faults(self) -> list[AidFault]:
        """Return what is wrong now with the files of the records that were taken, file by file."""
        for file in list(self._files.values()):
            self._look_at(file)
        found, self._found = self._found, []
        known = {each.position for each in self._tables.values()} | self._others
        for name in sorted(self._touched):
            fault = self._fault_of_table(name, self._tables[name], known)
            if fault is not None:
                found.append(fault)
            elif self._size is None:
                self._touched.discard(name)
        return found

    def _note(self, name: str, table: _KnownTable, rounds: range, column: int, index: int) -> None:
        number = rounds.start
        while number < rounds.stop:
            path, place = rounds_path(table.table_id, number), place_in_file(number)
            count = min(rounds.stop - number, ROUNDS_PER_FILE - place)
            file = self._files.get(path)
            if file is None:
                file = self._files[path] = _RoundsFile(path, name, number - place)
            file.note(range(place, place + count), column, index)
            if file.ended >= ROUNDS_PER_FILE and column == COLUMNS[RevealRecord]:
                # If it cannot be read now, it is asked for again at the end.
                with suppress(Unreadable):
                    self._look_at(file)
            number += count

    def _look_at(self, file: _RoundsFile) -> None:
        try:
            faults = file.faults(self._data(file.path), self._size)
        except Unreadable:
            if self._size is None:
                raise
            faults = file.unreadable()
        if self._size is None:
            self._found = [each for each in self._found if each.path != file.path]
        self._found += faults
        if self._size is None and faults and len(self._files) <= MOST_KEPT:
            file.keep(faults)
        else:
            self._files.pop(file.path, None)

    def _data(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except Missing:
            return None

    def _fault_of_table(self, name: str, table: _KnownTable, known: Container[int | None]) -> AidFault | None:
        path = tables_path(table.table_id)
        what: What | None
        try:
            data = self._data(path)
            what = "missing" if data is None else self._judged(TablePositions.parse_file(data), table, known)
        except Malformed:
            what = "false"
        except Unreadable:
            if self._size is None:
                raise
            what = "unreadable"
        position = table.close or table.end or table.position or 0
        return None if what is None else AidFault(path, name, None, what, position)

    def _judged(self, entries: list[TablePositions], table: _KnownTable, known: Container[int | None]) -> What | None:
        """Return what is wrong with a file that leads to a table; ``known`` are the positions to which such files may
        lead.
        """
        size = self._size
        if size is not None and any(each.table < size and each.table not in known for each in entries):
            return "false"
        if table.position is None:
            # Its own record was not taken: the entry that leads to its end, or its close, is as good as any.
            last = {table.end, table.close} - {0}
            mine = [each for each in entries if last & {each.end, each.close}]
        else:
            mine = [each for each in entries if each.table == table.position]
        if not mine:
            return "old"
        pairs = ((table.end, mine[0].end), (table.close, mine[0].close))
        wrong = [have for want, have in pairs if _is_wrong(want, have, size)]
        if not wrong:
            return None
        return "false" if any(wrong) else "old"


def _known(table: TableState) -> _KnownTable:
    salted = {each.number: range(each.first, each.first + each.count) for each in table.batches}
    return _KnownTable(table.table_id, salted=salted)
