"""Receipts of rounds: made at any stage, completed later, compared with the log; and the commands for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, NotShown
from fairness.hashing import sha256
from fairness.limits import LARGEST_ROUND_PROOF
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from fairness.round.authentic_log import AuthenticLog
from fairness.round.finder import find_table
from fairness.round.proof import RoundProof
from fairness.round.prover import prove_round
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from tests.support.verdicts import InMemory
from verifier.commands.command import FAILED, HELD, MISTYPED, NOT_SHOWN, UNREADABLE, USAGE
from verifier.forks.evidence import check_evidence
from verifier.forks.extension import NotAnExtension, OlderCopy
from verifier.round.proof_check import check_proof
from verifier.round.proving import complete_receipt, prove_code, prove_number
from verifier.sentences import NotChecked

VKEY = KEY.verifier_key
TABLE, ROUND = "keno-1", 5


def operator_at(stage: int, *, name: str = "other-1") -> Operator:
    """The same log at six stages of round 5: committed, its lead locked, locked, ended, and long after."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.table(name, "sic-bo")
    operator.batch(TABLE, 8)
    operator.batch(name, 20)
    operator.play(TABLE, 2)
    if stage > 0:
        operator.play(TABLE, 2)
    if stage > 1:
        operator.lock(TABLE)
    if stage > 2:
        operator.reveal(TABLE)
    if stage > 3:
        operator.batch(TABLE, 8)
        operator.play(TABLE, 2)
        operator.play(name, 2)
    return operator


STAGES = range(5)
TABLE_ID = operator_at(0).tables[TABLE].table_id


def proof_at(stage: int) -> bytes:
    log = AuthenticLog.open(InMemory(operator_at(stage).files()).read, VKEY)
    table = find_table(log, TABLE_ID)
    assert table is not None
    return bytes(prove_round(log, table, ROUND) or b"")


def code_at(stage: int, number: int = ROUND) -> str:
    table = operator_at(stage).tables[TABLE]
    return str(RoundCode.of("keno-express", table.table_id, number, table.seeds_of(number)))


def test_a_receipt_has_what_the_log_has() -> None:
    """One more section at each stage, and nothing is removed."""
    names = [[name for name, _ in RoundProof.parse(proof_at(stage)).records()] for stage in STAGES]
    whole = ["table", "batch", "lead-lock", "lock", "reveal"]
    assert names == [whole[:2], whole[:3], whole[:4], whole, whole]
    assert [check_proof(proof_at(stage), VKEY).stage for stage in STAGES] == [
        *("committed", "committed", "locked", "ended", "ended")
    ]


@pytest.mark.parametrize("stage", STAGES[:3])
def test_finding_aids_may_be_newer_than_the_checkpoint(stage: int) -> None:
    """They are separate files: a record after the checkpoint that they point at does not exist yet."""
    later = operator_at(stage + 1).files()
    aids = {path: data for path, data in later.items() if path.startswith("find/")}
    assert prove_number(InMemory(operator_at(stage).files() | aids), VKEY, TABLE_ID, ROUND)[0] == proof_at(stage)


@pytest.mark.parametrize("kept", STAGES)
def test_a_receipt_is_completed_at_every_later_stage(kept: int) -> None:
    """The result is the proof from that log, byte for byte as without a receipt."""
    for now in range(kept, len(STAGES)):
        data, report = complete_receipt(InMemory(operator_at(now).files()), VKEY, proof_at(kept))
        assert data == proof_at(now)
        assert report.passed[-2].text.startswith("the log extends the ")
        alone = check_proof(data, VKEY).not_checked
        assert report.not_checked == tuple(sentence for sentence in alone if sentence != NotChecked.AS_OF_CHECKPOINT)
        assert NotChecked.AS_OF_CHECKPOINT in alone
        assert len(report.passed) == (10 if now > 2 else 8)


def refused(operator: Operator, receipt: bytes) -> CheckFailed:
    with pytest.raises(CheckFailed) as failure:
        complete_receipt(InMemory(operator.files()), VKEY, receipt)
    return failure.value


@pytest.mark.parametrize("kept", STAGES)
@pytest.mark.parametrize("now", STAGES)
def test_a_receipt_shows_a_forked_log(kept: int, now: int) -> None:
    """Both signed checkpoints are at hand, whichever of them is longer; without the longer one's tiles they prove
    nothing yet.
    """
    forked = operator_at(now, name="forked-1")
    notes = {RoundProof.parse(proof_at(kept)).checkpoint, forked.files()["checkpoint"]}
    if now < kept:
        pair = older(forked, proof_at(kept)).pair
        assert pair is not None
        assert {pair.smaller, pair.larger} == notes
        return
    failure = refused(forked, proof_at(kept))
    assert isinstance(failure, NotAnExtension)
    assert {failure.fork.smaller, failure.fork.larger} == notes
    check_evidence(bytes(failure.fork), VKEY, name="fork")


def older(operator: Operator, receipt: bytes) -> OlderCopy:
    """What a receipt makes of a log that is smaller than its own."""
    with pytest.raises(OlderCopy) as found:
        complete_receipt(InMemory(operator.files()), VKEY, receipt)
    return found.value


def test_a_log_that_shrank_is_no_verdict() -> None:
    """It may be an older copy."""
    for kept in range(1, 5):
        assert "an older copy" in older(operator_at(kept - 1), proof_at(kept)).why


def test_a_second_batch_for_the_same_round_is_found() -> None:
    """The log extends the receipt's, and its finding aids lead to another record: both are in one log."""
    operator = operator_at(1)
    batch = json.loads(operator.records[operator.tables[TABLE].batches[0].index])
    operator.tables[TABLE].batches.clear()
    operator.batch(TABLE, 8, anchors=batch["anchors"], committed="2030-01-01T00:00:00.000Z")
    failure = refused(operator, proof_at(1))
    assert (failure.check, failure.index) == (Check.RECEIPT_KEPT, 2)


def test_hints_that_are_gone_are_no_proof() -> None:
    """The log has the records, but no finding aid says where."""
    files = operator_at(3).files()
    tables = {path: data for path, data in files.items() if not path.startswith("find/tables")}
    rounds = {path: data for path, data in files.items() if not path.startswith("find/rounds")}
    for hidden in (tables, rounds):
        with pytest.raises(NotShown) as failure:
            complete_receipt(InMemory(hidden), VKEY, proof_at(1))
        assert failure.value.check is Check.RECEIPT_KEPT


def test_a_receipt_is_checked_before_the_log_is_read() -> None:
    """A file that is no receipt, or is of another key, causes no request."""
    for receipt, key in ((b"", VKEY), (proof_at(0), SigningKey(KEY.name, sha256(b"other")).verifier_key)):
        with pytest.raises(CheckFailed):
            complete_receipt(InMemory({}), key, receipt)


def test_the_same_round_by_code_and_by_table() -> None:
    """Both ways give the same bytes; with a round's number, a code of any other round may name the table."""
    source = InMemory(operator_at(4).files())
    assert prove_code(source, VKEY, code_at(4))[0] == proof_at(4)
    assert prove_code(source, VKEY, code_at(4).upper())[0] == proof_at(4)
    assert prove_number(source, VKEY, TABLE_ID, ROUND)[0] == proof_at(4)
    assert prove_code(source, VKEY, code_at(4, 1), ROUND)[0] == proof_at(4)


def test_a_code_is_of_its_round() -> None:
    """A code with other seeds, or of a round that has not ended, proves nothing."""
    wrong = str(RoundCode.of("keno-express", TABLE_ID, ROUND, [bytes(32)]))
    for stage, code, check in (
        (4, wrong, Check.CODE_SEED),
        (2, code_at(4), Check.CODE_ROUND),
        (4, code_at(4)[:-1] + "q", Check.CODE_CHECKSUM),
        (4, str(RoundCode.of("sic-bo", TABLE_ID, ROUND, [bytes(32)])), Check.CODE_GAME),
        (4, str(RoundCode.of("sic-bo", bytes(32), ROUND, [bytes(32)])), Check.CODE_TABLE),
    ):
        with pytest.raises(CheckFailed) as failure:
            prove_code(InMemory(operator_at(stage).files()), VKEY, code)
        assert failure.value.check is check


def test_what_the_log_does_not_have_is_not_shown() -> None:
    """A round that is not committed, a table that does not exist: there is no verdict, and nobody is accused."""
    source = InMemory(operator_at(0).files())
    for table_id, number in ((TABLE_ID, 9), (TABLE_ID, 1 << 47), (bytes(32), 1), (TABLE_ID[:4] + bytes(28), 1)):
        with pytest.raises(NotShown, match="as of the checkpoint"):
            prove_number(source, VKEY, table_id, number)


def test_a_batch_that_the_checkpoint_does_not_have_is_not_shown() -> None:
    """Finding aids that are newer than the checkpoint, or do not have the round, accuse nobody either."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    before = operator.files()
    operator.batch(TABLE, 8)
    newer = {path: data for path, data in operator.files().items() if path.startswith("find/")}
    empty = {path: bytes(len(data)) for path, data in newer.items() if path.startswith("find/rounds/")}
    for aids in (newer, newer | empty):
        with pytest.raises(NotShown, match="round 1 of keno-1 is not committed, as of the checkpoint of 1 records"):
            prove_number(InMemory(before | aids), VKEY, operator.tables[TABLE].table_id, 1)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Make a receipt before the round, complete it afterwards, and check both offline."""
    before, after = operator_at(0).write(tmp_path / "before"), operator_at(4).write(tmp_path / "after")
    receipt, proof, again = tmp_path / "receipt", tmp_path / "proof", tmp_path / "again"
    made = Ran(
        *(capsys, "prove", "--table-id", TABLE_ID.hex(), "--round", str(ROUND)),
        *("--log", before, "-o", receipt, "--key", str(VKEY)),
    )
    assert (made.status, made.errors, receipt.read_bytes()) == (HELD, "", proof_at(0))
    assert made.output.splitlines()[-1] == (
        "Held: Round 5 of keno-1 is fixed in the log, but the file has no lock that shows how far"
        " ahead. The file does not show how the round ended: keep it as a receipt."
    )
    completed = Ran(capsys, "receipt", receipt, "--log", after, "-o", proof, "--key", str(VKEY))
    assert (completed.status, completed.errors, proof.read_bytes()) == (HELD, "", proof_at(4))
    assert "  10. it has for the round what the receipt has, at the same places" in completed.output
    assert Ran(capsys, "prove", code_at(4), "--log", after, "-o", again, "--key", str(VKEY)).status == HELD
    assert again.read_bytes() == proof.read_bytes()
    offline = Ran(capsys, "proof", proof, "--key", str(VKEY))
    assert (offline.status, offline.errors) == (HELD, "")
    assert offline.output.splitlines()[-1] == (
        "Held: Round 5 of keno-1 was fixed before round 3 was locked (rounds ahead: at least 2). Its outcome follows"
        " from what was fixed."
    )
    verdict = Ran(capsys, "proof", proof, "--key", str(VKEY), "--json").json
    assert (verdict["verdict"], verdict["stage"], verdict["rounds_ahead"], verdict["fixed_by"]) == (
        "held",
        "ended",
        2,
        2,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after", "again", "before", "proof", "receipt"]


def test_what_the_commands_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its status, and without leaving a file."""
    log = operator_at(4).write(tmp_path / "log")
    receipt, out, folder, evidence = (tmp_path / name for name in ("receipt", "out", "folder", "evidence"))
    receipt.write_bytes(proof_at(2))
    forked = operator_at(4, name="forked-1").write(tmp_path / "forked")
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(LARGEST_ROUND_PROOF * 1000)
    folder.mkdir()
    table = ("--table-id", TABLE_ID.hex())
    for status, arguments in (
        (USAGE, ("prove", "--log", log, "-o", out)),
        (USAGE, ("prove", *table, "--log", log, "-o", out)),
        (USAGE, ("prove", code_at(4), *table, "--round", "1", "--log", log, "-o", out)),
        (USAGE, ("prove", *table, "--round", "0", "--log", log, "-o", out)),
        (USAGE, ("prove", *table, "--round", "+1", "--log", log, "-o", out)),
        (USAGE, ("prove", "--table-id", "zz", "--round", "1", "--log", log, "-o", out)),
        (USAGE, ("prove", code_at(4), "--log", log)),
        (NOT_SHOWN, ("prove", *table, "--round", "99", "--log", log, "-o", out)),
        (UNREADABLE, ("prove", code_at(4), "--log", log, "-o", folder)),
        (UNREADABLE, ("prove", code_at(4), "--log", log, "-o", folder / "no" / "such")),
        (MISTYPED, ("prove", code_at(4)[:-1] + "q", "--log", log, "-o", out)),
        (FAILED, ("receipt", receipt, "--log", forked, "-o", out)),
        (FAILED, ("receipt", receipt, "--log", forked, "-o", out, "--evidence", evidence)),
        (FAILED, ("receipt", huge, "--log", log, "-o", out)),
        (UNREADABLE, ("receipt", tmp_path / "none", "--log", log)),
        (FAILED, ("proof", huge)),
        (FAILED, ("proof", log / "checkpoint")),
        (UNREADABLE, ("proof", tmp_path / "none")),
        (UNREADABLE, ("proof", folder)),
    ):
        ran = Ran(capsys, *arguments, "--key", str(VKEY))
        assert (ran.status, "Traceback" in ran.errors) == (status, False), arguments
        assert not out.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("evidence", "folder", "forked", "huge", "log", "receipt")
    ]
    assert Ran(capsys, "evidence", evidence, "--key", str(VKEY)).status == HELD
    assert list(folder.iterdir()) == []
