"""docs/verdict.schema.json: what every ``--json`` prints. `tests/conftest.py` checks each answer of the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.ran import Ran
from tests.verdict_schema import ANSWERS, FILE, check, schema, written
from verifier.commands import COMMANDS
from verifier.commands.command import USAGE

USAGE_SHOWN: dict[str, Any] = {"v": 1, "command": "audit", "verdict": "wrong-usage", "why": "no log"}
UNKNOWN: dict[str, Any] = {"v": 1, "command": "code", "verdict": "unknown", "unknown": ["a beacon"]}


def test_the_file_is_made_of_the_types() -> None:
    """`python -m tests.verdict_schema` writes it anew; and it is a schema of the dialect that it names."""
    assert FILE.read_text("utf-8") == written()
    Draft202012Validator.check_schema(schema())


def test_every_command_is_described() -> None:
    """Those that print JSON: all, and `bets` by the body that it prints."""
    assert {*COMMANDS, "doctor"} == {*ANSWERS, "bets"}


def test_it_is_open() -> None:
    """Keys, verdicts and commands may come; what is there keeps its form."""
    open_to_all = Draft202012Validator(json.loads(FILE.read_text("utf-8")))
    for answer in (
        USAGE_SHOWN | {"new": 1},
        {"v": 1, "command": "new", "verdict": "held"},
        {"v": 1, "command": "new", "verdict": "new"},
        UNKNOWN | {"new": {}},
        {"bets": {"count": 0, "root": "00" * 32, "new": []}},
    ):
        assert open_to_all.is_valid(answer), answer
    for answer in (
        {"v": 1, "command": "audit", "verdict": "held"},
        {"v": 1, "command": "new", "verdict": "failed"},
        {"v": 2, "command": "new", "verdict": "new"},
        UNKNOWN | {"unknown": "a beacon"},
        UNKNOWN | {"log": {"origin": "x", "size": 1, "root": ""}},
        {"verdict": "held"},
    ):
        assert not open_to_all.is_valid(answer), answer


@pytest.mark.parametrize(
    "answer",
    [
        {"v": 1, "command": "audit", "verdict": "held"},
        USAGE_SHOWN | {"new": 1},
        {key: value for key, value in UNKNOWN.items() if key != "v"},
        {"v": 1, "command": "policy", "logs": []},
        {"bets": {"count": 0, "root": "00" * 32, "new": []}},
    ],
    ids=["keys are missing", "a key more", "no version", "one missing", "one more, inside"],
)
def test_what_is_not_described_fails_a_test(answer: dict[str, Any]) -> None:
    """So no key is printed that the schema does not have."""
    with pytest.raises(AssertionError):
        check(answer)


def test_what_a_program_prints_is_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every test that runs it."""
    check(Ran(capsys, "audit", "--json").json)
    monkeypatch.setattr("verifier.cli.usage_json", lambda *_: {"v": 1, "verdict": "none"})
    with pytest.raises(AssertionError):
        Ran(capsys, "audit", "--json")


def test_wrong_usage_without_a_command_is_described(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Which has no command."""
    for arguments in (["--json"], ["nothing", "--json"], ["policy", str(tmp_path / "none"), "--no", "--json"]):
        ran = Ran(capsys, *arguments)
        assert ran.status == USAGE
        check(ran.json)
