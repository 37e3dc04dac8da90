"""Lies in the record of a round's lock, and locks that the lead rule forbids."""

from __future__ import annotations

from fairness.checks import Check
from tests.lies import Lie, changed, misplaced
from tests.support.dishonest_operator import ABSENT, BETS, Operator, just_after, just_before

ROUND_10_OF_12 = 10 - 5
"""How many more rounds ``keno-1`` can play before its lead of 2 is used up."""


def _created(operator: Operator) -> str:
    return operator.tables["keno-1"].created


def _fresh(operator: Operator) -> Operator:
    """Another table, with enough committed for its first rounds."""
    operator.table("x", "keno-express")
    operator.batch("x", 6)
    return operator


def _requiring(operator: Operator) -> Operator:
    """Another table, whose locks must carry a digest of the bets; it has played one round."""
    operator.table("x", "keno-express", requires_bets=True)
    operator.batch("x", 6)
    return operator.play("x")


def _just_committed(operator: Operator, name: str, rounds: int, count: int = 4) -> str:
    """Play this many rounds of a table and commit a batch; return the latest moment that is too early for the next
    round.
    """
    operator.play(name, rounds)
    operator.batch(name, count)
    return just_before(operator.tables[name].latest)


LIES: list[Lie] = [
    changed("a round skipped", Check.LOCK_NEXT, lambda op: op.lock("keno-1", round=7)),
    changed("a round locked again after it ended", Check.LOCK_NEXT, lambda op: op.lock("keno-1", round=5)),
    changed("a first round that is not 1", Check.LOCK_NEXT, lambda op: _fresh(op).lock("x", round=2)),
    changed("a given-up round skips one", Check.LOCK_NEXT, lambda op: op.give_up("keno-1", round=7)),
    changed("a round 0", Check.RECORD_FORM, lambda op: op.lock("keno-1", round=0)),
    changed("a round of 2 to the 48th", Check.RECORD_FORM, lambda op: op.lock("keno-1", round=1 << 48)),
    misplaced(
        "a lock written twice", Check.LOCK_AFTER_REVEAL, lambda op: (op.lock("keno-1"), op.append(op.records[-1]))
    ),
    misplaced(
        "a lock before the last reveal", Check.LOCK_AFTER_REVEAL, lambda op: (op.lock("keno-1"), op.lock("keno-1"))
    ),
    misplaced(
        "a locked round given up",
        Check.LOCK_AFTER_REVEAL,
        lambda op: (op.lock("keno-1"), op.give_up("keno-1", round=6)),
    ),
    misplaced(
        "a given-up round locked",
        Check.LOCK_AFTER_REVEAL,
        lambda op: (op.give_up("keno-1"), op.lock("keno-1", round=6)),
    ),
    misplaced(
        "a round played before anything is committed",
        Check.LEAD_COMMITTED,
        lambda op: (op.table("x", "crash"), op.lock("x")),
    ),
    misplaced(
        "a first round with one round too few committed",
        Check.LEAD_COMMITTED,
        lambda op: (op.table("x", "crash"), op.batch("x", 10), op.lock("x")),
    ),
    misplaced(
        "a round played without its lead",
        Check.LEAD_COMMITTED,
        lambda op: op.play("keno-1", ROUND_10_OF_12).lock("keno-1"),
    ),
    misplaced(
        "a round given up without its lead",
        Check.LEAD_COMMITTED,
        lambda op: op.play("keno-1", ROUND_10_OF_12).give_up("keno-1"),
    ),
    misplaced(
        "a lead emptied by rounds given up in a row",
        Check.LEAD_COMMITTED,
        lambda op: op.drop("keno-1", ROUND_10_OF_12).give_up("keno-1"),
    ),
    misplaced(
        "a lead emptied by rounds given up in a row, then a round played",
        Check.LEAD_COMMITTED,
        lambda op: op.drop("keno-1", ROUND_10_OF_12).lock("keno-1"),
    ),
    misplaced(
        "a lead longer than the game's, not kept",
        Check.LEAD_COMMITTED,
        lambda op: (op.table("x", "keno-express", lead=9), op.batch("x", 9), op.lock("x")),
    ),
    changed(
        "opened before the last round of the lead was committed",
        Check.LEAD_OPENED,
        lambda op: op.lock("keno-1", opened=_just_committed(op, "keno-1", ROUND_10_OF_12)),
    ),
    changed(
        "opened before the whole lead was committed",
        Check.LEAD_OPENED,
        lambda op: op.lock("crash-1", opened=_just_committed(op, "crash-1", 8, 30)),
    ),
    changed(
        "the first round opened before it was committed",
        Check.LEAD_OPENED,
        lambda op: (op.table("x", "crash"), op.lock("x", opened=_just_committed(op, "x", 0, 30))),
    ),
    changed(
        "a given-up round opened before its lead was committed",
        Check.LEAD_OPENED,
        lambda op: op.give_up("keno-1", was_open=True, opened=_just_committed(op, "keno-1", ROUND_10_OF_12)),
    ),
    changed(
        "no digest where bets are required",
        Check.BETS_REQUIRED,
        lambda op: _requiring(op).lock("x", bets=ABSENT),
    ),
    changed(
        "no digest where bets are required, after a round given up",
        Check.BETS_REQUIRED,
        lambda op: _requiring(op).drop("x").lock("x", bets=ABSENT),
    ),
    changed(
        "opened before the table was made",
        Check.LOCK_OPENED,
        lambda op: op.lock("keno-1", opened=just_before(_created(op))),
    ),
    changed("opened when the table was made", Check.LEAD_OPENED, lambda op: op.lock("keno-1", opened=_created(op))),
    changed(
        "opened after its lock",
        Check.LOCK_OPENED,
        lambda op: op.lock("keno-1", opened=lambda _: just_after(op.tables["keno-1"].latest)),
    ),
    changed(
        "a given-up round opened after its lock",
        Check.LOCK_OPENED,
        lambda op: op.give_up("keno-1", was_open=True, opened=lambda _: just_after(op.tables["keno-1"].latest)),
    ),
    changed(
        "neither opened nor given up", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets=ABSENT, opened=ABSENT)
    ),
    changed("bets on a round that was not opened", Check.RECORD_FORM, lambda op: op.lock("keno-1", opened=ABSENT)),
    changed("given up without a reason", Check.RECORD_FORM, lambda op: op.give_up("keno-1", reason=ABSENT)),
    changed("bets on a round that is given up", Check.RECORD_FORM, lambda op: op.give_up("keno-1", bets=BETS)),
    changed(
        "bets on an opened round that is given up",
        Check.RECORD_FORM,
        lambda op: op.give_up("keno-1", was_open=True, bets=BETS),
    ),
    changed("an empty reason", Check.RECORD_FORM, lambda op: op.give_up("keno-1", reason="")),
    changed(
        "a reason of 201 characters",
        Check.RECORD_FORM,
        lambda op: op.give_up("keno-1", reason="x" * 201),
    ),
    changed("a reason that is a list", Check.RECORD_FORM, lambda op: op.give_up("keno-1", reason=["storm"])),
    changed("bets without a count", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets={"root": BETS["root"]})),
    changed("bets without a root", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets={"count": 3})),
    changed("bets with a key more", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets=BETS | {"sum": 30})),
    changed("bets that are a number", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets=3)),
    changed(
        "bets with a short root",
        Check.RECORD_FORM,
        lambda op: op.lock("keno-1", bets={"count": 3, "root": "00" * 31}),
    ),
    changed(
        "bets with a long root", Check.RECORD_FORM, lambda op: op.lock("keno-1", bets={"count": 3, "root": "00" * 33})
    ),
]
