"""Lies in a batch's record and in its commitments; salts that no batch awaits."""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check
from fairness.hashing import sha256
from tests.lies import Lie, changed, misplaced
from tests.support.dishonest_operator import ABSENT, Digests, Operator

HEX = sha256(b"some other hash").hex()


def _crash_with(**rules: object) -> Callable[[Operator], object]:
    """A batch of crash with some of its rules replaced."""

    def tell(operator: Operator) -> object:
        honest = operator.tables["crash-1"].rules
        told = {key: value for key, value in (honest | rules).items() if value is not ABSENT}
        return operator.batch("crash-1", 5, rules=told)

    return tell


def _pending(operator: Operator, count: int) -> Operator:
    """``keno-1`` with this many batches whose rounds have not ended; it already has two."""
    for _ in range(count - 2):
        operator.batch("keno-1", 1)
    return operator


def lead_in_batches(operator: Operator, count: int) -> Operator:
    """``keno-2`` with its first round and its lead in this many batches, of which 64 are legal; the round is
    played.
    """
    operator.table("keno-2", "keno-express", lead=count - 1)
    for _ in range(count):
        operator.batch("keno-2", 1)
    return operator.play("keno-2")


def without_batches_after_the_65th() -> tuple[Operator, dict[str, bytes]]:
    """A log with `lead_in_batches`, 600 of them, and its files without the bundles that have only batches after the
    65th.
    """
    operator = Operator()
    operator.table("sic-bo-1", "sic-bo")
    operator.batch("sic-bo-1", 200)
    lead_in_batches(operator.play("sic-bo-1", 94), 600)
    files = operator.files()
    for bundle in ("tile/entries/001", "tile/entries/002"):
        del files[bundle]
    return operator, files


def _batch_id(operator: Operator, name: str, number: int) -> str:
    return operator.tables[name].batches[number - 1].batch_id.hex()


def _new_table(operator: Operator) -> Operator:
    operator.table("x", "crash")
    return operator


RECORD_LIES: list[Lie] = [
    changed("a batch's number skipped", Check.BATCH_NUMBER, lambda op: op.batch("keno-1", 4, batch=5)),
    changed("a batch's number repeated", Check.BATCH_NUMBER, lambda op: op.batch("keno-1", 4, batch=3)),
    changed(
        "a first batch that is not number 1", Check.BATCH_NUMBER, lambda op: _new_table(op).batch("x", 5, batch=2)
    ),
    changed("a batch number 0", Check.RECORD_FORM, lambda op: _new_table(op).batch("x", 5, batch=0)),
    misplaced(
        "a batch written twice", Check.BATCH_NUMBER, lambda op: (op.batch("keno-1", 4), op.append(op.records[-1]))
    ),
    changed("a batch that skips a round", Check.BATCH_FIRST, lambda op: op.batch("keno-1", 4, first=14)),
    changed("a batch that overlaps the last one", Check.BATCH_FIRST, lambda op: op.batch("keno-1", 4, first=12)),
    changed("a batch that begins again at 1", Check.BATCH_FIRST, lambda op: op.batch("keno-1", 4, first=1)),
    changed("a first batch from round 2", Check.BATCH_FIRST, lambda op: _new_table(op).batch("x", 5, first=2)),
    changed("a batch from round 0", Check.RECORD_FORM, lambda op: _new_table(op).batch("x", 5, first=0)),
    changed("a batch of no rounds", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, count=0)),
    changed("a batch of 65537 rounds", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, count=65_537)),
    changed("a batch after no batch", Check.BATCH_PREVIOUS, lambda op: op.batch("keno-1", 4, previous=HEX)),
    changed(
        "a batch after the last but one",
        Check.BATCH_PREVIOUS,
        lambda op: op.batch("keno-1", 4, previous=_batch_id(op, "keno-1", 2)),
    ),
    changed(
        "a batch after another table's",
        Check.BATCH_PREVIOUS,
        lambda op: op.batch("keno-1", 4, previous=_batch_id(op, "crash-1", 1)),
    ),
    changed(
        "a second batch that names the table",
        Check.BATCH_PREVIOUS,
        lambda op: op.batch("keno-1", 4, previous=op.tables["keno-1"].table_id.hex()),
    ),
    changed(
        "a first batch that names another table",
        Check.BATCH_PREVIOUS,
        lambda op: _new_table(op).batch("x", 5, previous=op.tables["crash-1"].table_id.hex()),
    ),
    changed(
        "an anchor too few", Check.BATCH_CUSTODIANS, lambda op: op.batch("keno-1", 4, anchors=lambda two: two[:1])
    ),
    changed(
        "an anchor too many",
        Check.BATCH_CUSTODIANS,
        lambda op: op.batch("keno-1", 4, anchors=lambda two: [*two, HEX]),
    ),
    changed(
        "a root too few", Check.BATCH_CUSTODIANS, lambda op: op.batch("keno-1", 4, commitments=lambda two: two[1:])
    ),
    changed(
        "a root too many",
        Check.BATCH_CUSTODIANS,
        lambda op: op.batch("keno-1", 4, commitments=lambda two: [*two, HEX]),
    ),
    changed("no anchors", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, anchors=[])),
    changed("no roots", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, commitments=[])),
    changed("nine anchors", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, anchors=[HEX] * 9)),
    changed("nine roots", Check.RECORD_FORM, lambda op: op.batch("keno-1", 4, commitments=[HEX] * 9)),
    changed(
        "an anchor twice", Check.BATCH_ANCHORS, lambda op: op.batch("keno-1", 4, anchors=lambda two: two[:1] * 2)
    ),
    misplaced(
        "a 65th batch with rounds to play",
        Check.BATCH_PENDING,
        lambda op: _pending(op, 64).batch("keno-1", 1),
    ),
    changed(
        "a beacon where there is no salt", Check.BATCH_BEACON, lambda op: op.batch("keno-1", 4, beacon=24_840_000)
    ),
    changed(
        "the largest beacon where there is no salt",
        Check.BATCH_BEACON,
        lambda op: op.batch("keno-1", 4, beacon=(1 << 53) - 1),
    ),
    changed("no rules", Check.BATCH_RULES, lambda op: op.batch("keno-1", 4, rules={})),
    changed("rules of version 0", Check.BATCH_RULES, lambda op: op.batch("keno-1", 4, rules={"version": 0})),
    changed(
        "a parameter for a game that has none",
        Check.BATCH_RULES,
        lambda op: op.batch("keno-1", 4, rules={"rtp": 9700, "version": 1}),
    ),
    changed("crash without its rtp", Check.BATCH_RULES, _crash_with(rtp=ABSENT)),
    changed("crash without its cap", Check.BATCH_RULES, _crash_with(cap=ABSENT)),
    changed("crash without a version", Check.BATCH_RULES, _crash_with(version=ABSENT)),
    changed("crash of version 0", Check.BATCH_RULES, _crash_with(version=0)),
    changed("crash with a parameter more", Check.BATCH_RULES, _crash_with(edge=300)),
    changed("an rtp of 0", Check.BATCH_RULES, _crash_with(rtp=0)),
    changed("an rtp above 100 percent", Check.BATCH_RULES, _crash_with(rtp=10_001)),
    changed("a cap of 1.00", Check.BATCH_RULES, _crash_with(cap=100)),
    changed("a cap above ten million", Check.BATCH_RULES, _crash_with(cap=1_000_000_001)),
    changed("an rtp that is text", Check.BATCH_RULES, _crash_with(rtp="9700")),
    changed("an rtp that is a list", Check.BATCH_RULES, _crash_with(rtp=[9700])),
    misplaced("a salt that no batch awaits", Check.SALT_AWAITED, lambda op: op.salt("keno-1")),
    misplaced(
        "a salt that no batch awaits, after the end",
        Check.SALT_AWAITED,
        lambda op: (op.end("keno-1"), op.salt("keno-1")),
    ),
]


def _one_false_bit(digests: Digests) -> Digests:
    last = digests[-1][-1]
    return [*digests[:-1], [*digests[-1][:-1], bytes([last[0] ^ 1]) + last[1:]]]


def _in_reverse(digests: Digests) -> Digests:
    return [list(reversed(part)) for part in digests]


def _by_the_wrong_custodian(digests: Digests) -> Digests:
    return digests[::-1]


def _falsely_committed(operator: Operator, committing: Callable[[Digests], Digests], count: int = 4) -> Operator:
    """A false batch from round 13, and an honest one after it."""
    operator.batch("keno-1", count, committing=committing)
    operator.batch("keno-1", 4)
    return operator


def _abandoned(operator: Operator, rounds: int) -> object:
    """Play this many more rounds, then end and close the table."""
    operator.play("keno-1", rounds)
    operator.end("keno-1")
    return operator.close("keno-1")


ROOT_LIES: list[Lie] = [
    changed(
        "a false root, found when its batch ends",
        Check.COMMITMENTS_ROOT,
        lambda op: _falsely_committed(op, _one_false_bit).play("keno-1", 11),
    ),
    changed(
        "a false root, found at a void round",
        Check.COMMITMENTS_ROOT,
        lambda op: _falsely_committed(op, _one_false_bit).drop("keno-1", 11),
    ),
    changed(
        "a false root of a single round",
        Check.COMMITMENTS_ROOT,
        lambda op: _falsely_committed(op, _one_false_bit, 1).play("keno-1", 8),
    ),
    changed(
        "commitments in another order",
        Check.COMMITMENTS_ROOT,
        lambda op: _falsely_committed(op, _in_reverse).play("keno-1", 11),
    ),
    changed(
        "the custodians' roots exchanged",
        Check.COMMITMENTS_ROOT,
        lambda op: _falsely_committed(op, _by_the_wrong_custodian).play("keno-1", 11),
    ),
    changed(
        "a false root, found at the close before its batch began",
        Check.COMMITMENTS_ROOT,
        lambda op: _abandoned(_falsely_committed(op, _one_false_bit), 0),
    ),
    changed(
        "a false root, found at the close amid its batch",
        Check.COMMITMENTS_ROOT,
        lambda op: _abandoned(_falsely_committed(op, _one_false_bit), 9),
    ),
    changed(
        "a false root of the last batch, found at the close",
        Check.COMMITMENTS_ROOT,
        lambda op: (op.batch("keno-1", 4, committing=_in_reverse), _abandoned(op, 3)),
    ),
]

LIES = RECORD_LIES + ROOT_LIES
