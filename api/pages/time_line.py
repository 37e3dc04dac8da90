"""When a round was committed, locked and revealed, and where in the log: read from the published log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import UNSET

from api.log.publication import Publication
from api.pages.before_pulse import BeforePulse, before_pulse
from fairness.beacon.chain import Beacons
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, encode_record
from fairness.records.table_state import TableState
from fairness.round.authentic_log import AnyRecord, AuthenticLog, Placed
from fairness.round.finder import first_locked_after
from fairness.round.positions import RoundHints

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
    """The first of the table's rounds that was not locked before this one was fixed, or this round itself; `None`
    until it is fixed.
    """
    before_pulse: BeforePulse | None
    """Who had seen the batch before its pulse; `None` if it names none, or is not published."""
    texts: Mapping[int | None, str]
    """The published records by their positions, as they are spelled in the log."""


def time_line(publication: Publication, table: TableState, number: int, beacons: Beacons) -> TimeLine:
    """Return the time line of a committed round. With a salt, the salt's record fixes it, otherwise its batch."""
    log = publication.newest()
    at = _hints(log, table.table_id, number)
    batch = _placed(log, at.batch, BatchRecord)
    salt = _placed(log, at.salt, SaltRecord)
    lock = _placed(log, at.lock, LockRecord)
    reveal = _placed(log, at.reveal, RevealRecord)
    fixed = at.batch if batch is not None and batch.record.beacon is UNSET else at.salt
    return TimeLine(
        at,
        batch=None if batch is None else batch.record,
        salt=None if salt is None else salt.record,
        lock=None if lock is None else lock.record,
        reveal=None if reveal is None else reveal.record,
        first_after=None
        if batch is None or fixed is None
        else first_locked_after(
            fixed, batch.record, number, table.lead, lambda each: _hints(log, table.table_id, each).lock
        ),
        before_pulse=None if log is None or batch is None else before_pulse(log, batch, table.salt, beacons),
        # A record has one spelling, so these are its bytes in the log.
        texts={
            each.index: encode_record(each.record).decode()
            for each in (batch, salt, lock, reveal)
            if each is not None
        },
    )


def _hints(log: AuthenticLog | None, table_id: bytes, number: int) -> RoundHints:
    return (None if log is None else log.round_positions(table_id, number)) or _NONE


def _placed(log: AuthenticLog | None, position: int | None, kind: type[AnyRecord]) -> Placed[AnyRecord] | None:
    return None if log is None or position is None else log.record(position, kind, f"a {kind.__name__}")
