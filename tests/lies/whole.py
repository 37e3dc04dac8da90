"""What contradicts a round in its own table, where no finding aid leads to it: only who reads every record sees it
(SPEC 5.4).
"""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check
from tests.support.dishonest_operator import Operator

TABLE, ROUND = "keno", 4


def again(operator: Operator, index: int) -> int:
    """A record once more, and where it stands."""
    return operator.append(operator.records[index])


def _second_lock(operator: Operator) -> int:
    return again(operator, operator.tables[TABLE].locks[ROUND])


def _second_reveal(operator: Operator) -> int:
    return again(operator, operator.tables[TABLE].reveals[ROUND])


def _second_batch(operator: Operator) -> int:
    return again(operator, operator.tables[TABLE].batches[0].index)


def _malformed(operator: Operator) -> int:
    data = operator.records[operator.tables[TABLE].locks[ROUND]]
    return operator.append(data.replace(b",", b", ", 1))


def _newer(operator: Operator) -> int:
    return operator.append(b'{"table":"keno","type":"lock","v":2}')


CONTRADICTIONS: dict[str, tuple[Check, Callable[[Operator], int]]] = {
    "a second lock": (Check.LOCK_NEXT, _second_lock),
    "a second reveal": (Check.REVEAL_LOCKED, _second_reveal),
    "a second batch": (Check.BATCH_FIRST, _second_batch),
    "a record of another spelling": (Check.RECORD_FORM, _malformed),
    "a record of a later version": (Check.RECORD_FORM, _newer),
}
"""Of round 4, with the check that fails at the record that is told."""


def of_others(operator: Operator) -> Operator:
    """What accuses nobody: second locks, other spellings, later versions and bytes that are no record, beside the
    round.
    """
    for data in (
        operator.records[operator.tables["other"].locks[ROUND]],
        operator.records[operator.tables["dice"].index].replace(b",", b", ", 1),
        b'{"table":"newer","type":"table","v":2}',
        b'{"table":"keno","type":"aside-note","v":1}',
        b"",
        b'"table":"keno","type":"lock","v":1',
    ):
        operator.append(data)
    return operator


def without_its_lock(operator: Operator) -> Operator:
    """A reveal whose lock is another round's."""
    operator.lock(TABLE, round=99)
    operator.reveal(TABLE)
    return operator


def without_an_earlier_lock() -> Operator:
    """Four rounds, of whose first the lock is another round's."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 9)
    return without_its_lock(operator).play(TABLE, 3)
