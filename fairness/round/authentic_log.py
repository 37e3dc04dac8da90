"""Single records of a log, found by its finding aids (SPEC 5.4) and vouched for by its checkpoint.

The aids are hints. Whatever they point at is checked against the log here, and against what it is
claimed to be by the caller. They may be ahead of the checkpoint: what is not in its log yet is `None` here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Missing, Unknown
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.proof import Inclusion, Proven, TlogProof
from fairness.log.tiles import AuthenticTiles, ReadFile
from fairness.policy.head import Head
from fairness.policy.policy import Trust
from fairness.records.record import (
    NewerRecord,
    Record,
    TableRecord,
    aside_of,
    encode_record,
    newer_record,
    parse_record,
)
from fairness.round.finding_aids import PREFIX_SIZE, RoundPositions, TablePositions, rounds_path, tables_path

AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True, slots=True)
class Placed(Generic[AnyRecord]):
    """A record that stands in the log at ``index``."""

    record: AnyRecord
    index: int
    record_id: bytes
    """The leaf hash of its bytes."""


@dataclass(frozen=True, slots=True)
class RoundHints:
    """Where the records of a round may stand, each `None` while the log lacks it."""

    batch: int | None
    salt: int | None
    lock: int | None
    reveal: int | None


@dataclass(frozen=True, slots=True)
class TableHints:
    """Where the record of a table stands, and where its end may, `None` while the log lacks it."""

    table: int
    end: int | None


def read_placed(
    data: bytes, index: int, kind: type[AnyRecord], what: str, table: str | None = None
) -> Placed[AnyRecord]:
    """The record that these bytes at ``index`` are, which must be of this ``kind``.

    Raises `CheckFailed`; `Unknown` if it may be of a table of a later version. ``table`` is the name of the one that was read
    before, or is to be read now.
    """
    try:
        record = parse_record(data)
    except Malformed as error:
        raise CheckFailed(Check.RECORD_FORM, expected=error.expected, found=error.found, index=index) from error
    except Unknown as error:
        newer = newer_record(data) or aside_of(data)
        if newer is None:
            raise
        if isinstance(newer, NewerRecord) and table in {None, newer.table}:
            if table is None or kind is TableRecord:
                raise
            expected, found = "a record of version 1, as the table is", f"one of version {newer.v}"
            raise CheckFailed(Check.RECORD_FORM, expected=expected, found=found, index=index) from error
        # Whatever it says, nobody had to be led to it: a finding aid or a file is false.
        found = f"a {newer.type} record of {newer.table}"
        raise CheckFailed(Check.ROUND_RECORDS, expected=what, found=found, index=index) from error
    if not isinstance(record, kind):
        raise CheckFailed(Check.ROUND_RECORDS, expected=what, found=f"a {record.type} record", index=index)
    return Placed(record, index, leaf_hash(data))


class AuthenticLog:
    """What a signed checkpoint vouches for."""

    def __init__(self, read: ReadFile, head: Head) -> None:
        """Check the log's right edge against its ``head``. Raises `CheckFailed` or `Unreadable`."""
        self.read = read
        self.head = head
        self.checkpoint = head.checkpoint
        self.tiles = AuthenticTiles(self.checkpoint, read)

    @classmethod
    def open(cls, read: ReadFile, trust: Trust) -> Self:
        """The log of the present checkpoint. Raises `CheckFailed` or `Unreadable`."""
        return cls(read, Head.open(read(CHECKPOINT), trust))

    @property
    def size(self) -> int:
        """How many records the log has."""
        return self.checkpoint.size

    def holds(self, index: int, leaf: bytes) -> bool:
        """Whether the record with this leaf hash stands at ``index``."""
        return index < self.size and self.tiles.leaf(index) == leaf

    def prove(self, placed: Placed[AnyRecord]) -> Proven:
        """A record of this log, with its proof."""
        # A record has one spelling, so these are its bytes in the log.
        return Proven(encode_record(placed.record), TlogProof(self.inclusion(placed.index), self.head.note))

    def inclusion(self, index: int) -> Inclusion:
        """The proof that the record at ``index`` stands there."""
        return Inclusion(index, tuple(self.tiles.inclusion_path(index)))

    def record(self, index: int, kind: type[AnyRecord], what: str, table: str | None = None) -> Placed[AnyRecord]:
        """The record at ``index``, as `read_placed` reads it."""
        if index >= self.size:
            expected = f"{what} among the {self.size} records of the checkpoint"
            raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=f"a hint at record {index}")
        data = self.tiles.record(index)
        return read_placed(data, index, kind, what, table)

    def tables_beginning(self, prefix: bytes) -> list[TableHints]:
        """The tables whose ids begin with the first four bytes of ``prefix``, as far as the hints show."""
        path = tables_path(prefix)
        try:
            found = TablePositions.parse_file(self.read(path))
        except Missing:
            return []
        except Malformed as error:
            raise _false_hint(path, error) from error
        tables = [TableHints(each.table, self._hint(each.end)) for each in found if each.table < self.size]
        # By their hashes, before any of them is read: a hint may lead to a record that is newer than this program.
        for hint in tables:
            leaf = self.tiles.leaf(hint.table)
            if leaf[:PREFIX_SIZE] != prefix[:PREFIX_SIZE]:
                expected = f"a table whose id begins with {prefix[:PREFIX_SIZE].hex()}"
                raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=leaf.hex(), index=hint.table)
        return tables

    def round_positions(self, table_id: bytes, number: int) -> RoundHints | None:
        """Where a round's records may stand; `None` if the aids know no such round."""
        path = rounds_path(table_id, number)
        try:
            found = RoundPositions.in_file(self.read(path), number)
        except Missing:
            return None
        except Malformed as error:
            raise _false_hint(path, error) from error
        if found is None:
            return None
        return RoundHints(*map(self._hint, (found.batch, found.salt, found.lock, found.reveal)))

    def _hint(self, position: int) -> int | None:
        """A position that a finding aid names, if the log reaches it; 0 says that there is no record yet."""
        return position if 0 < position < self.size else None


def _false_hint(path: str, error: Malformed) -> CheckFailed:
    return CheckFailed(Check.ROUND_RECORDS, expected=error.expected, found=error.found, where=path)
