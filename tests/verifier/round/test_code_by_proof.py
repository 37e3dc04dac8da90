"""One round, checked by its code and its proof file: what holds, what fails and whose fault it says, what is not
shown.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, NotShown, NotThisLogs
from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from fairness.player.round_code import NewerCode, RoundCode
from fairness.round.proof import RoundProof
from tests.lies import history
from tests.lies.proofs import LIES, forged
from tests.lies.witnessed import Log
from tests.recipes.code_proofs import FORMATS
from tests.support.codes import code_of, three_tables
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from, proof_of
from tests.support.ran import Ran
from tests.support.witnessed import POLICY, salted_operator, witnessed_file
from verifier.commands.command import FAILED, HELD, MISTYPED, NOT_SHOWN, UNKNOWN, UNREADABLE, USAGE
from verifier.forks.evidence import check_evidence
from verifier.round.bets import BETS_UNKNOWN
from verifier.round.check import check_round
from verifier.round.code_proof_check import check_code_by_proof
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.sentences import Checked, NotChecked
from verifier.sources.source import FolderSource

VKEY = KEY.verifier_key


def checked(proof: RoundProof | bytes, code: RoundCode | str, table: str | None = None) -> ProofReport:
    """The verdict on a code and a file."""
    return check_code_by_proof(bytes(proof), VKEY, str(code), table=table)


def refused(proof: RoundProof | bytes, code: RoundCode | str, table: str | None = None) -> CheckFailed:
    """Why they are refused."""
    with pytest.raises(CheckFailed) as failed:
        checked(proof, code, table)
    return failed.value


def test_every_ended_round_holds_as_it_does_in_the_log(tmp_path: Path) -> None:
    """Played or void, of every game, with one custodian or eight; the report is the file's, with the code's steps."""
    operator = history()
    source = FolderSource(operator.write(tmp_path))
    ended = 0
    for name, table in operator.tables.items():
        for number in list(table.reveals)[::5]:
            code, proof = code_of(operator, name, number), bytes(proof_of(operator, name, number))
            report, alone = checked(proof, code, name), check_proof(proof, VKEY)
            assert [(each.check.value, each.text) for each in report.of_code] == [
                ("code-checksum", Checked.NO_TYPING_ERROR),
                ("code-round", Checked.CODE_OF_ROUND),
                ("code-seed", Checked.CODE_SEEDS_REVEALED),
            ]
            limits = (*alone.not_checked, NotChecked.LEAD_OF_ONE_LOCK, NotChecked.EARLIER_ROUNDS)
            assert report == replace(alone, of_code=report.of_code, not_checked=limits)
            assert checked(proof, str(code).upper()) == report
            by_log = check_round(source, VKEY, str(code))
            assert report.reveal is not None
            assert (report.reveal.record.outcome, report.reveal.record.status) == (by_log.outcome, by_log.status)
            assert report.ahead is not None
            assert report.ahead <= by_log.ahead
            ended += 1
    assert ended == 17


def test_a_code_of_something_else_is_a_failure() -> None:
    """A true file, and a code of another seed, round, table or game: each by its check, and never a tick."""
    operator = three_tables()
    code, proof = code_of(operator, "keno", 3), proof_of(operator, "keno", 3)
    other = code_of(operator, "other", 3)
    for false, check in (
        (replace(code, seeds=(bytes(32),)), Check.CODE_SEED),
        (replace(code, seeds=(*code.seeds, bytes(32))), Check.CODE_SEED),
        (replace(code, seeds=other.seeds), Check.CODE_SEED),
        (code_of(operator, "keno", 2), Check.CODE_ROUND),
        (replace(code, round_number=2), Check.CODE_ROUND),
        (other, Check.CODE_TABLE),
        (replace(code, table_prefix=other.table_prefix), Check.CODE_TABLE),
        (replace(code, game="hi-lo"), Check.CODE_GAME),
        (code_of(operator, "dice", 3), Check.CODE_TABLE),
    ):
        failed = refused(proof, false)
        assert (failed.check, isinstance(failed, NotShown)) == (check, False)
    failed = refused(proof, code, "other")
    assert (failed.check, failed.found) == (Check.CODE_TABLE, "a code of keno")


def test_a_receipt_does_not_show_the_round() -> None:
    """Whatever the code's seeds are; but a receipt of another round, or a false one, fails first."""
    operator = three_tables()
    committed = proof_of(operator, "keno", 6)
    operator.lock("keno")
    locked = proof_of(operator, "keno", 5)
    for proof, number, stage in ((committed, 6, "committed"), (locked, 5, "locked")):
        code = code_of(operator, "keno", number)
        for each in (code, replace(code, seeds=(bytes(32),))):
            failed = refused(proof, each)
            assert isinstance(failed, NotShown)
            assert (failed.check, failed.found) == (
                Check.CODE_ROUND,
                f"a receipt: round {number} of keno is {stage} in this file",
            )
        for false in (code_of(operator, "keno", 4), code_of(operator, "other", number)):
            assert not isinstance(refused(proof, false), NotShown)
    false_lock = three_tables()
    false_lock.lock("keno", opened="2999-12-31T23:59:59.999Z")
    failed = refused(proof_of(false_lock, "keno", 5), code_of(false_lock, "keno", 5))
    assert (failed.check, isinstance(failed, NotShown)) == (Check.LOCK_OPENED, False)


def test_nothing_is_said_of_a_file_before_it_is_this_logs() -> None:
    """The code's form comes first, then the file's form and its signature, and only then what is of whom."""
    operator = three_tables()
    code, proof = code_of(operator, "keno", 3), bytes(proof_of(operator, "keno", 3))
    mistyped = str(code)[:-1] + ("q" if str(code)[-1] != "q" else "p")
    for data in (proof, b"", b"no proof"):
        assert refused(data, mistyped).check is Check.CODE_CHECKSUM
        assert refused(data, "keno").check is Check.CODE_FORM
    other = code_of(operator, "other", 3)
    assert refused(b"no proof", other).check is Check.PROOF_FORM
    with pytest.raises(NotThisLogs):
        check_code_by_proof(proof, SigningKey("other.example/log", sha256(b"another")).verifier_key, str(other))
    assert refused(proof.replace(b'"lead":2', b'"lead":3', 1), other).check is Check.INCLUSION
    assert refused(proof, other).check is Check.CODE_TABLE


def test_every_lie_in_a_proof_file_is_found_by_its_check() -> None:
    """A code that matches the file excuses nothing in it."""
    found = 0
    for _, check, tell in LIES:
        operator = Operator()
        tell(operator)
        proof = bytes(forged(operator))
        with pytest.raises(CheckFailed) as alone:
            check_proof(proof, VKEY)
        assert alone.value.check is check
        name, number = RoundProof.parse(proof).table_name, RoundProof.parse(proof).number
        if (table := operator.tables.get(name)) is not None and number in table.reveals:
            assert refused(proof, code_of(operator, name, number)).check in {check, Check.CODE_SEED, Check.CODE_GAME}
            found += 1
    assert found > len(LIES) // 2


def test_the_vectors_are_answered_by_these_checks() -> None:
    """Each invalid one by another check than a reader would think of first, and no valid one by any."""
    checks: set[Check] = set()
    for case in FORMATS[0].cases:
        if case.catches is not None:
            checks.add(refused(case.given["text"].encode(), case.given["code"]).check)
    assert checks == {
        *(Check.CODE_CHECKSUM, Check.CODE_FORM, Check.CODE_SEED, Check.CODE_ROUND, Check.CODE_TABLE, Check.CODE_GAME),
        *(Check.LOG_EXTENDS, Check.LOCK_OPENED, Check.OUTCOME, Check.NOTE_SIGNATURE),
    }
    with pytest.raises(NewerCode):
        checked(b"no proof", next(case.given["code"] for case in FORMATS[0].cases if "later version" in case.name))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its statuses, its words and its JSON."""
    operator = three_tables()
    operator.lock("keno")
    code = str(code_of(operator, "keno", 3))
    file, receipt = tmp_path / "3.proof", tmp_path / "5.receipt"
    file.write_bytes(bytes(proof_of(operator, "keno", 3)))
    receipt.write_bytes(bytes(proof_of(operator, "keno", 5)))
    trust = ("--key", str(VKEY))

    ran = Ran(capsys, "code", code, "--proof", file, *trust)
    assert (ran.status, ran.errors) == (HELD, "")
    first = ran.output.index("1. the code has no typing error")
    assert first < ran.output.index("3. the code's seeds are those that were revealed")
    assert first < ran.output.index("4. the file is a well-formed proof")
    assert "The whole lead: the file shows it by one lock only." in ran.output
    assert ran.output.splitlines()[-1].startswith("Held: Round 3 of keno was fixed before ")
    told = Ran(capsys, "code", code, "--proof", file, *trust, "--json").json
    alone = Ran(capsys, "proof", file, *trust, "--json").json
    assert told["code_checked"] == [
        {"check": "code-checksum", "what": Checked.NO_TYPING_ERROR, "records": []},
        {"check": "code-round", "what": Checked.CODE_OF_ROUND, "records": []},
        {"check": "code-seed", "what": Checked.CODE_SEEDS_REVEALED, "records": []},
    ]
    differing = {"command", "code_checked", "not_checked", "remarks"}
    assert (told["command"], told["verdict"]) == ("code", "held")
    assert {key: value for key, value in told.items() if key not in differing} == {
        key: value for key, value in alone.items() if key not in differing
    }

    ran = Ran(capsys, "code", str(code_of(operator, "keno", 5)), "--proof", receipt, *trust)
    assert ran.status == NOT_SHOWN
    assert ran.output.startswith("NOT SHOWN: code-round\n")
    assert "This says nothing about anybody" in ran.output
    told = Ran(capsys, "code", str(code_of(operator, "keno", 5)), "--proof", receipt, *trust, "--json").json
    assert (told["verdict"], told["check"], "evidence" in told) == ("not-shown", "code-round", False)

    newer = next(case.given for case in FORMATS[0].cases if case.name == "a code of a later version")
    for status, arguments in (
        (FAILED, (str(code_of(operator, "keno", 2)), "--proof", file)),
        (FAILED, (code, "--proof", file, "--table", "other")),
        (MISTYPED, (code[:-1] + ("q" if code[-1] != "q" else "p"), "--proof", file)),
        (MISTYPED, (code[:-1] + ("q" if code[-1] != "q" else "p"), "--proof", tmp_path / "none")),
        (UNKNOWN, (newer["code"], "--proof", file)),
        (UNREADABLE, (code, "--proof", tmp_path / "none")),
        (USAGE, (code, "--proof", file, "--bet", "no bet")),
        (USAGE, (code, "--proof", file, "--log", tmp_path)),
        (USAGE, (code,)),
    ):
        assert Ran(capsys, "code", *arguments, *trust).status == status, arguments


def test_bets_that_need_no_other_round_are_settled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they are with the log, in words and in JSON; a bet that needs an earlier round is refused, but in the first
    round.
    """
    operator = Operator()
    operator.table("cards", "hi-lo", betting="catalogue")
    operator.batch("cards", 20)
    operator.play("cards", 3)
    operator.lock("cards")
    operator.void("cards")
    log, trust = operator.write(tmp_path / "log"), ("--key", str(VKEY))
    (path,) = operator.paytables
    paid = ("--paytable", log / path)
    for number in (1, 2, 4):
        code, file = str(code_of(operator, "cards", number)), tmp_path / f"{number}.proof"
        file.write_bytes(bytes(proof_of(operator, "cards", number)))
        asked = ("code", code, "--bet", "red", "--bet", "black", *paid, *trust)
        by_file, by_log = (
            Ran(capsys, *asked, *where, "--json").json for where in (("--proof", file), ("--log", log))
        )
        assert by_file["bets"] == by_log["bets"]
        assert by_file["not_checked"][-1] == BETS_UNKNOWN
        in_words = [Ran(capsys, *asked, *where).output.splitlines() for where in (("--proof", file), ("--log", log))]
        shown, told = ([line for line in lines if line.startswith("Bet ")] for lines in in_words)
        assert (len(shown), shown) == (2, told)
        ran = Ran(capsys, "code", code, "--proof", file, "--bet", "hi", *paid, *trust)
        assert (ran.status, ran.output) == (USAGE, "")
        needs_another = "--bet hi needs an earlier round, which no proof file has: use --log instead of --proof"
        assert (needs_another in ran.errors) == (number > 1)


def test_a_fork_in_the_file_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a policy of several logs as well, of which the file's checkpoint chooses one."""
    log = Log(salted_operator().play("salty-1", 3))
    operator = log.operator
    others = [operator.records[0].replace(b"salty", b"siltx"), *operator.records[1:]]
    fork = witnessed_file(others, log.batch.index, log.pulse)
    table_id, code = operator.tables["salty-1"].table_id, str(code_of(operator, "salty-1", 5))
    policy = tmp_path / "policy"
    second = SigningKey("other.example/log", sha256(b"another")).verifier_key
    policy.write_bytes(f"log {second}\n".encode() + POLICY)
    for name, data, status in (("true", log.honest(), HELD), ("false", fork, FAILED)):
        file, evidence = tmp_path / f"{name}.proof", tmp_path / f"{name}.evidence"
        file.write_bytes(bytes(proof_from(log.files(data), table_id, 5)))
        ran = Ran(capsys, "code", code, "--proof", file, "--policy", policy, "--evidence", evidence, "--json")
        assert (ran.status, evidence.exists()) == (status, status == FAILED), ran.output
    told = json.loads(ran.output)
    assert (told["check"], told["evidence"]) == (Check.LOG_EXTENDS.value, str(evidence))
    check_evidence(evidence.read_bytes(), VKEY, name="evidence")
