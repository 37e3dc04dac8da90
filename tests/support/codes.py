"""Round codes of an operator's tables, and logs in which to check them."""

from __future__ import annotations

from typing import Any

from fairness.hashing import leaf_hash
from fairness.player.round_code import RoundCode
from fairness.round.finding_aids import TablePositions, tables_path
from tests.support.dishonest_operator import Operator
from tests.support.verdicts import LINES, digest_of


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


BESIDE: dict[str, tuple[dict[str, Any], tuple[int, int], tuple[int, int]]] = {
    "another table of its game": ({}, (24526, 18882), (74010, 94191)),
    "a table of another game": ({"game": "sic-bo", "lead": 5}, (37717, 41164), (88962, 19408)),
    "a newer table": ({"v": 2}, (6478, 11994), (16158, 7899)),
    "a table with a false lead": ({"lead": 1}, (30523, 44963), (2439, 45158)),
}
"""What may stand beside a table whose id begins with the same four bytes: what is other about its record; the numbers
in the names of the table and of this one if it stands after the table, and if it stands before. Among 100,000 names
there are some such pairs.
"""


def table_beside(beside: str, *, before: bool, **lies_at_the_end: object) -> tuple[Operator, str, dict[str, bytes]]:
    """A table of Keno Express after three rounds, the last with lies, beside another whose id begins alike: its name,
    and the log's files.
    """
    lies, *numbers = BESIDE[beside]
    own, other = numbers[before]
    name = f"keno-{own}"
    operator = Operator()
    made: dict[str, dict[str, Any]] = {name: {}, f"other-{other}": lies}
    for each in sorted(made, reverse=before):
        operator.table(each, "keno-express", **made[each])
    prefixes = {leaf_hash(data)[:4] for data in operator.records}
    assert len(prefixes) == 1
    operator.tables = {name: operator.tables[name]}
    operator.batch(name, 6)
    operator.lock(name, bets=digest_of(LINES))
    operator.reveal(name)
    operator.play(name)
    operator.lock(name)
    operator.reveal(name, **lies_at_the_end)
    aid = b"".join(bytes(TablePositions(at)) for at in (0, 1))
    return operator, name, operator.files() | {tables_path(prefixes.pop()): aid}
