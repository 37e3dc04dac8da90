"""Round codes of an operator's tables, and logs in which to check them."""

from __future__ import annotations

from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import Operator


def code_of(operator: Operator, name: str, number: int) -> RoundCode:
    """The code of a round."""
    table = operator.tables[name]
    return RoundCode.of(table.game, table.table_id, number, table.seeds_of(number))


def three_tables() -> Operator:
    """Two tables of one game and one of another, after a few rounds."""
    operator = Operator()
    for name, game in (("keno", "keno-express"), ("other", "keno-express"), ("dice", "sic-bo")):
        operator.table(name, game)
        operator.batch(name, 6)
        operator.batch(name, 6)
        operator.play(name, 4)
    return operator
