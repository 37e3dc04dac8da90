"""A log whose name ends in ``/sandbox`` proves nothing: every program that judges it says so, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.log.checkpoints import is_sandbox
from tests.oracles.second_verifier import SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import Operator
from tests.support.ran import Ran
from tests.support.sandbox import KEY, VKEY, files_of, played, written
from tests.support.verdicts import hexed, receipts_of
from tests.support.watching import Watching
from verifier.commands.command import FAILED, UNKNOWN, USAGE
from verifier.sentences import Line, Verdict
from verifier.watch.events import EventKind

SAID = Line.SANDBOX.fill(verdict=Verdict.PROVES_NOTHING)


@pytest.fixture(name="log")
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    operator = played()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").write_text(str(code_of(operator, "keno-1", 1)), "ascii")
    (tmp_path / "receipt").write_bytes(receipts_of(operator, "keno-1", 1)[0])
    forked = played()
    forked.end("keno-1")
    written(forked, tmp_path / "other")
    return written(operator, tmp_path / "log")


COMMANDS = {
    "audit": ["audit", "log"],
    "code": ["code", "CODE", "--log", "log"],
    "bet": ["bet", "receipt", "--log", "log"],
    "prove": ["prove", "CODE", "--log", "log", "-o", "round.proof"],
    "compare": ["compare", "log", "other"],
}


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ran:
    """Run a command with the sandbox's key."""
    code = Path("code").read_text("ascii")
    return Ran(capsys, *(code if each == "CODE" else each for each in arguments), "--key", VKEY)


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_with_sandbox(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 6, and one sentence that nobody takes for more than a test."""
    ran = run(capsys, *COMMANDS[name])
    assert (ran.status, ran.output.splitlines()[-1]) == (UNKNOWN, SAID)
    ran = run(capsys, *COMMANDS[name], "--json")
    assert (ran.status, ran.json["verdict"]) == (UNKNOWN, "sandbox")


@pytest.mark.usefixtures("log")
def test_proof_files_and_evidence_end_with_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    """A proof file, a receipt that is completed; and a fork, whose evidence is of a test."""
    assert run(capsys, *COMMANDS["prove"]).status == UNKNOWN
    for command in (["proof", "round.proof"], ["receipt", "round.proof", "--log", "other"]):
        ran = run(capsys, *command)
        assert (ran.status, ran.output.splitlines()[-1]) == (UNKNOWN, SAID)
    another = Operator(origin=KEY.name)
    another.table("keno-2", "keno-express")
    written(another, Path("another"))
    assert run(capsys, "compare", "log", "another", "-o", "fork").status == FAILED
    ran = run(capsys, "evidence", "fork")
    assert (ran.status, ran.output.splitlines()[-1]) == (UNKNOWN, SAID)
    assert run(capsys, "evidence", "fork", "--json").json["verdict"] == "sandbox"


@pytest.mark.usefixtures("log")
def test_statistics_end_with_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither held nor improbable; the report's heading says it, too."""
    ran = run(capsys, "stats", "log", "-o", "report.html")
    assert (ran.status, ran.output.splitlines()[-1]) == (UNKNOWN, SAID)
    assert run(capsys, "stats", "log", "--json").json["verdict"] == "sandbox"
    assert f"<h2>– {Verdict.PROVES_NOTHING}</h2>" in Path("report.html").read_text("utf-8")


def test_what_is_wrong_in_it_fails_as_always(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sandbox excuses nothing."""
    lied = played(outcome={"numbers": list(range(1, 21))})
    ran = Ran(capsys, "audit", written(lied, tmp_path / "log"), "--key", VKEY, "--json")
    assert (ran.status, ran.json["check"]) == (FAILED, "outcome")


def test_a_watch_says_it_and_ends_with_it(log: Path, tmp_path: Path) -> None:
    """It is an event of its own, and no alarm."""
    watching = Watching(tmp_path, log, KEY.verifier_key)
    watching.watch.begin()
    assert [(news.kind, news.is_alarm) for news in watching.news] == [
        (EventKind.BEGUN, False),
        (EventKind.SANDBOX, False),
    ]
    assert watching.kinds() == [EventKind.GREW]


def test_a_witness_refuses_it(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is cosigned that proves nothing: it does not even begin."""
    words = ["witness", "--listen", "127.0.0.1:9", "--sign-with", "no key", "--key", VKEY]
    ran = Ran(capsys, *words, "--log", log, "--state", tmp_path / "seen")
    assert (ran.status, ran.output) == (USAGE, "")
    assert "is a sandbox, which proves nothing, so no witness cosigns it" in ran.errors


@pytest.mark.usefixtures("log")
def test_the_second_verifier_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a code, a proof file, a bet and evidence: the verdict, and its line word for word."""
    operator = played()
    files, code = files_of(operator), str(code_of(operator, "keno-1", 1))
    assert run(capsys, *COMMANDS["prove"]).status == UNKNOWN
    proof, receipt = Path("round.proof").read_bytes(), Path("receipt").read_bytes()
    with SecondVerifier() as second:
        answers = [
            second.ask("code", text=code, files=hexed(files), key=VKEY),
            second.ask("proof", hex=proof.hex(), key=VKEY),
            second.ask("bet", hex=receipt.hex(), files=hexed(files), key=VKEY),
        ]
    assert [(answer["verdict"], answer["words"]) for answer in answers] == [("sandbox", SAID)] * 3


def test_only_the_end_of_a_name_makes_a_sandbox() -> None:
    """A log that merely has the word in its name is a log like any other."""
    assert is_sandbox("fore.example/sandbox")
    assert not any(map(is_sandbox, ("fore.example/sandbox/log", "fore.example/mysandbox", "sandbox", "x/Sandbox")))
