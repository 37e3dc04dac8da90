"""One round of an honest log, asked for in each way that begins with finding aids; and a log as it grew."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from fairness.errors import CheckFailed, NotShown, Unreadable
from fairness.player.bets import receipts
from tests.lies import BEFORE_PULSES
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_of
from tests.support.verdicts import LINES, InMemory, digest_of
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.round.proving import complete_receipt, prove_code, prove_number

Files = Mapping[str, bytes]
VKEY = KEY.verifier_key
TABLE, ROUND, MOST = "keno", 4, 12
WAYS = ("code", "bet", "receipt", "prove", "prove-number")
"""The last is ``prove --table-id``."""


def honest_log(steps: int = MOST, *, salted: bool = False) -> Operator:
    """The first of `MOST` steps of a log: batches, rounds before ours, ours with its bets, and rounds after it."""
    operator = Operator(start=BEFORE_PULSES)

    def commit() -> None:
        operator.batch(TABLE, 4)
        if salted:
            operator.salt(TABLE)

    def play() -> None:
        operator.lock(TABLE, bets=digest_of(LINES))
        operator.reveal(TABLE)

    first = (
        lambda: operator.table("other", "keno-express"),
        lambda: operator.table(TABLE, "keno-express", salted_by="quicknet" if salted else "none"),
        commit,
        play,
        commit,
        play,
        play,
        lambda: operator.lock(TABLE, bets=digest_of(LINES)),
        lambda: operator.reveal(TABLE),
        play,
        play,
        lambda: operator.batch("other", 4),
    )
    for step in first[:steps]:
        step()
    return operator


@cache
def receipt_of_round(*, salted: bool) -> bytes:
    """The receipt of our round, once its lead was locked."""
    return bytes(proof_of(honest_log(6, salted=salted), TABLE, ROUND))


def verdict_of(way: str, files: Files, *, salted: bool = False, whole: bool = False) -> str:
    """``held``, ``not-shown``, ``failed`` or ``unreadable``: what is said of our round, with the `MOST` steps' codes
    and receipts.
    """
    try:
        ask(way, files, salted=salted, whole=whole)
    except NotShown as error:
        return "not-shown" if error.ways_on else "not-shown, without a way on"
    except CheckFailed as error:
        return f"failed {error}"
    except Unreadable as error:
        return f"unreadable {error}"
    return "held"


def ask(way: str, files: Files, *, salted: bool = False, whole: bool = False) -> object:
    """What a way finds out. Raises what it raises."""
    source, operator = InMemory(files), honest_log(salted=salted)
    table_id = operator.tables[TABLE].table_id
    told = (lambda _done, _all: None) if whole else None
    if way == "code":
        return check_round(source, VKEY, str(code_of(operator, TABLE, ROUND)), whole=told)
    if way == "bet":
        receipt = receipts(LINES, table_id=table_id, round_number=ROUND)[2]
        return check_bet(source, VKEY, bytes(receipt), whole=told)
    if way == "receipt":
        return complete_receipt(source, VKEY, receipt_of_round(salted=salted), whole=told)
    if way == "prove":
        return prove_code(source, VKEY, str(code_of(operator, TABLE, ROUND)), whole=told)
    return prove_number(source, VKEY, table_id, ROUND, whole=told)
