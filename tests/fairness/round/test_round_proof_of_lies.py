"""Proof files that a dishonest operator makes: valid signatures and audit paths, and one lie in a record."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed
from tests.lies.proofs import (
    LEAD,
    LIES,
    ROUND,
    TABLE,
    forged,
    too_late,
)
from tests.support.dishonest_operator import KEY, Operator, Table
from verifier.round.proof_check import check_proof


@pytest.mark.parametrize(("check", "tell"), [pytest.param(check, tell, id=name) for name, check, tell in LIES])
def test_a_lie_is_found_in_the_file_alone(check: Check, tell: Callable[[Operator], object]) -> None:
    """The same steps without the lie make a proof that holds."""
    operator, honest = Operator(), Operator(honest=True)
    tell(operator)
    tell(honest)
    with pytest.raises(CheckFailed) as failure:
        check_proof(bytes(forged(operator)), KEY.verifier_key)
    assert failure.value.check is check
    if tell is not too_late:
        assert check_proof(bytes(forged(honest)), KEY.verifier_key).stage == "ended"


def test_records_in_another_order_are_refused() -> None:
    """A reveal before its lock, locks against the order of rounds, a batch before its table."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 6)
    operator.play(TABLE, ROUND)
    order = list(range(len(operator.records)))
    table = operator.tables[TABLE]
    for one, other, check in (
        (table.index, table.batches[0].index, Check.TABLE_KNOWN),
        (table.locks[ROUND - LEAD], table.locks[ROUND], Check.LOCK_NEXT),
        (table.locks[ROUND], table.reveals[ROUND], Check.REVEAL_LOCKED),
    ):
        swapped = Operator()
        swapped.records = [operator.records[{one: other, other: one}.get(at, at)] for at in order]
        swapped.tables = {TABLE: _moved(operator, {one: other, other: one})}
        with pytest.raises(CheckFailed) as failure:
            check_proof(bytes(forged(swapped)), KEY.verifier_key)
        assert failure.value.check is check


def _moved(operator: Operator, to: dict[int, int]) -> Table:
    """The operator's state of the table, with the same records at other places."""
    table = deepcopy(operator.tables[TABLE])
    table.index = to.get(table.index, table.index)
    table.batches[0].index = to.get(table.batches[0].index, table.batches[0].index)
    table.locks = {number: to.get(at, at) for number, at in table.locks.items()}
    table.reveals = {number: to.get(at, at) for number, at in table.reveals.items()}
    return table
