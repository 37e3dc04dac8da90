"""Rounds whose batch witnesses saw: by their codes, their proof files and receipts, and what a policy refuses (SPEC
5.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.policy.policy import Policy, Trust
from fairness.policy.witnessed import witnessed_path
from fairness.round.proof import RoundProof
from fairness.round.prover import check_stands_in_proof
from fairness.times import seconds_in_words
from tests.support.beacons import OURS
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.logs import write_files
from tests.support.proofs import proof_from, seen_sections
from tests.support.verdicts import receipts_of
from tests.support.witnessed import EARLY, POLICY, pulse_time, salted_operator, witnessed_file, witnessed_log
from tests.support.witnesses import LAB, policy
from verifier.forks.evidence import check_evidence
from verifier.forks.extension import NotAnExtension
from verifier.round.bet_check import check_bet_by_proof
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.round.proving import complete_receipt
from verifier.sentences import Checked, NotChecked
from verifier.sources.source import FolderSource

TRUST = Policy.parse(POLICY)
UNKNOWING = policy(KEY.verifier_key)
"""The same, but without the beacon."""
KEY_ALONE = Policy(KEY.verifier_key, beacons=(OURS,))


@pytest.fixture(scope="module")
def operator() -> Operator:
    return salted_operator()


def first_batch(operator: Operator) -> tuple[str, int, int]:
    """Its file, its index, and when its pulse can exist."""
    batch = operator.tables["salty-1"].batches[0]
    return witnessed_path(batch.batch_id), batch.index, pulse_time(operator, batch)


def checked_both_ways(operator: Operator, files: Mapping[str, bytes], folder: Path, trust: Trust) -> None:
    """Check the first round by its code, and by the proof file that the log gives."""
    check_round(FolderSource(write_files(folder, files)), trust, str(code_of(operator, "salty-1", 1)))
    check_proof(bytes(proof_from(files, operator.tables["salty-1"].table_id, 1)), trust)


def test_a_witnessed_batch_is_told_with_its_time_and_its_witnesses(operator: Operator, tmp_path: Path) -> None:
    """And the verdict no longer leaves the order of commitment and pulse to the operator's clock."""
    source = FolderSource(write_files(tmp_path, witnessed_log(operator)))
    _, index, pulse = first_batch(operator)
    report = check_round(source, TRUST, str(code_of(operator, "salty-1", 1)))
    assert report.witnessed is not None
    assert {each.name: time for each, time in report.witnessed.cosigned.items()} == {
        "lab": pulse - EARLY,
        "press": pulse - EARLY,
    }
    sentence = Checked.BATCH_WITNESSED.fill(time=seconds_in_words(pulse - EARLY))
    assert (index,) in [each.records for each in report.passed if each.text == sentence]
    assert NotChecked.SALT_WITNESSED in report.not_checked
    assert NotChecked.SALT_BY_CLOCK not in report.not_checked
    proof = check_proof(bytes(proof_from(witnessed_log(operator), operator.tables["salty-1"].table_id, 1)), TRUST)
    assert proof.witnessed == report.witnessed
    assert sentence in [each.text for each in proof.passed]


def test_with_the_key_alone_the_file_is_not_asked_for(operator: Operator, tmp_path: Path) -> None:
    """Then the clock of the operator is what is left."""
    files = {path: data for path, data in witnessed_log(operator).items() if not path.startswith("witnessed/")}
    checked_both_ways(operator, files, tmp_path, KEY_ALONE)
    report = check_round(FolderSource(tmp_path), KEY_ALONE, str(code_of(operator, "salty-1", 1)))
    assert (report.witnessed, NotChecked.SALT_BY_CLOCK in report.not_checked) == (None, True)


def test_two_quorums_without_a_common_witness_are_told(operator: Operator, tmp_path: Path) -> None:
    """Then several batches may have been witnessed."""
    apart = Policy.parse(POLICY.replace(b"outsiders 2", b"outsiders any"))
    report = check_round(
        FolderSource(write_files(tmp_path, witnessed_log(operator))), apart, str(code_of(operator, "salty-1", 1))
    )
    assert NotChecked.SALT_WITNESSED_APART in report.not_checked


@pytest.mark.parametrize("fault", ["missing", "one of two", "too late"])
def test_a_batch_that_was_not_witnessed_in_time_is_refused(operator: Operator, tmp_path: Path, fault: str) -> None:
    """By its code and by its proof, at the batch's record."""
    files = witnessed_log(operator)
    path, index, pulse = first_batch(operator)
    if fault == "missing":
        del files[path]
    elif fault == "one of two":
        files[path] = witnessed_file(operator.records, index, pulse - EARLY, witnesses=[LAB])
    else:
        files[path] = witnessed_file(operator.records, index, pulse - 9)
    folder = write_files(tmp_path, files)
    with pytest.raises(CheckFailed) as by_code:
        check_round(FolderSource(folder), TRUST, str(code_of(operator, "salty-1", 1)))
    proof = bytes(proof_from(files, operator.tables["salty-1"].table_id, 1))
    with pytest.raises(CheckFailed) as by_proof:
        check_proof(proof, TRUST)
    for failure in (by_code.value, by_proof.value):
        assert (failure.check, failure.index) == (Check.BATCH_WITNESSED, index)
    check_proof(proof, KEY_ALONE)


def test_of_an_unknown_beacon_only_the_quorum_is_demanded(operator: Operator, tmp_path: Path) -> None:
    """Nobody knows when its pulse was."""
    files = witnessed_log(operator)
    path, index, pulse = first_batch(operator)
    files[path] = witnessed_file(operator.records, index, pulse + 9)
    report = check_round(FolderSource(write_files(tmp_path, files)), UNKNOWING, str(code_of(operator, "salty-1", 1)))
    assert report.unknown
    sentence = Checked.BATCH_WITNESSED_UNKNOWN.fill(time=seconds_in_words(pulse + 9))
    assert sentence in {each.text for each in report.passed}
    files[path] = witnessed_file(operator.records, index, pulse - EARLY, witnesses=[LAB])
    with pytest.raises(CheckFailed, match="batch-witnessed"):
        check_round(FolderSource(write_files(tmp_path, files)), UNKNOWING, str(code_of(operator, "salty-1", 1)))


def test_a_table_without_a_salt_needs_no_witnessed_batch(operator: Operator) -> None:
    """And its proof has no such section."""
    files = witnessed_log(operator)
    other = salted_operator()
    other.play("sic-bo-1", 2)
    proof = proof_from(witnessed_log(other), other.tables["sic-bo-1"].table_id, 1)
    assert proof.witnessed is None
    assert check_proof(bytes(proof), TRUST).witnessed is None
    path, _, _ = first_batch(operator)
    false = bytes(proof).replace(b"\n\ncommitment\n", b"\n\nwitnessed\n" + files[path] + b"\ncommitment\n", 1)
    with pytest.raises(CheckFailed, match="proof-form"):
        check_proof(false, KEY_ALONE)


def test_the_section_stands_after_the_salt_and_nowhere_else(operator: Operator) -> None:
    """What was read is what was written; without a salt it follows the batch."""
    proof = proof_from(witnessed_log(operator), operator.tables["salty-1"].table_id, 3)
    data = bytes(proof)
    assert RoundProof.parse(data) == proof
    assert proof.witnessed is not None
    section = seen_sections(data)
    assert section.startswith(b"witnessed\n" + proof.witnessed + b"\nconsistency\n")
    assert section + b"lead-lock\n" in data
    moved = data.replace(section, b"").replace(b"\ncommitment\n", b"\n" + section + b"commitment\n")
    for false in (
        moved,
        data.replace(section, section * 2),
        data.replace(section, section.replace(b"index ", b"index 0")),
    ):
        assert false != data
        with pytest.raises(Malformed):
            RoundProof.parse(false)


def test_a_log_named_checkpoint_has_proofs_like_any_other(operator: Operator) -> None:
    """The first line of the witnesses' checkpoint is no section."""
    proof = proof_from(witnessed_log(operator), operator.tables["salty-1"].table_id, 3)
    data = bytes(proof).replace(b"\n\nfore.example/log\n", b"\n\ncheckpoint\n")
    again = RoundProof.parse(data)
    assert (bytes(again), again.checkpoint) == (data, proof.checkpoint)


@pytest.mark.parametrize("damage", [b"", b"rubbish\n", b"more\n\n"])
def test_a_file_that_no_proof_can_carry_is_left_out(operator: Operator, damage: bytes) -> None:
    """Only a policy demands it, so without one the proof is made all the same."""
    files = witnessed_log(operator)
    path, _, _ = first_batch(operator)
    files[path] = (files[path] if damage.startswith(b"more") else b"") + damage
    proof = proof_from(files, operator.tables["salty-1"].table_id, 1)
    assert proof.witnessed is None
    check_proof(bytes(proof), KEY_ALONE)
    with pytest.raises(Malformed):
        check_stands_in_proof(files[path])


def test_a_receipt_is_completed_with_what_the_log_has_now(operator: Operator, tmp_path: Path) -> None:
    """A receipt of a table that had no witnesses then is no contradiction: the file is no record."""
    files = witnessed_log(operator)
    before = salted_operator()
    receipt = bytes(proof_from(before.files(), before.tables["salty-1"].table_id, 4))
    with pytest.raises(CheckFailed, match="checkpoint-quorum"):
        complete_receipt(FolderSource(write_files(tmp_path, files)), TRUST, receipt)
    data, report = complete_receipt(FolderSource(tmp_path), KEY_ALONE, receipt)
    assert (report.stage, RoundProof.parse(data).witnessed is not None) == ("committed", True)
    witnessed = bytes(proof_from(witnessed_log(before), before.tables["salty-1"].table_id, 4))
    data, report = complete_receipt(FolderSource(tmp_path), TRUST, witnessed)
    assert report.witnessed is not None


def test_a_receipt_whose_witnesses_saw_another_history_shows_a_fork(operator: Operator, tmp_path: Path) -> None:
    """Although its own checkpoint is one of the log's, and whomever the reader trusts.

    The file alone shows no fork, for the hashes of a power of two leave out its root; the log's tiles do.
    """
    path, index, pulse = first_batch(operator)
    table_id, files = operator.tables["salty-1"].table_id, witnessed_log(operator)
    other = [operator.records[0].replace(b"salty", b"siltx"), *operator.records[1:]]
    seen = witnessed_file(other, index, pulse - EARLY)
    receipt = bytes(proof_from(files | {path: seen}, table_id, 1))
    source = FolderSource(write_files(tmp_path, files))
    for trust in (TRUST, KEY_ALONE):
        with pytest.raises(CheckFailed, match="log-extends") as alone:
            check_proof(receipt, trust)
        assert not isinstance(alone.value, NotAnExtension)
        with pytest.raises(NotAnExtension) as failure:
            complete_receipt(source, trust, receipt)
        assert check_evidence(bytes(failure.value.fork), trust, name="fork").smaller.checkpoint.size == index + 1


def test_a_bet_by_a_proof_needs_its_witnessed_batch() -> None:
    """The proof must hold as a whole."""
    operator = salted_operator()
    files = witnessed_log(operator)
    path, _, _ = first_batch(operator)
    del files[path]
    proof = bytes(proof_from(files, operator.tables["salty-1"].table_id, 1))
    receipt, *_ = receipts_of(operator, "salty-1", 1)
    with pytest.raises(CheckFailed) as failure:
        check_bet_by_proof(proof, TRUST, receipt)
    assert failure.value.check is Check.BATCH_WITNESSED
