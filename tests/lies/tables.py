"""Lies in a table's own record, and records of a table that was never made."""

from __future__ import annotations

from fairness.checks import Check
from tests.lies import Lie, changed, misplaced
from tests.support.dishonest_operator import BETS, Operator


def _closed(operator: Operator) -> Operator:
    operator.end("keno-1")
    operator.close("keno-1")
    return operator


def _custodians(count: int) -> list[str]:
    return [f"house-{number}" for number in range(count)]


LIES: list[Lie] = [
    changed("a table's name twice", Check.TABLE_NEW, lambda op: op.table("keno-2", "keno-express", table="keno-1")),
    changed(
        "a table's name twice, for another game", Check.TABLE_NEW, lambda op: op.table("x", "hi-lo", table="crash-1")
    ),
    changed(
        "the name of a table that is closed",
        Check.TABLE_NEW,
        lambda op: _closed(op).table("keno-2", "keno-express", table="keno-1"),
    ),
    changed("a table of another log", Check.TABLE_ORIGIN, lambda op: op.table("x", "crash", log="other.example/log")),
    changed(
        "a log's origin with a slash more", Check.TABLE_ORIGIN, lambda op: op.table("x", "crash", log=f"{op.origin}/")
    ),
    changed(
        "a log's origin in upper case", Check.TABLE_ORIGIN, lambda op: op.table("x", "crash", log=op.origin.upper())
    ),
    changed("a log without a name", Check.TABLE_ORIGIN, lambda op: op.table("x", "crash", log="")),
    changed("a lead below that of crash", Check.TABLE_LEAD, lambda op: op.table("x", "crash", lead=9)),
    changed("a lead below that of rocketon", Check.TABLE_LEAD, lambda op: op.table("x", "rocketon", lead=9)),
    changed("a lead below that of hi-lo", Check.TABLE_LEAD, lambda op: op.table("x", "hi-lo", lead=9)),
    changed("a lead below that of sic-bo", Check.TABLE_LEAD, lambda op: op.table("x", "sic-bo", lead=4)),
    changed("a lead below that of penalty", Check.TABLE_LEAD, lambda op: op.table("x", "penalty", lead=9)),
    changed("a lead below that of keno-express", Check.TABLE_LEAD, lambda op: op.table("x", "keno-express", lead=1)),
    changed("no lead", Check.TABLE_LEAD, lambda op: op.table("x", "crash", lead=0)),
    changed("a lead above 1000", Check.TABLE_LEAD, lambda op: op.table("x", "crash", lead=1001)),
    changed("a salt that is no beacon", Check.TABLE_SALT, lambda op: op.table("x", "crash", salt="dice")),
    changed("a salt that is a number", Check.RECORD_FORM, lambda op: op.table("x", "crash", salt=0)),
    changed("bets that are optional", Check.RECORD_FORM, lambda op: op.table("x", "crash", bets="optional")),
    changed("bets that are true", Check.RECORD_FORM, lambda op: op.table("x", "crash", bets=True)),
    changed("a digest in a table's record", Check.RECORD_FORM, lambda op: op.table("x", "crash", bets=BETS)),
    changed("a game in upper case", Check.RECORD_FORM, lambda op: op.table("x", "crash", game="Crash")),
    changed("a table without a name", Check.RECORD_FORM, lambda op: op.table("x", "crash", table="")),
    changed("a table's name of 33 characters", Check.RECORD_FORM, lambda op: op.table("x", "crash", table="x" * 33)),
    changed("a table's name in upper case", Check.RECORD_FORM, lambda op: op.table("x", "crash", table="Crash-2")),
    changed(
        "a table's name with an underscore", Check.RECORD_FORM, lambda op: op.table("x", "crash", table="crash_2")
    ),
    changed("a table's name with a space", Check.RECORD_FORM, lambda op: op.table("x", "crash", table="crash 2")),
    changed("no custodian", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=[])),
    changed("nine custodians", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=_custodians(9))),
    changed("a custodian twice", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=["lab", "lab"])),
    changed("a custodian without a name", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=[""])),
    changed("a custodian in upper case", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=["House"])),
    changed("a custodian with a dot", Check.RECORD_FORM, lambda op: op.table("x", "crash", custodians=["a.b"])),
    changed(
        "a custodian's name of 33 characters",
        Check.RECORD_FORM,
        lambda op: op.table("x", "crash", custodians=["x" * 33]),
    ),
    changed("a batch of no table", Check.TABLE_KNOWN, lambda op: op.batch("keno-1", 4, table="keno-9")),
    misplaced("a salt of no table", Check.TABLE_KNOWN, lambda op: op.salt("keno-1", table="keno-9")),
    changed("a lock of no table", Check.TABLE_KNOWN, lambda op: op.lock("keno-1", table="keno-9")),
    changed("an end of no table", Check.TABLE_KNOWN, lambda op: op.end("keno-1", table="keno-9")),
    changed(
        "a reveal of no table",
        Check.TABLE_KNOWN,
        lambda op: (op.lock("keno-1"), op.reveal("keno-1", table="keno-9")),
    ),
    changed(
        "a close of no table",
        Check.TABLE_KNOWN,
        lambda op: (op.end("keno-1"), op.close("keno-1", table="keno-9")),
    ),
]
