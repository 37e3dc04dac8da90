"""Section 1.1 of SPEC.md: its bytes are those that the protocol's code makes, and both verifiers hold its round.

`test_spec` runs its commands.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairness.policy.policy import Policy
from fairness.policy.witnessed import check_witnessed, witnessed_path
from fairness.times import seconds_in_words
from tests.oracles.second_verifier import SecondVerifier
from tests.support import salted_example as example
from tests.support.spec_page import blocks, section, session
from tests.support.verdicts import hexed
from verifier.cli import main
from verifier.commands.command import HELD


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    for path, data in example.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "policy").write_text(blocks("1.1", "text")[0])
    return tmp_path


def test_the_page_shows_what_the_code_makes() -> None:
    """The policy, the witnessed file, the records, the last checkpoint, and the code of the round."""
    assert blocks("1.1", "text") == [example.policy(), example.witnessed().decode()]
    records, checkpoint = blocks("1.1")
    assert records.encode().splitlines() == [*example.RECORDS]
    assert checkpoint == example.files()["checkpoint"].decode()
    assert f"`{example.CODE}`" in section("1.1")
    assert f"`{witnessed_path(example.BATCH_ID)}`" in section("1.1")


def test_the_times_are_those_of_beacon_and_witnesses() -> None:
    """The pulse's time in words, and how long before it each witness saw the batch."""
    time = example.NODE.beacon.time_of(example.PULSE)
    assert f"{time}, which is {seconds_in_words(time)}" in section("1.1")
    policy = Policy.parse(example.policy().encode())
    found = check_witnessed(example.witnessed(), batch_id=example.BATCH_ID, index=1, pulse=time, policy=policy)
    seen = found.head.last_seen.values()
    printed = [output for command, output in session() if command.startswith("cosigned ")]
    assert printed == [f"Signature Verified Successfully\n{time - each}\n" for each in seen]


def test_the_audit_holds_it(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the page's policy; everything that depends on its beacon was checked."""
    assert main(["audit", str(log), "--policy", str(log / "policy"), "--json"]) == HELD
    assert json.loads(capsys.readouterr().out)["verdict"] == "held"


def test_both_verifiers_hold_the_round(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its code, with the page's policy, and with the outcome that was computed by hand."""
    assert main(["code", example.CODE, "--log", str(log), "--policy", str(log / "policy"), "--json"]) == HELD
    ours = json.loads(capsys.readouterr().out)
    with SecondVerifier() as second:
        theirs = second.ask("code", text=example.CODE, policy=example.policy(), files=hexed(example.files()))
    assert (ours["verdict"], theirs["verdict"]) == ("held", "held")
    by_hand = [int(output.split()[-1]) for command, output in session() if command.startswith("salted_word=")]
    assert ours["outcome"] == theirs["outcome"] == {"number": by_hand[0]}
