"""Times that go backwards, and texts that are no times."""

from __future__ import annotations

from fairness.checks import Check
from tests.lies import Lie, changed
from tests.support.dishonest_operator import Operator, just_before


def _too_early(operator: Operator) -> str:
    """A millisecond before the latest time of ``keno-1``."""
    return just_before(operator.tables["keno-1"].latest)


def _locked(operator: Operator) -> Operator:
    operator.lock("keno-1")
    return operator


def _ended(operator: Operator) -> Operator:
    operator.end("keno-1")
    return operator


def _first_batch(operator: Operator) -> object:
    operator.table("x", "crash")
    return operator.batch("x", 5, committed=just_before(operator.tables["x"].created))


def _given_up(operator: Operator) -> Operator:
    operator.give_up("keno-1")
    return operator


ORDER_LIES: list[Lie] = [
    changed("committed before the table was made", Check.TIME_ORDER, _first_batch),
    changed(
        "committed before the last record",
        Check.TIME_ORDER,
        lambda op: op.batch("keno-1", 4, committed=_too_early(op)),
    ),
    changed(
        "committed before the round was locked",
        Check.TIME_ORDER,
        lambda op: _locked(op).batch("keno-1", 4, committed=_too_early(op)),
    ),
    changed(
        "locked before the round before ended",
        Check.TIME_ORDER,
        lambda op: op.lock("keno-1", locked=_too_early(op), opened=_too_early(op)),
    ),
    changed(
        "locked before a batch was committed",
        Check.TIME_ORDER,
        lambda op: (op.batch("keno-1", 4), op.lock("keno-1", locked=_too_early(op), opened=_too_early(op))),
    ),
    changed(
        "given up before the round before ended",
        Check.TIME_ORDER,
        lambda op: op.give_up("keno-1", locked=_too_early(op)),
    ),
    changed(
        "revealed before it was locked",
        Check.TIME_ORDER,
        lambda op: _locked(op).reveal("keno-1", revealed=_too_early(op)),
    ),
    changed(
        "void before it was locked",
        Check.TIME_ORDER,
        lambda op: _locked(op).void("keno-1", revealed=_too_early(op)),
    ),
    changed(
        "revealed before it was given up",
        Check.TIME_ORDER,
        lambda op: _given_up(op).reveal("keno-1", revealed=_too_early(op)),
    ),
    changed("ended before the last reveal", Check.TIME_ORDER, lambda op: op.end("keno-1", ended=_too_early(op))),
    changed("closed before the end", Check.TIME_ORDER, lambda op: _ended(op).close("keno-1", closed=_too_early(op))),
]

NOT_A_TIME = {
    "the 30th of February": "2028-02-30T22:49:01.123Z",
    "the 29th of February of a common year": "2027-02-29T22:49:01.123Z",
    "the 29th of February 2100": "2100-02-29T22:49:01.123Z",
    "the 31st of April": "2027-04-31T22:49:01.123Z",
    "the 13th month": "2027-13-01T22:49:01.123Z",
    "month 0": "2027-00-01T22:49:01.123Z",
    "day 0": "2027-01-00T22:49:01.123Z",
    "hour 24": "2027-01-01T24:00:00.000Z",
    "minute 60": "2027-01-01T22:60:01.123Z",
    "second 60": "2027-01-01T23:59:60.000Z",
    "the year 1999": "1999-12-31T23:59:59.999Z",
    "the year 3000": "3000-01-01T00:00:00.000Z",
    "the year 12026": "12026-11-20T22:49:01.123Z",
    "no zone": "2027-01-01T22:49:01.123",
    "an offset for a zone": "2027-01-01T22:49:01.123+00:00",
    "a zone in lower case": "2027-01-01T22:49:01.123z",
    "a t in lower case": "2027-01-01t22:49:01.123Z",
    "a space for the T": "2027-01-01 22:49:01.123Z",
    "no fraction": "2027-01-01T22:49:01Z",
    "two decimals": "2027-01-01T22:49:01.12Z",
    "four decimals": "2027-01-01T22:49:01.1234Z",
    "a comma for the point": "2027-01-01T22:49:01,123Z",
    "no hyphens": "20270101T224901.123Z",
    "a day of one digit": "2027-01-1T22:49:01.123Z",
    "a week date": "2027-W01-1T22:49:01.123Z",
    "a space before": " 2027-01-01T22:49:01.123Z",
    "a space after": "2027-01-01T22:49:01.123Z ",
    "a sign": "+027-01-01T22:49:01.123Z",
    "a space for a digit": "2027-01-01T22:49: 1.123Z",
    "nothing": "",
    "a number": 1_795_214_941_123,
}


def _not_a_time(name: str, time: object) -> Lie:
    return changed(f"a time that is {name}", Check.RECORD_FORM, lambda op: op.lock("keno-1", locked=time))


HOUR_24 = NOT_A_TIME["hour 24"]

FORM_LIES: list[Lie] = [
    *(_not_a_time(name, time) for name, time in NOT_A_TIME.items()),
    changed("created at hour 24", Check.RECORD_FORM, lambda op: op.table("x", "crash", created=HOUR_24)),
    changed("committed at hour 24", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, committed=HOUR_24)),
    changed("opened at hour 24", Check.RECORD_FORM, lambda op: op.lock("keno-1", opened=HOUR_24)),
    changed("revealed at hour 24", Check.RECORD_FORM, lambda op: _locked(op).reveal("keno-1", revealed=HOUR_24)),
    changed("ended at hour 24", Check.RECORD_FORM, lambda op: op.end("keno-1", ended=HOUR_24)),
    changed("closed at hour 24", Check.RECORD_FORM, lambda op: _ended(op).close("keno-1", closed=HOUR_24)),
]

LIES = ORDER_LIES + FORM_LIES
