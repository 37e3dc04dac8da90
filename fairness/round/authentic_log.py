"""Single records of a log, found by its finding aids (SPEC 5.4) or by reading all, and vouched for by its checkpoint.

The aids are hints. Whatever they point at is checked against the log here, and against what it is
claimed to be by the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, NotShown, Unknown
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
from fairness.round.positions import AidPositions, Positions, RoundHints, TableHints

AnyRecord = TypeVar("AnyRecord", bound=Record)


@contextmanager
def by_a_hint() -> Iterator[None]:
    """Turn a failure into `NotShown`: nobody signs a hint, so one that leads to another record than it should is
    evidence against nobody.
    """
    try:
        yield
    except CheckFailed as failure:
        if failure.check is not Check.ROUND_RECORDS:
            raise
        raise NotShown(
            failure.check,
            expected=failure.expected,
            found=failure.found,
            index=failure.index,
            where=failure.where,
        ) from failure


@dataclass(frozen=True, slots=True)
class Placed(Generic[AnyRecord]):
    """A record that stands in the log at ``index``."""

    record: AnyRecord
    index: int
    record_id: bytes
    """The leaf hash of its bytes."""


def read_placed(
    data: bytes, index: int, kind: type[AnyRecord], what: str, table: str | None = None
) -> Placed[AnyRecord]:
    """Return the record that these bytes at ``index`` are, which must be of this ``kind``.

    Raises `CheckFailed`; `Unknown` if it may be of a table of a later version. ``table`` is the name of the one that
    was read before, or is to be read now.
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
        self.positions: Positions = AidPositions(self.tiles, read)
        """How records are found; whoever reads all of them replaces it."""

    @classmethod
    def open(cls, read: ReadFile, trust: Trust) -> Self:
        """Return the log of the present checkpoint. Raises `CheckFailed` or `Unreadable`."""
        return cls(read, Head.open(read(CHECKPOINT), trust))

    @property
    def size(self) -> int:
        """How many records the log has."""
        return self.checkpoint.size

    def holds(self, index: int, leaf: bytes) -> bool:
        """Return whether the record with this leaf hash stands at ``index``."""
        return index < self.size and self.tiles.leaf(index) == leaf

    def prove(self, placed: Placed[AnyRecord]) -> Proven:
        """Return a record of this log, with its proof."""
        # A record has one spelling, so these are its bytes in the log.
        return Proven(encode_record(placed.record), TlogProof(self.inclusion(placed.index), self.head.note))

    def inclusion(self, index: int) -> Inclusion:
        """Return the proof that the record at ``index`` stands there."""
        return Inclusion(index, tuple(self.tiles.inclusion_path(index)))

    def record(self, index: int, kind: type[AnyRecord], what: str, table: str | None = None) -> Placed[AnyRecord]:
        """Return the record at ``index``, as `read_placed` reads it; `NotShown` if a hint led to another record than
        such a one.
        """
        if index >= self.size:
            expected = f"{what} among the {self.size} records of the checkpoint"
            raise NotShown(Check.ROUND_RECORDS, expected=expected, found=f"a hint at record {index}")
        data = self.tiles.record(index)
        with by_a_hint():
            return read_placed(data, index, kind, what, table)

    def table(self, index: int) -> Placed[TableRecord] | None:
        """Return the table record at ``index``, likewise; `None` if it is of a later version, which nothing of
        version 1 names (SPEC 4.9).
        """
        try:
            return self.record(index, TableRecord, "a table record")
        except Unknown:
            return None

    @property
    def is_whole(self) -> bool:
        """Whether every record was read, and not only what finding aids lead to."""
        return self.positions.is_whole

    @property
    def as_of(self) -> str:
        """What it rests on that something is not there, in words."""
        by = "all of which were read" if self.is_whole else "by its index"
        return f"as of the checkpoint of {self.size} records, {by}"

    def lacks(self, check: Check, *, expected: object, found: object, index: int | None = None) -> CheckFailed:
        """Return the failure of a ``check`` for want of a record that must be there: `NotShown`, unless every record
        was read.
        """
        if self.is_whole:
            return CheckFailed(check, expected=expected, found=found, index=index)
        return NotShown(check, expected=expected, found=f"{found}, {self.as_of}")

    def tables_beginning(self, prefix: bytes) -> list[TableHints]:
        """Return the tables whose ids begin with the first four bytes of ``prefix``, as far as the hints show."""
        return self.positions.tables_beginning(prefix)

    def round_positions(self, table_id: bytes, number: int) -> RoundHints | None:
        """Return where a round's records may stand; `None` if the aids know no such round.

        Raises `CheckFailed` if every record was read, and a second one contradicts one of these.
        """
        self.positions.check_single(table_id, number)
        return self.positions.round_positions(table_id, number)
