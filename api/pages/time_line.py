"""When a round was committed, locked and revealed, and where in the log: read from the published log."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from api.log.publication import Publication
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord
from fairness.round.authentic_log import AnyRecord, AuthenticLog, Placed, RoundHints
from fairness.round.finder import first_locked_after

_NONE = RoundHints(None, None, None, None)


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A round's records, each `None` until it is published, and their positions."""

    at: RoundHints
    batch: BatchRecord | None
    salt: SaltRecord | None
    lock: LockRecord | None
    reveal: RevealRecord | None
    first_after: int | None
    """The first of the table's rounds that was not locked before this one was fixed, or this round itself; `None` until it is fixed."""


def time_line(publication: Publication, table_id: bytes, lead: int, number: int) -> TimeLine:
    """The time line of a committed round. With a salt, the salt's record fixes it, otherwise its batch."""
    log = publication.newest()
    at = _hints(log, table_id, number)
    batch = _placed(log, at.batch, BatchRecord)
    fixed = at.batch if batch is not None and batch.record.beacon is UNSET else at.salt
    return TimeLine(
        at,
        batch=None if batch is None else batch.record,
        salt=_record(log, at.salt, SaltRecord),
        lock=_record(log, at.lock, LockRecord),
        reveal=_record(log, at.reveal, RevealRecord),
        first_after=None
        if batch is None or fixed is None
        else first_locked_after(fixed, batch.record, number, lead, lambda each: _hints(log, table_id, each).lock),
    )


def _hints(log: AuthenticLog | None, table_id: bytes, number: int) -> RoundHints:
    return (None if log is None else log.round_positions(table_id, number)) or _NONE


def _record(log: AuthenticLog | None, position: int | None, kind: type[AnyRecord]) -> AnyRecord | None:
    placed = _placed(log, position, kind)
    return None if placed is None else placed.record


def _placed(log: AuthenticLog | None, position: int | None, kind: type[AnyRecord]) -> Placed[AnyRecord] | None:
    return None if log is None or position is None else log.record(position, kind, f"a {kind.__name__}")
