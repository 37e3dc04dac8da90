"""Every way in which a log, a proof file or a receipt can lie to somebody who bet (SPEC 8.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from msgspec import to_builtins

from fairness.checks import Check
from fairness.player.bets import BetReceipt, digest, receipts
from fairness.round.finding_aids import tables_path
from tests.lies import respelled
from tests.lies.proofs import LONG_AFTER, LONG_AGO
from tests.lies.rounds import TABLE, Files, cut_rows, exchanged, hint, lock_of, reveal_of
from tests.support.dishonest_operator import ABSENT, Operator

LINES = [f"{number:032x} {number} on red".encode() for number in range(3)]
DIGEST = to_builtins(digest(LINES))


@dataclass(frozen=True)
class BetLie:
    """One way of lying about a bet on round 2 of the table, and the check that its receipt shows."""

    name: str
    check: Check
    tell: Callable[[Operator], object]
    aids: Callable[[Operator, Files], Files] = lambda _, files: files
    """Changes the log's files, after the records were written."""
    is_shown: bool = True
    receipt: Callable[[BetReceipt], BetReceipt] = lambda receipt: receipt
    """Changes the receipt."""

    def told(self) -> tuple[Files, bytes]:
        """The files of the log, and the receipt."""
        operator = Operator()
        self.tell(operator)
        return self.aids(operator, operator.files()), bytes(self.receipt(receipt_of(operator)))


def receipt_of(operator: Operator, number: int = 2) -> BetReceipt:
    """The receipt of the second bet."""
    return receipts(LINES, table_id=operator.tables[TABLE].table_id, round_number=number)[1]


def bet_on(
    lock: dict[str, Any] | None = None,
    reveal: dict[str, Any] | None = None,
    table: dict[str, Any] | None = None,
    *,
    given_up: bool = False,
    is_revealed: bool = True,
    requires_bets: bool = False,
) -> Callable[[Operator], object]:
    """Round 2 is locked with three bets and then revealed, and a record lies."""

    def tell(operator: Operator) -> None:
        operator.table(TABLE, "keno-express", requires_bets=requires_bets, **(table or {}))
        operator.batch(TABLE, 6)
        operator.play(TABLE)
        (operator.give_up if given_up else operator.lock)(
            TABLE, **(({} if given_up else {"bets": DIGEST}) | (lock or {}))
        )
        if is_revealed:
            operator.reveal(TABLE, **(reveal or {}))

    return tell


def _revealed_before_its_lock(operator: Operator) -> None:
    bet_on()(operator)
    table = operator.tables[TABLE]
    exchanged(operator, table.locks[2], table.reveals[2])


def _without_tables(operator: Operator, files: Files) -> Files:
    return {path: data for path, data in files.items() if path != tables_path(operator.tables[TABLE].table_id)}


LIES: list[BetLie] = [
    BetLie("a bet in a table of another log", Check.TABLE_ORIGIN, bet_on(table={"log": "other.example/log"})),
    BetLie("a bet in a table whose salt is no beacon", Check.TABLE_SALT, bet_on(table={"salt": "dice"})),
    BetLie("a bet in a table with a lead that is too short", Check.TABLE_LEAD, bet_on(table={"lead": 1})),
    BetLie("a bet in a table without its declaration", Check.TABLE_DECLARATION, bet_on(table={"game": "roulette"})),
    BetLie("a digest of another count", Check.BET_DIGEST, bet_on({"bets": DIGEST | {"count": 4}})),
    BetLie("a digest of another root", Check.BET_DIGEST, bet_on({"bets": DIGEST | {"root": "5a" * 32}})),
    BetLie("a lock without a digest", Check.BET_DIGEST, bet_on({"bets": ABSENT})),
    BetLie("a bet on a round that was given up", Check.BET_DIGEST, bet_on(given_up=True)),
    BetLie("another line", Check.BET_DIGEST, bet_on(), receipt=lambda found: replace(found, line=b"1 on black")),
    BetLie(
        "a lock without a digest that is required", Check.BETS_REQUIRED, bet_on({"bets": ABSENT}, requires_bets=True)
    ),
    BetLie(
        "a bet that was locked before its table", Check.TIME_ORDER, bet_on({"locked": LONG_AGO, "opened": LONG_AGO})
    ),
    BetLie(
        "a bet that is locked before its table, and not revealed",
        Check.TIME_ORDER,
        bet_on({"locked": LONG_AGO, "opened": LONG_AGO}, is_revealed=False),
    ),
    BetLie("a bet whose lock was respelled", Check.RECORD_FORM, bet_on({"respelled": respelled(",", ", ")})),
    BetLie("a bet that was revealed before its lock", Check.REVEAL_LOCKED, _revealed_before_its_lock),
    BetLie("a bet with a reveal dated before its lock", Check.TIME_ORDER, bet_on({"locked": LONG_AFTER})),
    BetLie("a bet that was played with a reason", Check.REVEAL_REASON, bet_on(reveal={"reason": "why"})),
    BetLie("a bet that was void without a reason", Check.REVEAL_REASON, bet_on(reveal={"status": "void"})),
    BetLie("a bet whose reveal was respelled", Check.RECORD_FORM, bet_on(reveal={"respelled": respelled(",", ", ")})),
    BetLie(
        "a bet in another table",
        Check.BET_ROUND,
        bet_on(),
        is_shown=False,
        receipt=lambda found: replace(found, table_id=bytes(32)),
    ),
    BetLie(
        "a bet in a table whose id begins alike",
        Check.BET_ROUND,
        bet_on(),
        is_shown=False,
        receipt=lambda found: replace(found, table_id=found.table_id[:4] + bytes(28)),
    ),
    BetLie("a bet without finding aids of tables", Check.BET_ROUND, bet_on(), _without_tables, is_shown=False),
    BetLie("a bet past the finding aids", Check.BET_ROUND, bet_on(), cut_rows(1), is_shown=False),
    BetLie("a bet on a round that is not locked", Check.BET_ROUND, bet_on(), hint(2, lock=0), is_shown=False),
    BetLie("a bet on a lock that is not there yet", Check.BET_ROUND, bet_on(), hint(2, lock=1 << 40), is_shown=False),
    BetLie(
        "a bet by another round's lock",
        Check.ROUND_RECORDS,
        bet_on(),
        hint(2, lock=lock_of(TABLE, 1)),
        is_shown=False,
    ),
    BetLie(
        "a bet by another round's reveal",
        Check.ROUND_RECORDS,
        bet_on(),
        hint(2, reveal=reveal_of(TABLE, 1)),
        is_shown=False,
    ),
]
