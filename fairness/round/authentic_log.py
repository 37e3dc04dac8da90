"""Single records of a log, found by its finding aids (SPEC 5.4) and vouched for by its checkpoint.

The aids are hints. Whatever they point at is checked against the log here, and against what it is
claimed to be by whoever asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import SignedCheckpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import AuthenticTiles, ReadFile
from fairness.records.record import Record, parse_record
from fairness.round.finding_aids import RoundPositions, TablePositions, place_in_file, rounds_path, tables_path

AnyRecord = TypeVar("AnyRecord", bound=Record)
_CACHED_FILES = 64


@dataclass(frozen=True, slots=True)
class Placed(Generic[AnyRecord]):
    """A record that stands in the log at ``index``."""

    record: AnyRecord
    index: int
    record_id: bytes
    """The leaf hash of its bytes."""


def read_placed(data: bytes, index: int, kind: type[AnyRecord], what: str) -> Placed[AnyRecord]:
    """The record that these bytes at ``index`` are, which must be of this ``kind``."""
    try:
        record = parse_record(data)
    except Malformed as error:
        raise CheckFailed(Check.RECORD_FORM, expected=error.expected, found=error.found, index=index) from error
    if not isinstance(record, kind):
        raise CheckFailed(Check.ROUND_RECORDS, expected=what, found=f"a {record.type} record", index=index)
    return Placed(record, index, leaf_hash(data))


class AuthenticLog:
    """What a signed checkpoint vouches for."""

    def __init__(self, read: ReadFile, key: VerifierKey) -> None:
        """Read the checkpoint. Raises `CheckFailed` or `Unreadable`."""
        # Records that lie close together share their bundle, and rounds their file of positions.
        self.read = lru_cache(maxsize=_CACHED_FILES)(read)
        self.head = SignedCheckpoint.open(read("checkpoint"), key)
        self.checkpoint = self.head.checkpoint
        self.tiles = AuthenticTiles(self.checkpoint, self.read)

    def record(self, index: int, kind: type[AnyRecord], what: str) -> Placed[AnyRecord]:
        """The record at ``index``, which must be of this ``kind``."""
        if index >= self.checkpoint.size:
            expected = f"{what} among the {self.checkpoint.size} records of the checkpoint"
            raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=f"a hint at record {index}")
        data = self.tiles.record(index)
        return read_placed(data, index, kind, what)

    def tables_beginning(self, prefix: bytes) -> list[TablePositions]:
        """Where tables may stand whose ids begin with these four bytes."""
        path = tables_path(prefix)
        try:
            return TablePositions.parse_file(self.read(path))
        except Missing:
            return []
        except Malformed as error:
            raise _false_hint(path, error) from error

    def round_positions(self, table_id: bytes, number: int) -> RoundPositions | None:
        """Where a round's records may stand; `None` where the aids know no such round."""
        path = rounds_path(table_id, number)
        try:
            rounds = RoundPositions.parse_file(self.read(path))
        except Missing:
            return None
        except Malformed as error:
            raise _false_hint(path, error) from error
        place = place_in_file(number)
        return rounds[place] if place < len(rounds) else None


def _false_hint(path: str, error: Malformed) -> CheckFailed:
    return CheckFailed(Check.ROUND_RECORDS, expected=error.expected, found=error.found, where=path)
