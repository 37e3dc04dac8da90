"""The casino of ``docs/dispute.md``: its log before a bet, after the round, and as shown to somebody else."""

from __future__ import annotations

from pathlib import Path

from msgspec import to_builtins

from fairness.player.bets import digest, receipts
from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import Operator

TABLE = "keno-1"
LINES = [
    b"7f3a19c2e0b6d4518a92f7c3305de61b 37 lower 500 AMD",
    b"c05e88d14b7fa2963ed1580c97f4b2aa 10-37 1000 AMD",
]


def before() -> Operator:
    """Three rounds were played; rounds 4 and 5 can be bet on, 6 to 8 are committed."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 8)
    operator.play(TABLE, 3)
    return operator


def after() -> Operator:
    """Round 4 was played with the two bets, and round 5 after it."""
    operator = before()
    operator.lock(TABLE, bets=to_builtins(digest(LINES)))
    operator.reveal(TABLE)
    operator.play(TABLE)
    return operator


def false_outcome() -> Operator:
    """The same log, except that the outcome in round 4's reveal does not follow from its seed."""
    operator = before()
    operator.lock(TABLE, bets=to_builtins(digest(LINES)))
    operator.reveal(TABLE, outcome={"number": 1})
    return operator


def other_face() -> Operator:
    """The other side of a split view: a log in which round 4 was given up."""
    operator = before()
    operator.drop(TABLE)
    operator.play(TABLE, 2)
    return operator


def code_of_round_4() -> str:
    """What the player received after the round."""
    table = after().tables[TABLE]
    return str(RoundCode.of(table.game, table.table_id, 4, table.seeds_of(4)))


def write_bets(folder: Path) -> None:
    """Write the receipts of round 4's bets, as the engine gives them to players."""
    for receipt in receipts(LINES, table_id=after().tables[TABLE].table_id, round_number=4):
        (folder / f"{receipt.index}.bet").write_bytes(bytes(receipt))
