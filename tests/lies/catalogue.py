"""All lies, and the logs that they make."""

from __future__ import annotations

from tests.lies import Lie, batches, declarations, ends, locks, reveals, salts, spelling, tables, times
from tests.support.dishonest_operator import Operator

LIES: list[Lie] = [
    *tables.LIES,
    *declarations.LIES,
    *batches.LIES,
    *salts.LIES,
    *locks.LIES,
    *reveals.LIES,
    *ends.LIES,
    *times.LIES,
    *spelling.LIES,
]


def told(lie: Lie, *, honest: bool = False) -> tuple[Operator, int]:
    """A log with the lie, and the record where it shows; a bystander table plays one more round."""
    operator = lie.begin(honest=honest)
    lie.tell(operator)
    index = len(operator.records) - 1
    operator.play("sic-bo-1")
    return operator, index
