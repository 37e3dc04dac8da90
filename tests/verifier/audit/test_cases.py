"""The dishonest operator's cases (``tests/cases``): each is refused with exactly its error, by the program itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fairness.checks import Check
from tests.recipes import Json
from tests.recipes.cases.catalogue import CASES, files
from tests.recipes.cases.told import CHEATS, FOLDER, VKEY, Told
from tests.support.watching import PATIENCE, Watching
from verifier.cli import main
from verifier.watch.events import EventKind

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_the_folders_are_what_their_recipes_make() -> None:
    """Nobody edits a case by hand; ``python -m tests.recipes`` writes them."""
    found = {path.relative_to(FOLDER): path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()}
    made = files()
    assert found.keys() == made.keys()
    assert [str(path) for path, data in made.items() if found[path] != data] == []


def ran(case: Told, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Json:
    """What the last command of a case prints; the earlier commands must hold."""
    expected = json.loads((FOLDER / case.name / "expected.json").read_text("utf-8"))
    shutil.copytree(FOLDER / case.name, folder, dirs_exist_ok=True)
    monkeypatch.chdir(folder)
    *first, last = expected["commands"]
    for command in first:
        assert main([*command, *case.trust, "--json"]) == 0
    capsys.readouterr()
    # One process is enough for so few records.
    jobs = ["--jobs", "1"] if last[0] == "audit" else []
    assert main([*last, *jobs, *case.trust, "--json"]) == expected["status"]
    verdict: Json = json.loads(capsys.readouterr().out)
    return verdict


@every_case
def test_the_verdict_is_the_cases_own(
    case: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check, its meaning and the record; or, if the log breaks no rule, what the verdict reports nevertheless."""
    verdict = ran(case, tmp_path, capsys, monkeypatch)
    if case.check is None:
        named = {0: {"held"}, 4: {"unreadable"}, 6: {"unknown", "sandbox"}}
        assert verdict["verdict"] in named[case.expected["status"]]
        assert tells(verdict, case.tells)
    else:
        verdicts = {3: "failed", 7: "not-shown", 8: "mistyped"}
        expected = {"verdict": verdicts[case.expected["status"]], "check": case.check.value}
        assert verdict.get("record") == case.record
        assert {key: verdict[key] for key in expected} == expected
        assert verdict["meaning"] == case.expected["meaning"]


def tells(told: object, expected: object) -> bool:
    """Whether every key and every entry of a list is reported."""
    if isinstance(expected, dict):
        return isinstance(told, dict) and all(tells(told.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(told, list) and all(any(tells(have, want) for have in told) for want in expected)
    return told == expected


def of_command(name: str) -> list[Told]:
    """The cases whose last command is this one, and fails."""
    return [case for case in CASES if case.check is not None and case.commands[-1][0] == name]


IN_A_PROOF = [case for case in CASES if case.in_proof is not None]


@pytest.mark.parametrize("case", IN_A_PROOF, ids=lambda case: case.name)
def test_the_proof_of_the_round_shows_the_lie(case: Told, capsys: pytest.CaptureFixture[str]) -> None:
    """Offline, from a few records: the same record that an audit refuses, by a check that needs no other records."""
    folder = FOLDER / case.name
    assert main(["proof", str(folder / "round.proof"), "--key", VKEY, "--json"]) == 3
    verdict = json.loads(capsys.readouterr().out)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["proof"]
    assert {key: verdict[key] for key in expected} == expected


HISTORIES = [case for case in of_command("audit") if len(case.commands) > 1]


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_a_watch_that_saw_another_history_raises_the_alarm(case: Told, tmp_path: Path) -> None:
    """As an audit does that remembers it. The cases with one log are in ``test_watch_lies``."""
    watching = Watching(tmp_path, tmp_path / "log")
    for command in case.commands:
        shutil.rmtree(tmp_path / "log", ignore_errors=True)
        shutil.copytree(FOLDER / case.name / command[1], tmp_path / "log")
        watching.turn()
    failures = [news.failure for news in watching.news if news.failure is not None]
    assert [(failure.check, failure.index) for failure in failures] == [(case.check, case.record)]


def test_a_watch_raises_the_alarm_when_a_round_hangs(tmp_path: Path) -> None:
    """An audit only reports it; a watch knows how long it lasts."""
    (case,) = (case for case in CASES if case.what == "a round that is not revealed")
    shutil.copytree(FOLDER / case.name / "log", tmp_path / "log")
    watching = Watching(tmp_path, tmp_path / "log")
    assert watching.kinds() == [EventKind.GREW]
    assert watching.kinds(PATIENCE) == [EventKind.STALLED]
    assert "round 3" in watching.news[-1].text


@pytest.mark.parametrize(
    "case",
    [*of_command("compare"), *(case for case in of_command("receipt") if case.check is Check.LOG_EXTENDS)],
    ids=lambda case: case.name,
)
def test_a_fork_leaves_evidence(
    case: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If two signed checkpoints contradict each other, the file that is kept proves it to anybody with the key."""
    shutil.copytree(FOLDER / case.name, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    option = "-o" if case.commands[-1][0] == "compare" else "--evidence"
    assert main([*case.commands[-1], option, "fork.txt", *case.trust]) == 3
    assert main(["evidence", "fork.txt", "--key", VKEY]) == 0
    assert "Proven: The holder of the key" in capsys.readouterr().out


UNREACHABLE = {Check.BATCH_LAST}
"""No log is long enough to reach round 2^48; ``test_limits`` starts just before it."""


def test_every_check_has_a_case() -> None:
    """Every rule about records, files, codes and bets."""
    shown = {case.check for case in CASES if case.check is not None}
    assert shown == set(Check) - UNREACHABLE


@pytest.mark.parametrize("cheat", CHEATS)
def test_every_cheat_is_shown(cheat: str) -> None:
    """By a case that fails, or by what the verdict says if no log could show it."""
    assert any(case.cheat == cheat for case in CASES)


@every_case
def test_a_case_is_small_and_named_for_what_it_shows(case: Told) -> None:
    """A few kilobytes, except where the rule itself is about many records."""
    size = sum(path.stat().st_size for path in (FOLDER / case.name).rglob("*") if path.is_file())
    assert size < (60_000 if case.check is Check.BATCH_PENDING else 20_000)
    assert case.name.endswith("_told" if case.check is None else "_fail" if case.is_shown else "_not-shown")
    assert case.expected["key"] == VKEY
