"""Receipts of bets, with the log and with a proof file."""

from __future__ import annotations

from collections.abc import Iterator

from fairness.checks import Check
from tests.lies.bets import LIES, bet_on, receipt_of
from tests.lies.rounds import TABLE
from tests.recipes import Case, Json, judged
from tests.recipes.verdicts.inputs import HELD, asked, failing, known, known_in, unreadable, without_outcome
from tests.support.dishonest_operator import Operator
from tests.support.proofs import proof_of


def bets() -> Iterator[Case]:
    """All of them."""
    for lie in LIES:
        files, receipt = lie.told()
        yield failing(lie.name, asked("bet", files=files, receipt=receipt), lie.check, is_shown=lie.is_shown)
    operator, locked, void = Operator(), Operator(), Operator()
    bet_on()(operator)
    bet_on(is_revealed=False)(locked)
    bet_on(reveal={"status": "void", "reason": "engine failure"})(void)
    receipt = bytes(receipt_of(operator))
    open_yet: Json = {"status": HELD, "table": TABLE, "round": 2}
    held = without_outcome(known(operator, TABLE, 2))
    yield judged("a bet", asked("bet", files=operator.files(), receipt=receipt), held)
    yield judged("a bet before the outcome", asked("bet", files=locked.files(), receipt=receipt), open_yet)
    given = asked("bet", files=void.files(), receipt=receipt)
    yield judged("a bet on a void round", given, without_outcome(known(void, TABLE, 2, ended="void")))
    newer = receipt.replace(b"foredraw/v1/", b"foredraw/v2/", 1)
    yield judged("a receipt of a later version", asked("bet", files=operator.files(), receipt=newer), {"status": 6})
    yield failing("a receipt cut short", asked("bet", files=operator.files(), receipt=receipt[:-2]), Check.BET_FORM)
    gone = {path: data for path, data in operator.files().items() if "tile/entries" not in path}
    yield unreadable("a bet, and no bundle", asked("bet", files=gone, receipt=receipt))
    yield from _with_proofs(operator, locked, receipt)


def _with_proofs(operator: Operator, locked: Operator, receipt: bytes) -> Iterator[Case]:
    proof, other = bytes(proof_of(operator, TABLE, 2)), bytes(proof_of(operator, TABLE, 1))

    def of(data: bytes, line: bytes = receipt) -> Json:
        return asked("bet", proof=data, receipt=line)

    yield judged("a bet with its proof", of(proof), without_outcome(known_in(proof)))
    early = bytes(proof_of(locked, TABLE, 2))
    yield judged("a bet with a proof of its lock", of(early), known_in(early))
    committed = bytes(proof_of(locked, TABLE, 3))
    yield failing("a bet with another round's proof", of(other), Check.BET_ROUND)
    late = bytes(receipt_of(locked, 3))
    yield failing("a bet with a proof from before the lock", of(committed, late), Check.BET_ROUND, is_shown=False)
    changed = bytes(receipt_of(operator)).replace(b"count 3", b"count 4")
    yield failing("a bet with a proof, and another count", of(proof, changed), Check.BET_DIGEST)
    yield failing("a bet with a false proof", of(proof.replace(b"index 1\n", b"index 2\n", 1)), Check.INCLUSION)
    newer = proof.replace(b"foredraw/v1/", b"foredraw/v2/", 1)
    yield judged("a bet with a proof of a later version", of(newer), {"status": 6})
