"""Writing the finding aids of the records that were just appended (SPEC 5.4).

They are written before the checkpoint that publishes the records, in place and without waiting for the disk; `sync`
makes them durable before the queue forgets the records they came from. Those of locks and reveals are collected until
`write`: many records of a turn are of few tables, and each file is opened once for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from api.world.published.log_folder import LogFolder, Part
from fairness.errors import Malformed, Unreadable
from fairness.hashing import u64
from fairness.records.record import (
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
)
from fairness.records.table_state import TableState
from fairness.round.finding_aids import (
    COLUMNS,
    POSITION_SIZE,
    ROUNDS_PER_FILE,
    RoundPositions,
    TablePositions,
    place_in_file,
    rounds_noted,
    rounds_path,
    tables_path,
)

_MOST_COLLECTED = 4096
"""Positions; a rebuild notes those of millions of records."""


class AidsWriter:
    """Notes the positions of records. Writing the same record twice writes the same bytes."""

    def __init__(self, log: LogFolder) -> None:
        self._log = log
        self._collected: defaultdict[tuple[bytes, int], list[Part]] = defaultdict(list)
        """What is to be written, by table and number of the file."""
        self._count = 0
        self._unsynced: set[str] = set()
        """Files that were written since the last `begin_sync`."""
        self._syncing: set[str] = set()
        """Files that were written before it, and may not be durable yet."""
        self.lost: str | None = None
        """A file that was noted in before, and was not there when it was to be noted in again."""

    def note(
        self, record: Record, position: int, table_id: bytes, table_position: int, salted: range | None = None
    ) -> None:
        """Note that ``record`` stands at ``position``; of a salt, at the rounds of its batch, which are
        ``salted``.
        """
        kind = type(record)
        if isinstance(record, LockRecord | RevealRecord):
            self._note_round(table_id, record.round, _at(kind), position)
        elif kind in COLUMNS:
            self._note_rounds(table_id, rounds_noted(record, salted), _at(kind), position)
        else:
            end, close = (position if kind is each else 0 for each in (EndRecord, CloseRecord))
            self._note_table(table_id, TablePositions(table_position, end, close))

    def first_missing(self, table: TableState, first_round: int, last_round: int) -> str | None:
        """Return the first of a table's files up to a round that is missing, or cut off; `None` if all are there."""
        size = self._log.size(tables_path(table.table_id))
        if not size or size % TablePositions.SIZE:
            return tables_path(table.table_id)
        for number in range(first_round - place_in_file(first_round), last_round + 1, ROUNDS_PER_FILE):
            path = rounds_path(table.table_id, number)
            places = min(ROUNDS_PER_FILE, table.committed_through - number + 1)
            if (self._log.size(path) or 0) < places * RoundPositions.SIZE:
                return path
        return None

    def drop_wrong(self, tables: Iterable[tuple[TableState, int]]) -> None:
        """Empty each file that names other ``tables`` than these, which stand at these positions: then it is missing.

        A crash here leaves it empty, and the next start makes it again.
        """
        for path in self.wrong(tables):
            self._log.write(path, b"")

    def wrong(self, tables: Iterable[tuple[TableState, int]]) -> Iterator[str]:
        """Yield the files that name other ``tables`` than these. Where exactly a table's end stands is not
        compared.
        """
        known: defaultdict[str, dict[int, tuple[bool, bool]]] = defaultdict(dict)
        for table, position in tables:
            known[tables_path(table.table_id)][position] = (table.ended, table.closed)
        for path, expected in known.items():
            try:
                entries = TablePositions.parse_file(self._log.read(path))
                is_right = {each.table: (each.end > 0, each.close > 0) for each in entries} == expected
            except Unreadable:
                continue
            except Malformed:
                is_right = False
            if not is_right:
                yield path

    def batch_at(self, table_id: bytes, number: int) -> int:
        """Return where the batch of a round stands, as noted; 0 if that is not known."""
        try:
            found = RoundPositions.in_file(self._log.read(rounds_path(table_id, number)), number)
        except (Unreadable, Malformed):
            return 0
        return 0 if found is None else found.batch

    def write(self) -> None:
        """Write what was collected."""
        collected, self._collected, self._count = self._collected, defaultdict(list), 0
        for (table_id, number), parts in collected.items():
            path = rounds_path(table_id, number * ROUNDS_PER_FILE + 1)
            if self._log.size(path) is None:
                # The batches of these rounds were noted there.
                self.lost = path
            self._log.write_parts(path, _joined(parts))
            self._unsynced.add(path)

    def begin_sync(self) -> None:
        """Remember which files are to be made durable by `sync_some`: all that were written so far."""
        self.write()
        self._syncing |= self._unsynced
        self._unsynced = set()

    def sync_some(self, most: int) -> bool:
        """Make up to so many of these files durable; whether all of them are now. Each costs a wait for the disk."""
        for _ in range(min(most, len(self._syncing))):
            self._log.sync(self._syncing.pop())
        return not self._syncing

    def sync(self) -> None:
        """Make everything noted so far durable."""
        self.begin_sync()
        self.sync_some(len(self._syncing))

    def _note_round(self, table_id: bytes, number: int, at: int, position: int) -> None:
        part = (place_in_file(number) * RoundPositions.SIZE + at, u64(position))
        self._collected[table_id, (number - 1) // ROUNDS_PER_FILE].append(part)
        self._count += 1
        if self._count >= _MOST_COLLECTED:
            self.write()

    def _note_rounds(self, table_id: bytes, rounds: range, at: int, position: int) -> None:
        """Note the same position in the entry of each round of a batch; what else was noted of a round stays."""
        self.write()
        number, size = rounds.start, RoundPositions.SIZE
        while number < rounds.stop:
            path = rounds_path(table_id, number)
            place = place_in_file(number)
            if (place or at != _at(BatchRecord)) and self._log.size(path) is None:
                self.lost = path
            count = min(rounds.stop - number, ROUNDS_PER_FILE - place)
            old = self._log.read_part(path, place * size, count * size).ljust(count * size, b"\0")
            entries = (old[start : start + size] for start in range(0, count * size, size))
            new = b"".join(entry[:at] + u64(position) + entry[at + 8 :] for entry in entries)
            self._log.write_parts(path, [(place * size, new)])
            self._unsynced.add(path)
            number += count

    def _note_table(self, table_id: bytes, new: TablePositions) -> None:
        path = tables_path(table_id)
        try:
            known = {entry.table: entry for entry in TablePositions.parse_file(self._log.read(path))}
        except (Unreadable, Malformed):
            known = {}
            if new.end or new.close:
                self.lost = path
        old = known.get(new.table, new)
        known[new.table] = TablePositions(new.table, end=new.end or old.end, close=new.close or old.close)
        self._log.write(path, b"".join(bytes(known[position]) for position in sorted(known)))


def _at(kind: type[Record]) -> int:
    """Say where in the entry of a round the position of a record of this kind is."""
    return COLUMNS[kind] * POSITION_SIZE


def _joined(parts: list[Part]) -> Iterator[Part]:
    """Yield the same bytes in fewer parts: a lock and its reveal, which mostly come together, are neighbours in the
    file.
    """
    start, data = parts[0]
    for at, more in parts[1:]:
        if at == start + len(data):
            data += more
        else:
            yield start, data
            start, data = at, more
    yield start, data
