"""Where the records of tables and rounds stand: by the finding aids (SPEC 5.4), or by reading every record
(`whole_log`).

The aids are hints, which nobody signs. They may be ahead of the checkpoint: what is not in its log yet is `None`
here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fairness.checks import Check
from fairness.errors import Malformed, Missing, NotShown
from fairness.log.tiles import AuthenticTiles, ReadFile
from fairness.round.finding_aids import PREFIX_SIZE, RoundPositions, TablePositions, rounds_path, tables_path


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


class Positions(Protocol):
    """Finds records. What it leads to is checked by whoever reads it."""

    @property
    def is_whole(self) -> bool:
        """Whether every record was read, so that what is not found is not there."""

    def tables_beginning(self, prefix: bytes) -> list[TableHints]:
        """Return the tables whose ids begin with the first four bytes of ``prefix``."""

    def round_positions(self, table_id: bytes, number: int) -> RoundHints | None:
        """Return where a round's records may stand; `None` if no such round is known."""

    def check_single(self, table_id: bytes, number: int) -> None:
        """Check that no other record contradicts those of a round, as far as records were read. Raises
        `CheckFailed`.
        """


class AidPositions:
    """Positions by the finding aids of a log. Raises `NotShown` for an aid that is false, and `Unreadable`."""

    is_whole = False

    def __init__(self, tiles: AuthenticTiles, read: ReadFile) -> None:
        self._tiles, self._read = tiles, read

    def tables_beginning(self, prefix: bytes) -> list[TableHints]:
        """Answer as `Positions` says, as far as the hints show."""
        path = tables_path(prefix)
        try:
            found = TablePositions.parse_file(self._read(path))
        except Missing:
            return []
        except Malformed as error:
            raise _false_aid(path, error) from error
        size = self._tiles.checkpoint.size
        tables = [TableHints(each.table, self._hint(each.end)) for each in found if each.table < size]
        # By their hashes, before any of them is read: a hint may lead to a record that is newer than this program.
        for hint in tables:
            leaf = self._tiles.leaf(hint.table)
            if leaf[:PREFIX_SIZE] != prefix[:PREFIX_SIZE]:
                expected = f"a table whose id begins with {prefix[:PREFIX_SIZE].hex()}"
                raise NotShown(Check.ROUND_RECORDS, expected=expected, found=leaf.hex(), index=hint.table, where=path)
        return tables

    def round_positions(self, table_id: bytes, number: int) -> RoundHints | None:
        """Answer as `Positions` says, as far as the hints show."""
        path = rounds_path(table_id, number)
        try:
            found = RoundPositions.in_file(self._read(path), number)
        except Missing:
            return None
        except Malformed as error:
            raise _false_aid(path, error) from error
        if found is None:
            return None
        return RoundHints(*map(self._hint, (found.batch, found.salt, found.lock, found.reveal)))

    def check_single(self, table_id: bytes, number: int) -> None:
        """Check that aids name one record of a kind."""

    def _hint(self, position: int) -> int | None:
        """Return a position that a finding aid names, if the log reaches it; 0 says that there is no record yet."""
        return position if 0 < position < self._tiles.checkpoint.size else None


def _false_aid(path: str, error: Malformed) -> NotShown:
    return NotShown(Check.ROUND_RECORDS, expected=error.expected, found=error.found, where=path)
