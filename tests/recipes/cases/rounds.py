"""Lies about one round: in its code, in receipts of bets, and in its proof file."""

from __future__ import annotations

from fairness.checks import Check
from fairness.hashing import sha256
from fairness.player.bets import receipts
from fairness.player.round_code import RoundCode
from fairness.round.finding_aids import RoundPositions, rounds_path
from tests.lies import proofs as proof_lies
from tests.lies.batches import lead_in_batches
from tests.recipes.cases.small import BET_LINES, code_in, small
from tests.recipes.cases.told import BETS, CHANGED, LATE, SKIPPED, TRUSTING, TWO_FACES, Told, below
from tests.support.codes import code_of
from tests.support.dishonest_operator import Operator
from tests.support.proofs import proof_of


def about_codes() -> list[Told]:
    operator = small()
    files, code = operator.files(), code_in(operator)
    table = operator.tables["keno-1"]
    aid = rounds_path(table.table_id, 1)
    # The finding aids give the second round the positions of the first.
    astray = files[aid][:32] + bytes(RoundPositions(table.batches[0].index, 0, table.locks[1], table.reveals[1]))

    falsely = Operator()
    falsely.table("keno-1", "keno-express")
    falsely.batch("keno-1", 6, committing=lambda custodians: [[bytes(32), *part[1:]] for part in custodians])
    falsely.play("keno-1", 2)

    many = lead_in_batches(Operator(), 65)

    def false(
        what: str,
        check: Check,
        code: object,
        cheat: str | None = None,
        changes: dict[str, bytes] | None = None,
        record: int | None = None,
        *,
        is_shown: bool = True,
    ) -> Told:
        log = below("log", files | (changes or {}))
        return Told(what, cheat, log, [["code", str(code), "--log", "log"]], check, record, is_shown=is_shown)

    stranger = RoundCode(code.game, code.table_prefix, 2, (sha256(b"another seed"),))
    other = RoundCode("hi-lo", code.table_prefix, 2, code.seeds)
    return [
        false("upper and lower case mixed", Check.CODE_FORM, str(code).capitalize()),
        false("a mistyped character", Check.CODE_CHECKSUM, f"{code}"[:-1] + "q"),
        false("another game", Check.CODE_GAME, other, record=table.index),
        false("another table", Check.CODE_TABLE, RoundCode(code.game, b"\0\1\2\3", 2, code.seeds), is_shown=False),
        false("a round that has not ended", Check.CODE_ROUND, code_in(operator, 4), SKIPPED, is_shown=False),
        false("another seed", Check.CODE_SEED, stranger, CHANGED, record=table.reveals[2]),
        false(
            "another round's records",
            Check.ROUND_RECORDS,
            code,
            CHANGED,
            {aid: astray + files[aid][64:]},
            table.locks[1],
            is_shown=False,
        ),
        Told(
            "another seed's commitment, signed and published",
            CHANGED,
            below("log", falsely.files()),
            [["code", str(code_in(falsely, 1)), "--log", "log"]],
            Check.COMMITMENT,
        ),
        Told(
            "a lead in 65 batches",
            None,
            below("log", many.files()),
            [["code", str(code_of(many, "keno-2", 1)), "--log", "log"]],
            Check.BATCH_PENDING,
            many.tables["keno-2"].batches[64].index,
        ),
    ]


def about_bets() -> list[Told]:
    operator = small()
    table_id, files = operator.tables["keno-1"].table_id, operator.files()

    def false(what: str, check: Check, lines: list[bytes], number: int = 2, *, record: int | None = None) -> Told:
        receipt = bytes(receipts(lines, table_id=table_id, round_number=number)[1])
        return _with_receipt(what, check, receipt, record)

    def _with_receipt(what: str, check: Check, receipt: bytes, record: int | None = None) -> Told:
        command = ["bet", "receipt.bet", "--log", "log"]
        log = below("log", files) | {"receipt.bet": receipt}
        return Told(what, BETS, log, [command], check, record, is_shown=check is not Check.BET_ROUND)

    good = bytes(receipts(BET_LINES, table_id=table_id, round_number=2)[1])
    lock = operator.tables["keno-1"].locks[2]
    changed = [BET_LINES[0], BET_LINES[1].replace(b"red", b"black"), BET_LINES[2]]
    return [
        _with_receipt("a receipt that was respelled", Check.BET_FORM, good.replace(b"index 1", b"index 01")),
        false("a bet changed after the lock", Check.BET_DIGEST, changed, record=lock),
        false("a bet added after the lock", Check.BET_DIGEST, [*BET_LINES, b"one more"], record=lock),
        false("a bet dropped before the lock", Check.BET_DIGEST, BET_LINES[::2], record=lock),
        false("a bet on a round that was never locked", Check.BET_ROUND, BET_LINES, 5),
    ]


_PROOF_LIES: tuple[tuple[str, str | None, int | None], ...] = (
    ("a table of another log", TWO_FACES, 0),
    ("a batch that stood too late", LATE, 4),
    ("another root", CHANGED, None),
    ("commitments of other seeds", CHANGED, 9),
    ("opened before the batch", LATE, 8),
    ("a lock of another round", SKIPPED, 8),
    ("given up and played", SKIPPED, 9),
    ("void without a reason", SKIPPED, 9),
    ("a seed too many", None, 9),
    ("another anchor", CHANGED, 1),
    ("another outcome", CHANGED, 9),
)
"""Lies that a proof file shows by itself; its round's records are in a signed log."""


def about_proofs() -> list[Told]:
    cases = []
    for name, cheat, record in _PROOF_LIES:
        check, tell = next((check, tell) for lie, check, tell in proof_lies.LIES if lie == name)
        operator = Operator()
        tell(operator)
        cases.append(_proof(f"{name}, in a proof", check, bytes(proof_lies.forged(operator)), cheat, record))
    operator = small()
    good = bytes(proof_of(operator, "keno-1", 2))
    receipt = bytes(proof_of(operator, "keno-1", 4))
    batch_index = operator.tables["keno-1"].batches[0].index
    # The batch is written again later, and its hints point there.
    again = small()
    again.tables["keno-1"].batches[0].index = again.append(again.records[batch_index])
    rewritten = Operator()
    rewritten.table("keno-1", "keno-express")
    rewritten.batch("keno-1", 9)
    rewritten.play("keno-1", 3)
    command = [["receipt", "round.proof", "--log", "log"]]

    def confronted(what: str, check: Check, log: Operator, record: int | None = None) -> Told:
        files = below("log", log.files()) | {"round.proof": receipt}
        return Told(what, TWO_FACES, files, command, check, record)

    return [
        *cases,
        _proof("a section without its lock", Check.PROOF_FORM, good.replace(b"\n\nlock\n", b"\n\nlook\n"), None),
        _proof(
            "a record at another place", Check.INCLUSION, good.replace(b"index 1\n", b"index 2\n", 1), TRUSTING, 2
        ),
        confronted("a receipt of another history", Check.LOG_EXTENDS, rewritten),
        confronted("a receipt that a second record contradicts", Check.RECEIPT_KEPT, again, batch_index),
    ]


def _proof(what: str, check: Check, proof: bytes, cheat: str | None, record: int | None = None) -> Told:
    return Told(what, cheat, {"round.proof": proof}, [["proof", "round.proof"]], check, record)
