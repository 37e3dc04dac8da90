"""When a round was committed, locked and revealed, and where in the log: read from the published log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from api.log.publication import Publication
from api.service import Service
from fairness.errors import Malformed
from fairness.records.record import BatchRecord, LockRecord, Record, RevealRecord, SaltRecord, parse_record
from fairness.round.finding_aids import RoundPositions

AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A round's records, each `None` until it is published, and their positions."""

    at: RoundPositions
    batch: BatchRecord | None
    salt: SaltRecord | None
    lock: LockRecord | None
    reveal: RevealRecord | None
    first_after: int
    """The first of the table's rounds that was not locked before this one was committed, or this round itself."""


def time_line(service: Service, table_id: bytes, number: int) -> TimeLine:
    """The time line of a committed round."""
    published = service.publication
    at = published.positions(table_id, number)
    return TimeLine(
        at,
        batch=_record(published, at.batch, BatchRecord),
        salt=_record(published, at.salt, SaltRecord),
        lock=_record(published, at.lock, LockRecord),
        reveal=_record(published, at.reveal, RevealRecord),
        first_after=_first_after(published, table_id, at.batch, number),
    )


def _record(published: Publication, position: int, kind: type[AnyRecord]) -> AnyRecord | None:
    """The record at a position that the finding aids name; `None` while it is not published."""
    data = published.record(position) if position else None
    if data is None:
        return None
    try:
        record = parse_record(data)
    except Malformed:
        return None
    return record if isinstance(record, kind) else None


def _first_after(published: Publication, table_id: bytes, position: int, number: int) -> int:
    # Rounds are locked one after the other, so halving finds the first; a future lock is later than everything.
    low, high = 1, number
    while low < high:
        middle = (low + high) // 2
        if 0 < published.positions(table_id, middle).lock < position:
            low = middle + 1
        else:
            high = middle
    return low
