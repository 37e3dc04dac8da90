"""A fork is shown by the log's signature alone: no witness's line, false or missing, keeps it from being
recognised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.log.checkpoints import SignedCheckpoint
from fairness.log.fork import Fork
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_of
from tests.support.ran import Ran
from tests.support.witnesses import LAB, PRESS, REGULATOR, cosigned, policy, policy_text
from verifier.commands.command import FAILED, HELD
from verifier.forks.evidence import check_evidence

Signed = Callable[[bytes], bytes]


def accepted(note: bytes) -> bytes:
    """The checkpoint with the quorum."""
    return cosigned(note, LAB, REGULATOR)


REFUSED: dict[str, Signed] = {
    "no cosignature": lambda note: note,
    "too few": lambda note: cosigned(note, PRESS),
    "a false line": lambda note: accepted(note) + PRESS.false_line(),
}
"""What the operator makes of a checkpoint so that a policy does not accept it."""


def history(name: str, rounds: int) -> Operator:
    """One of the operator's histories of one log."""
    operator = Operator()
    operator.table("keno-1", "keno-express", [name])
    operator.batch("keno-1", 40)
    return operator.play("keno-1", rounds)


def written(operator: Operator, folder: Path, signed: Signed) -> Path:
    """The operator's log, with a checkpoint to which ``signed`` added lines."""
    operator.write(folder)
    head = folder / "checkpoint"
    head.write_bytes(signed(head.read_bytes()))
    return folder


@pytest.fixture(name="signed", params=[*REFUSED.values()], ids=[*REFUSED])
def _signed(request: pytest.FixtureRequest) -> Signed:
    signed: Signed = request.param
    return signed


@pytest.fixture(name="trust")
def _trust(tmp_path: Path) -> list[str | Path]:
    (tmp_path / "policy").write_bytes(policy_text(KEY.verifier_key))
    return ["--policy", tmp_path / "policy", "--json"]


def check_proven(ran: Ran, capsys: pytest.CaptureFixture[str], trust: list[str | Path]) -> None:
    """The run found a fork, and kept evidence that holds for the same policy."""
    assert (ran.status, ran.json["check"]) == (FAILED, Check.LOG_EXTENDS.value)
    checked = Ran(capsys, "evidence", ran.json["evidence"], *trust)
    assert (checked.status, checked.json["verdict"]) == (HELD, "held")


@pytest.mark.parametrize("rounds", [3, 9], ids=["of the same size", "of a larger log"])
def test_an_audit_keeps_evidence(
    rounds: int, signed: Signed, trust: list[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a log that another one replaced."""
    audit: list[str | Path] = ["audit", tmp_path / "log", "--jobs", "1", "--state", tmp_path / "state", *trust]
    written(history("seen", 3), tmp_path / "log", accepted)
    assert Ran(capsys, *audit).status == HELD
    (tmp_path / "log").rename(tmp_path / "gone")
    written(history("another", rounds), tmp_path / "log", signed)
    check_proven(Ran(capsys, *audit), capsys, trust)


def test_a_comparison_keeps_evidence(
    signed: Signed, trust: list[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two places, neither of which shows a checkpoint that the policy accepts."""
    one = written(history("seen", 3), tmp_path / "one", signed)
    other = written(history("another", 9), tmp_path / "other", signed)
    check_proven(Ran(capsys, "compare", one, other, "-o", tmp_path / "fork", *trust), capsys, trust)


@pytest.mark.parametrize("at", [0, 1])
def test_two_places_that_show_one_log_need_the_quorum(
    at: int, trust: list[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of them; the failure names the place, and no file is written."""
    operator = history("seen", 3)
    places = [written(operator, tmp_path / name, accepted) for name in ("one", "other")]
    written(operator, places[at], REFUSED["too few"])
    failed = Ran(capsys, "compare", *places, "-o", tmp_path / "fork", *trust)
    assert (failed.status, failed.json["check"]) == (FAILED, Check.CHECKPOINT_QUORUM.value)
    assert failed.json["where"] == f"checkpoint of {places[at]}"
    assert not (tmp_path / "fork").exists()


def test_a_receipt_shows_a_fork(
    signed: Signed, trust: list[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although the policy accepts neither the receipt's checkpoint nor the log's."""
    proof = proof_of(history("seen", 3), "keno-1", 3)
    (tmp_path / "receipt").write_bytes(bytes(replace(proof, checkpoint=signed(proof.checkpoint))))
    log = written(history("another", 9), tmp_path / "log", signed)
    receipt = ["receipt", tmp_path / "receipt", "--log", log, "--evidence", tmp_path / "fork", *trust]
    check_proven(Ran(capsys, *receipt), capsys, trust)


def test_a_receipt_that_the_log_extends_needs_the_quorum(
    signed: Signed, trust: list[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log's checkpoint has it, and the receipt's does not."""
    proof = proof_of(history("seen", 3), "keno-1", 3)
    (tmp_path / "receipt").write_bytes(bytes(replace(proof, checkpoint=signed(proof.checkpoint))))
    log = written(history("seen", 9), tmp_path / "log", accepted)
    failed = Ran(capsys, "receipt", tmp_path / "receipt", "--log", log, *trust)
    assert failed.status == FAILED
    assert failed.json["check"] in {Check.CHECKPOINT_QUORUM.value, Check.NOTE_SIGNATURE.value}


def test_evidence_leaves_out_cosignatures_that_do_not_verify() -> None:
    """They accuse no witness, and hide none that did cosign."""
    notes = [history(name, rounds).files()["checkpoint"] for name, rounds in (("seen", 3), ("another", 3))]
    first, second = sorted(notes, key=lambda note: SignedCheckpoint.open(note, KEY.verifier_key).checkpoint.root)
    fork = Fork(cosigned(first, LAB, PRESS) + REGULATOR.false_line(), accepted(second) + PRESS.false_line())
    report = check_evidence(bytes(fork), policy(KEY.verifier_key), name="evidence")
    assert [witness.name for witness in report.smaller.last_seen] == ["lab", "press"]
    assert [witness.name for witness in report.larger.last_seen] == ["lab", "regulator"]
    assert report.cosigned_both == ["lab"]
