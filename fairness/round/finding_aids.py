"""Finding aids: where in the log a round's records lie (SPEC 5.4).

They are hints and prove nothing. Whatever they point at is checked against the log, so a false one
can only make a check fail. A position is eight bytes, big-endian; 0 says "not yet", which no other
record than the log's first, a table, can have as its position.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from fairness.errors import Malformed
from fairness.hashing import u64
from fairness.log.folders import hashed_path
from fairness.log.tiles import number_path
from fairness.records.record import BatchRecord, LockRecord, Record, RevealRecord, SaltRecord

ROUNDS_PER_FILE = 256
PREFIX_SIZE = 4
POSITION_SIZE = 8
COLUMNS: dict[type[Record], int] = {BatchRecord: 0, SaltRecord: 1, LockRecord: 2, RevealRecord: 3}
"""Which position in the entry of a round leads to which record, in the order of `RoundPositions`. Others lead to
tables.
"""


def rounds_noted(record: Record, salted: range | None) -> range:
    """Name the rounds whose entries lead to a record; those of a salt's batch are ``salted``."""
    match record:
        case LockRecord() | RevealRecord():
            return range(record.round, record.round + 1)
        case BatchRecord():
            return range(record.first, record.first + record.count)
        case _:
            return salted or range(0)


@dataclass(frozen=True, slots=True)
class TablePositions:
    """Where a table's own record, its end and its close stand."""

    table: int
    end: int = 0
    close: int = 0

    SIZE = 3 * POSITION_SIZE

    def __bytes__(self) -> bytes:
        return u64(self.table) + u64(self.end) + u64(self.close)

    @classmethod
    def parse_file(cls, data: bytes) -> list[Self]:
        """Return all tables whose id begins alike, by ascending position; there is rarely more than one."""
        found = [cls(*_positions(part)) for part in _parts(data, cls.SIZE)]
        for before, after in pairwise(found):
            if after.table <= before.table:
                raise Malformed("finding aid", expected=f"a position after {before.table}", found=after.table)
        return found


@dataclass(frozen=True, slots=True)
class RoundPositions:
    """Where the batch, the salt, the lock and the reveal of one round stand."""

    batch: int
    salt: int = 0
    lock: int = 0
    reveal: int = 0

    SIZE = 4 * POSITION_SIZE

    def __bytes__(self) -> bytes:
        return u64(self.batch) + u64(self.salt) + u64(self.lock) + u64(self.reveal)

    @classmethod
    def parse_file(cls, data: bytes) -> list[Self]:
        """Return the rounds of one file, in order, as far as they are committed."""
        return [cls(*_positions(part)) for part in _parts(data, cls.SIZE)]

    @classmethod
    def in_file(cls, data: bytes, round_number: int) -> Self | None:
        """Return the positions of one round from its file; `None` if the file ends before it."""
        _check_size(data, cls.SIZE)
        at = place_in_file(round_number) * cls.SIZE
        return cls(*_positions(data[at : at + cls.SIZE])) if at < len(data) else None


def tables_path(table_id: bytes) -> str:
    """Return the file of all tables whose id begins with the same four bytes."""
    return hashed_path("find/tables", table_id[:PREFIX_SIZE].hex())


def rounds_path(table_id: bytes, round_number: int) -> str:
    """Return the file that holds a round's positions, at place ``(round - 1) % 256``."""
    return f"{hashed_path('find/rounds', table_id.hex())}/{number_path((round_number - 1) // ROUNDS_PER_FILE)}"


def place_in_file(round_number: int) -> int:
    """Return which of the file's entries is the round's."""
    return (round_number - 1) % ROUNDS_PER_FILE


def _parts(data: bytes, size: int) -> list[bytes]:
    _check_size(data, size)
    return [data[at : at + size] for at in range(0, len(data), size)]


def _check_size(data: bytes, size: int) -> None:
    if not data or len(data) % size or len(data) > ROUNDS_PER_FILE * size:
        raise Malformed("finding aid", expected=f"1 to {ROUNDS_PER_FILE} times {size} bytes", found=len(data))


def _positions(part: bytes) -> list[int]:
    return [int.from_bytes(part[at : at + POSITION_SIZE], "big") for at in range(0, len(part), POSITION_SIZE)]
