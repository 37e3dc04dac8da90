"""Proof files: alone, with the round's code, and compared with a log, which completes a receipt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from fairness.checks import Check
from fairness.hashing import u64
from fairness.round.finding_aids import RoundPositions, rounds_path
from tests.house import HOUSE
from tests.lies import proofs as lies
from tests.recipes import Case, Json, judged
from tests.recipes.verdicts.inputs import HELD, UNKNOWN, asked, failing, known_in, policy, unreadable
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_of
from tests.support.witnesses import LAB, PRESS, cosigned, policy_text

TABLE, ROUND = "keno-1", 5
_BY_CODE = {
    "a lead that is too short",
    "a batch of other rounds",
    "a lock of another round",
    "opened before the batch",
    "another root",
    "another anchor",
    "commitments of other seeds",
}
"""Lies, one for each step of a proof file, that are also told to the holder of the code."""


def proofs_and_receipts() -> Iterator[Case]:
    """All of them."""
    yield from _proofs()
    yield from _with_codes()
    yield from _completed()
    yield from _contradicted()


def _proofs() -> Iterator[Case]:
    for name, check, tell in lies.LIES:
        operator = Operator()
        tell(operator)
        yield failing(f"by proof: {name}", asked("proof", proof=bytes(lies.forged(operator))), check)
    vectors = json.loads((HOUSE / "tests" / "vectors" / "proof-consistency.json").read_text("utf-8"))
    for trust in ({"policy": vectors["policy"]}, {"key": vectors["key"]}):
        for case in vectors["cases"]:
            data, by = case["file"].encode(), next(iter(trust))
            given, name = asked("proof", trust, proof=data), f"by proof and {by}: {case['name']}"
            held = case["check"] is None
            # The beacon of these logs stands in the policy alone.
            told = known_in(data, HELD if by == "policy" else UNKNOWN) if held else {}
            yield judged(name, given, told) if held else failing(name, given, Check(case["check"]))


def _at(stage: int, *, other: str = "other-1") -> Operator:
    """The same log at five stages of round 5: committed, its lead locked, locked, ended, and later; of one history or
    of ``other``.
    """
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.table(other, "sic-bo")
    operator.batch(TABLE, 8)
    operator.batch(other, 20)
    operator.play(TABLE, 4 if stage > 0 else 2)
    if stage > 1:
        operator.lock(TABLE)
    if stage > 2:
        operator.reveal(TABLE)
    if stage > 3:
        operator.play(other, 2)
    return operator


def _proof_at(stage: int) -> bytes:
    return bytes(proof_of(_at(stage), TABLE, ROUND))


def _with_codes() -> Iterator[Case]:
    operator = _at(3)
    proof, code = _proof_at(3), code_of(operator, TABLE, ROUND)

    def of(text: object, data: bytes = proof, table: str | None = None) -> Json:
        return asked("code", proof=data, code=str(text), options=None if table is None else {"table": table})

    yield judged("a code with its proof", of(code), known_in(proof))
    yield judged("a code with its proof, of the table that is named", of(code, table=TABLE), known_in(proof))
    named = of(code, table="keno-2")
    yield failing("a code with its proof, of another table than is named", named, Check.CODE_TABLE)
    newer = proof.replace(b"foredraw/v1/", b"foredraw/v2/", 1)
    yield judged("a code with a proof of a later version", of(code, newer), {"status": 6})
    for name, other, check in (
        (
            "a mistyped code with a proof",
            str(code)[:-1] + ("q" if str(code)[-1] != "q" else "p"),
            Check.CODE_CHECKSUM,
        ),
        ("a code of another round than the proof's", replace(code, round_number=4), Check.CODE_ROUND),
        ("a code of another game than the proof's", replace(code, game="hi-lo"), Check.CODE_GAME),
        ("a code of another table than the proof's", replace(code, table_prefix=b"\0\1\2\3"), Check.CODE_TABLE),
        ("a code of other seeds than the proof's", replace(code, seeds=(bytes(32),)), Check.CODE_SEED),
        ("a code of more seeds than the proof's", replace(code, seeds=(*code.seeds, bytes(32))), Check.CODE_SEED),
    ):
        yield failing(name, of(other), check)
    yield failing("a code with a receipt", of(code, _proof_at(2)), Check.CODE_ROUND, is_shown=False)
    for name, check, tell in lies.LIES:
        if name in _BY_CODE:
            lied = Operator()
            tell(lied)
            given = of(code_of(lied, TABLE, lies.ROUND), bytes(lies.forged(lied)))
            yield failing(f"by code and proof: {name}", given, check)
    counted = Operator()
    lies.of_round(reveal={"seeds": lambda seeds: [*seeds, "00" * 32]})(counted)
    more = code_of(counted, TABLE, lies.ROUND)
    given = of(replace(more, seeds=(*more.seeds, bytes(32))), bytes(lies.forged(counted)))
    yield failing("a code of a seed too many, as in its proof", given, Check.CODE_SEED)
    false = Operator()
    lies.of_round(reveal={"outcome": {"number": 101}})(false)
    given = of(code_of(false, TABLE, lies.ROUND), bytes(lies.forged(false)))
    yield failing("a code with a proof of another outcome", given, Check.OUTCOME)


def _completed() -> Iterator[Case]:
    for kept in range(4):
        for now in range(kept, 5):
            given = asked("receipt", files=_at(now).files(), proof=_proof_at(kept))
            yield judged(f"a receipt of stage {kept} at stage {now}", given, known_in(_proof_at(now)))
    operator = _at(3)
    files = operator.files()
    seen = files | {"checkpoint": cosigned(files["checkpoint"], LAB, PRESS)}
    receipt = _proof_at(2)
    signed = receipt.replace(_at(2).files()["checkpoint"], cosigned(_at(2).files()["checkpoint"], LAB, PRESS))
    trust = policy(policy_text(KEY.verifier_key))
    told = known_in(_proof_at(3))
    yield judged("a receipt by a policy", asked("receipt", trust, seen, proof=signed), told)
    for name, log, data in (
        ("a receipt without the quorum", seen, receipt),
        ("a receipt, and a log without the quorum", files, signed),
    ):
        yield failing(name, asked("receipt", trust, log, proof=data), Check.CHECKPOINT_QUORUM)


def _contradicted() -> Iterator[Case]:
    receipt = _proof_at(2)
    yield failing(
        "a receipt, and a fork that grew",
        asked("receipt", files=_at(3, other="forked-1").files(), proof=receipt),
        Check.LOG_EXTENDS,
    )
    yield failing(
        "a receipt, and a fork of its size",
        asked("receipt", files=_at(2, other="forked-1").files(), proof=receipt),
        Check.LOG_EXTENDS,
    )
    yield unreadable("a receipt, and an older copy", asked("receipt", files=_at(1).files(), proof=receipt))
    whole = _at(3).files()
    forked = _at(1, other="forked-1").files()["checkpoint"]
    larger = {path: data for path, data in _at(2).files().items() if path.startswith("tile/")}
    older = asked("receipt", files=_at(1).files() | larger, proof=receipt)
    yield unreadable("a receipt, and an older copy that has the receipt's tiles", older)
    behind = asked("receipt", files=_at(1, other="forked-1").files() | larger | {"checkpoint": forked}, proof=receipt)
    yield failing("a receipt, and a smaller fork beside the receipt's tiles", behind, Check.LOG_EXTENDS)
    gone = {path: data for path, data in whole.items() if not path.startswith("find/tables")}
    yield failing(
        "a receipt, and no finding aids of tables",
        asked("receipt", files=gone, proof=receipt),
        Check.RECEIPT_KEPT,
        is_shown=False,
    )
    operator = _at(3)
    table = operator.tables[TABLE]
    path, at = rounds_path(table.table_id, ROUND), (ROUND - 1) * RoundPositions.SIZE
    for name, offset, index in (("no hint at the lock", 16, 0), ("no hint at the batch", 0, 0)):
        locked = _at(2).files()
        cut = locked[path][: at + offset] + u64(index) + locked[path][at + offset + 8 :]
        given = asked("receipt", files=locked | {path: cut}, proof=receipt)
        yield failing(f"a receipt, and {name}", given, Check.RECEIPT_KEPT, is_shown=False)
    again = _at(2)
    again.tables[TABLE].locks[ROUND] = again.append(again.records[again.tables[TABLE].locks[ROUND]])
    yield failing(
        "a receipt, and a second lock", asked("receipt", files=again.files(), proof=receipt), Check.RECEIPT_KEPT
    )
    false = receipt.replace(b"index 2\n", b"index 3\n", 1)
    yield failing("a false receipt", asked("receipt", files=whole, proof=false), Check.INCLUSION)
    headless = asked("receipt", files=whole, proof=receipt[1:])
    yield failing("a receipt of a round without its first character", headless, Check.PROOF_FORM)
    lied = _at(2)
    lied.reveal(TABLE, outcome={"number": 101})
    yield failing(
        "a receipt, and a false outcome", asked("receipt", files=lied.files(), proof=receipt), Check.OUTCOME
    )
    newer = receipt.replace(b"foredraw/v1/", b"foredraw/v2/", 1)
    yield judged(
        "a receipt of a later version of proof files", asked("receipt", files=whole, proof=newer), {"status": 6}
    )
