"""The numbers of every round that ended, gathered while its records are audited.

An audit forgets a round once it has checked it. Statistics need all of them at once, so here a round
becomes one short row of numbers, which passes between processes and into arrays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from struct import Struct as Packing

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from fairness.draws.game import Outcome
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord, parse_records

ROW_FIELDS = (
    *(("round", "<i8"), ("lock_position", "<i8"), ("reveal_position", "<i8")),
    *(("opened", "<i8"), ("locked", "<i8"), ("revealed", "<i8"), ("bets", "<i8")),
    *(("outcome", "<i4"), ("reason", "<i4"), ("played", "?"), ("given_up", "?")),
)
"""A row as a numpy type. Times are milliseconds since 1970, ``bets`` is the count of the digest; -1 if there is none.
``outcome`` is an index in ``outcomes``, ``reason`` one in ``reasons``, or -1."""

_ROW = Packing("<7q2i2?")
_MINUTE = 16
NONE = -1


class BatchRow(Struct, frozen=True):
    """What statistics need of a batch."""

    number: int
    first: int
    last: int
    position: int
    """The index of its record."""
    fixed_position: int
    """The index of the record that fixed its rounds: its salt, or its own if its table has no salt; -1 while it
    awaits its salt.
    """
    committed: int
    rules: dict[str, int]


class LockedRow(Struct, frozen=True):
    """A lock, until its reveal comes."""

    position: int
    opened: int
    locked: int
    bets: int
    reason: int


class RoundRows(Struct):
    """One table's rounds, in their order."""

    game: str
    lead: int
    declaration: str = ""
    """As it stands in the table's record; empty for a game that records know by its name."""
    outcomes: dict[str, int] = field(default_factory=dict)
    """Every outcome as JSON, numbered in the order of first appearance."""
    batches: list[BatchRow] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    """Every reason of a void round, numbered in the order of first appearance."""
    rows: list[bytes] = field(default_factory=list)
    """Blocks of any number of rows."""
    locked: LockedRow | None = None
    """The round that is locked but not revealed yet."""

    def add(self, index: int, record: object) -> bytes:
        """Add the table's next record, already checked. Returns the row of the round that it ended, or nothing."""
        if isinstance(record, LockRecord):
            opened = NONE if record.opened is UNSET else _milliseconds(record.opened)
            bets = NONE if record.bets is UNSET else record.bets.count
            self.locked = LockedRow(index, opened, _milliseconds(record.locked), bets, self._place_of(record.reason))
        elif isinstance(record, RevealRecord) and self.locked is not None:
            lock, self.locked = self.locked, None
            reason = lock.reason if record.reason is UNSET else self._place_of(record.reason)
            return _ROW.pack(
                *(record.round, lock.position, index, lock.opened, lock.locked, _milliseconds(record.revealed)),
                lock.bets,
                self.number_of(record.outcome),
                *(reason, record.status == "played", lock.reason != NONE),
            )
        elif isinstance(record, BatchRecord):
            last, committed = record.first + record.count - 1, _milliseconds(record.committed)
            fixed = index if record.beacon is UNSET else NONE
            self.batches.append(BatchRow(record.batch, record.first, last, index, fixed, committed, record.rules))
        elif isinstance(record, SaltRecord):
            self.batches[record.batch - 1] = replace(self.batches[record.batch - 1], fixed_position=index)
        return b""

    def number_of(self, outcome: Outcome) -> int:
        """Return an index in ``outcomes``."""
        return self.outcomes.setdefault(msgspec.json.encode(outcome).decode(), len(self.outcomes))

    def _place_of(self, reason: str | UnsetType) -> int:
        return NONE if reason is UNSET else self.reasons.setdefault(reason, len(self.reasons))


def gather(gathered: dict[str, RoundRows], run: Sequence[tuple[int, bytes]]) -> None:
    """Add records of one table, each with its index, all of which replay accepted."""
    records = parse_records([data for _, data in run])
    if records and isinstance(records[0], TableRecord):
        gathered[records[0].table] = RoundRows(records[0].game, records[0].lead, records[0].declaration_text)
    if records:
        table = gathered[records[0].table]
        table.rows.append(
            b"".join([table.add(index, record) for (index, _), record in zip(run, records, strict=True)])
        )


def _milliseconds(time: str) -> int:
    # The time was already checked; neighbouring records share their minute, so that part is cached.
    return _minute(time[:_MINUTE]) + int(time[17:19]) * 1000 + int(time[20:23])


@lru_cache(maxsize=4096)
def _minute(text: str) -> int:
    return int(datetime.fromisoformat(text + "+00:00").timestamp()) * 1000
