"""Comparing the finding aids with the records that they should lead to (SPEC 5.4).

Records are taken in the order of the log, each once, and every entry of a file is looked at: that each record is led to, and
that nothing else is. No more than a few files are in memory, however long the log is.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from msgspec import UNSET

from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError
from fairness.hashing import leaf_hash
from fairness.records.record import (
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    encode_record,
)
from fairness.round.finding_aids import (
    ROUNDS_PER_FILE,
    RoundPositions,
    TablePositions,
    place_in_file,
    rounds_path,
    tables_path,
)

_COLUMNS = 4
_BATCH, _SALT, _LOCK, _REVEAL = range(_COLUMNS)
_FILES = 512
"""That stay in memory: of each table that is played at a time, the file of the present rounds."""


@dataclass(frozen=True, slots=True)
class Misleading:
    """A file that leads elsewhere."""

    path: str
    table: str
    position: int
    """The position of the first record that the file does not lead to; 0 if it leads to all of them, and to one more that it should not."""


class AidsCheck:
    """Takes every record of a log, and then says which files are wrong. Each table's files must be there."""

    def __init__(self, log: LogFolder) -> None:
        self._log = log
        self._file = lru_cache(_FILES)(self._read)
        self._ids: dict[str, bytes] = {}
        self._salted: dict[tuple[str, int], range] = {}
        """The rounds of the batches that await their salts."""
        self._tables: dict[str, TablePositions] = {}
        self._led: Counter[tuple[str, str]] = Counter()
        """By file and table, how many entries lead to their records."""
        self._wrong: dict[str, Misleading] = {}

    def take(self, position: int, record: Record) -> None:
        """The next record."""
        table = record.table
        if isinstance(record, LockRecord | RevealRecord):
            column = _LOCK if isinstance(record, LockRecord) else _REVEAL
            self._compare(table, range(record.round, record.round + 1), column, position)
        elif isinstance(record, BatchRecord):
            rounds = range(record.first, record.first + record.count)
            if record.beacon is not UNSET:
                self._salted[table, record.batch] = rounds
            self._compare(table, rounds, _BATCH, position)
        elif isinstance(record, SaltRecord):
            self._compare(table, self._salted.pop((table, record.batch)), _SALT, position)
        elif isinstance(record, TableRecord):
            self._ids[table] = leaf_hash(encode_record(record))
            self._tables[table] = TablePositions(position)
        elif isinstance(record, EndRecord):
            self._tables[table] = TablePositions(self._tables[table].table, end=position)
        elif isinstance(record, CloseRecord):
            known = self._tables[table]
            self._tables[table] = TablePositions(known.table, end=known.end, close=position)

    def misleading(self, size: int) -> list[Misleading]:
        """After the last of the log's ``size`` records. Entries beyond that are of records to come, and lead nobody yet."""
        for (path, table), led in self._led.items():
            if path not in self._wrong and sum(0 < each < size for each in self._read(path)) != led:
                self._wrong[path] = Misleading(path, table, 0)
        for table, positions in self._tables.items():
            path = tables_path(self._ids[table])
            if path not in self._wrong and not self._lists(path, positions):
                self._wrong[path] = Misleading(path, table, positions.close or positions.end)
        return list(self._wrong.values())

    def _compare(self, table: str, rounds: range, column: int, position: int) -> None:
        """The entries of these rounds in one column lead to ``position``."""
        number = rounds.start
        while number < rounds.stop:
            path, place = rounds_path(self._ids[table], number), place_in_file(number)
            count = min(rounds.stop - number, ROUNDS_PER_FILE - place)
            entries = self._file(path)[place * _COLUMNS + column : (place + count) * _COLUMNS : _COLUMNS]
            if entries == (position,) * count:
                self._led[path, table] += count
            else:
                self._wrong.setdefault(path, Misleading(path, table, position))
            number += count

    def _read(self, path: str) -> tuple[int, ...]:
        """The positions in a file of rounds; none if it is not one."""
        try:
            data = self._log.read(path)
        except ForedrawError:
            return ()
        is_one = len(data) % RoundPositions.SIZE == 0 and len(data) <= ROUNDS_PER_FILE * RoundPositions.SIZE
        return struct.unpack(f">{len(data) // 8}Q", data) if is_one else ()

    def _lists(self, path: str, positions: TablePositions) -> bool:
        try:
            return positions in TablePositions.parse_file(self._log.read(path))
        except ForedrawError:
            return False
