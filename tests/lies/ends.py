"""Lies in the records of a table's end and close, and records after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairness.checks import Check
from fairness.hashing import sha256
from tests.lies import Lie, changed, misplaced
from tests.support.dishonest_operator import Operator

RANDOM_SEED = sha256(b"a seed of no chain").hex()

Entries = list[dict[str, Any]]
"""The entries of a close for its batches; here these are 2 and 3."""


def _ended(operator: Operator, name: str = "keno-1") -> Operator:
    operator.end(name)
    return operator


def _closed(operator: Operator, name: str = "keno-1") -> Operator:
    operator.end(name)
    operator.close(name)
    return operator


def _false_close(name: str, check: Check, lie: object) -> Lie:
    return changed(name, check, lambda op: _ended(op).close("keno-1", seeds=lie))


def _with_seeds(entry: int, seeds: list[str]) -> object:
    """The close's entries, with the seeds of one of them replaced."""

    def lie(entries: Entries) -> Entries:
        return [told | {"seeds": seeds} if at == entry else told for at, told in enumerate(entries)]

    return lie


def _counting(change: Callable[[list[str]], list[str]]) -> object:
    """The close's entries; the first one has true seeds, but fewer or more than there are custodians."""
    return lambda entries: [entries[0] | {"seeds": change(entries[0]["seeds"])}, *entries[1:]]


def _of_the_first(entries: Entries) -> Entries:
    return [entries[0], entries[1] | {"seeds": entries[0]["seeds"]}]


def _exchanged(entries: Entries) -> Entries:
    return [told | {"seeds": told["seeds"][::-1]} for told in entries]


def _one_bit(entries: Entries) -> Entries:
    first, second = entries[0]["seeds"]
    return [entries[0] | {"seeds": [first, f"{int(second, 16) ^ 1:064x}"]}, entries[1]]


def _last_but_one(operator: Operator) -> object:
    """The seeds of round 7 in place of those of round 8, the batch's last."""
    seeds = [seed.hex() for seed in operator.tables["keno-1"].seeds_of(7)]
    return _ended(operator).close("keno-1", seeds=_with_seeds(0, seeds))


def _of_another_table(operator: Operator) -> object:
    seeds = [seed.hex() for seed in operator.tables["sic-bo-1"].seeds_of(10)]
    return _ended(operator, "crash-1").close("crash-1", seeds=[{"batch": 1, "seeds": seeds}])


def _played_out(operator: Operator) -> object:
    """A close after rounds 6 to 8: batch 2 has ended, but the close lists it again."""
    last = [seed.hex() for seed in operator.tables["keno-1"].seeds_of(8)]
    operator.play("keno-1", 3)
    return _ended(operator).close("keno-1", seeds=lambda honest: [{"batch": 2, "seeds": last}, *honest])


LIES: list[Lie] = [
    misplaced("an end while a round is locked", Check.END_LOCKED, lambda op: (op.lock("keno-1"), op.end("keno-1"))),
    misplaced(
        "an end while a given-up round is locked",
        Check.END_LOCKED,
        lambda op: (op.give_up("keno-1"), op.end("keno-1")),
    ),
    misplaced("an end twice", Check.AFTER_END, lambda op: _ended(op).end("keno-1")),
    misplaced(
        "an end of an empty table twice",
        Check.AFTER_END,
        lambda op: (op.table("x", "crash"), _ended(op, "x").end("x")),
    ),
    misplaced("a batch after the end", Check.AFTER_END, lambda op: _ended(op).batch("keno-1", 4)),
    misplaced("a lock after the end", Check.AFTER_END, lambda op: _ended(op).lock("keno-1")),
    misplaced("a round given up after the end", Check.AFTER_END, lambda op: _ended(op).give_up("keno-1")),
    misplaced("a reveal after the end", Check.AFTER_END, lambda op: _ended(op).reveal("keno-1")),
    misplaced("a close before the end", Check.CLOSE_ENDED, lambda op: op.close("keno-1")),
    misplaced(
        "a close before the end, amid a round", Check.CLOSE_ENDED, lambda op: (op.lock("keno-1"), op.close("keno-1"))
    ),
    _false_close("a close that leaves out the first batch", Check.CLOSE_BATCHES, lambda entries: entries[1:]),
    _false_close("a close that leaves out the last batch", Check.CLOSE_BATCHES, lambda entries: entries[:-1]),
    _false_close("a close of nothing", Check.CLOSE_BATCHES, []),
    _false_close("a close in another order", Check.CLOSE_BATCHES, lambda entries: entries[::-1]),
    _false_close("a close with a batch twice", Check.CLOSE_BATCHES, lambda entries: [*entries, entries[-1]]),
    _false_close(
        "a close with a batch that was never committed",
        Check.CLOSE_BATCHES,
        lambda entries: [*entries, entries[-1] | {"batch": 4}],
    ),
    _false_close(
        "a close with a batch under another number",
        Check.CLOSE_BATCHES,
        lambda entries: [entries[0], entries[1] | {"batch": 4}],
    ),
    changed("a close with a batch that is over", Check.CLOSE_BATCHES, _played_out),
    _false_close("a close with batch 0", Check.RECORD_FORM, lambda entries: [entries[0] | {"batch": 0}, entries[1]]),
    _false_close("a close with a seed too few", Check.SEED_COUNT, _counting(lambda seeds: seeds[:1])),
    _false_close("a close with a seed too many", Check.SEED_COUNT, _counting(lambda seeds: [*seeds, RANDOM_SEED])),
    _false_close("a close with no seeds", Check.RECORD_FORM, _with_seeds(0, [])),
    _false_close("a close with nine seeds", Check.RECORD_FORM, _with_seeds(0, [RANDOM_SEED] * 9)),
    _false_close("a close with seeds outside of entries", Check.RECORD_FORM, [RANDOM_SEED]),
    _false_close("a close with false seeds of a begun batch", Check.CLOSE_SEEDS, _with_seeds(0, [RANDOM_SEED] * 2)),
    _false_close(
        "a close with false seeds of a batch not begun", Check.CLOSE_SEEDS, _with_seeds(1, [RANDOM_SEED] * 2)
    ),
    _false_close("a close with a false bit", Check.CLOSE_SEEDS, _one_bit),
    _false_close("a close with another batch's seeds", Check.CLOSE_SEEDS, _of_the_first),
    _false_close("a close with the custodians' seeds exchanged", Check.CLOSE_SEEDS, _exchanged),
    changed("a close with the last seeds but one", Check.CLOSE_SEEDS, _last_but_one),
    changed("a close with another table's seeds", Check.CLOSE_SEEDS, _of_another_table),
    changed(
        "a close with true seeds under a false anchor",
        Check.CLOSE_SEEDS,
        lambda op: (op.table("x", "keno-express"), op.batch("x", 3, anchors=[RANDOM_SEED]), _closed(op, "x")),
    ),
    misplaced(
        "a close twice, with nothing left",
        Check.AFTER_CLOSE,
        lambda op: _closed(op).close("keno-1", seeds=[]),
    ),
    misplaced("a close twice", Check.AFTER_CLOSE, lambda op: _closed(op).close("keno-1")),
    misplaced("an end after the close", Check.AFTER_CLOSE, lambda op: _closed(op).end("keno-1")),
    misplaced("a batch after the close", Check.AFTER_CLOSE, lambda op: _closed(op).batch("keno-1", 4)),
    misplaced("a salt after the close", Check.AFTER_CLOSE, lambda op: _closed(op).salt("keno-1")),
    misplaced("a lock after the close", Check.AFTER_CLOSE, lambda op: _closed(op).lock("keno-1")),
    misplaced("a round given up after the close", Check.AFTER_CLOSE, lambda op: _closed(op).give_up("keno-1")),
    misplaced("a reveal after the close", Check.AFTER_CLOSE, lambda op: _closed(op).reveal("keno-1")),
]
