"""``foredraw-verify stats`` on real logs, of honest operators and of operators that choose what the rules let them
choose.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.made_log import LogMaker, Table
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash, sha256
from fairness.log.notes import SigningKey
from fairness.records.record import encode_record
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from verifier.commands import stats
from verifier.commands.command import FAILED, HELD, IMPROBABLE, UNKNOWN, UNREADABLE, USAGE

MAKERS_KEY = SigningKey("fore.example/log", bytes(32))
MAKERS_VKEY, VKEY = str(MAKERS_KEY.verifier_key), str(KEY.verifier_key)
ROUNDS = 1_500


class Chooser(LogMaker):
    """Tries many last seeds for each batch and commits the one with the fewest red cards; without a salt nobody can
    see it.
    """

    TRIED = 12

    def secret_for(self, table: Table, committed: str) -> bytes:
        """The best of many seeds, for the house."""
        honest = super().secret_for(table, committed)
        return min(
            (sha256(honest + bytes([n])) for n in range(self.TRIED)), key=lambda s: self._red(table, s, committed)
        )

    def _red(self, table: Table, secret: bytes, committed: str) -> int:
        record, seeds, _ = self.made_batch(table, secret, committed)
        of_batch = context(leaf_hash(encode_record(record)))
        drawn = (
            table.game.outcome(Stream([seed], of_batch, number), table.rules)
            for number, seed in enumerate(seeds, record.first)
        )
        return sum(card.get("color") == "red" for card in drawn)


def made(kind: type[LogMaker], folder: Path) -> Path:
    """A log of one table of HI LO."""
    maker = kind(folder, MAKERS_KEY, batch=200)
    maker.start(["hi-lo"])
    maker.deal(ROUNDS)
    maker.publish()
    return folder


def voiding(folder: Path, *, chooses: bool) -> Path:
    """A log with a tenth of its rounds void: of any colour, or only red ones."""
    operator, color = Operator(), "red"
    operator.table("hi-lo-1", "hi-lo")
    operator.batch("hi-lo-1", 1_300)
    seen = 0
    for number in range(1, 1_201):
        operator.lock("hi-lo-1")
        outcome = operator.tables["hi-lo-1"].outcome_of(number)
        assert isinstance(outcome, dict)
        seen += outcome.get("color") == color or not chooses
        if (outcome.get("color") == color or not chooses) and seen % (5 if chooses else 10) == 0:
            operator.void("hi-lo-1")
        else:
            operator.reveal("hi-lo-1")
    return operator.write(folder)


def alarms(ran: Ran) -> set[tuple[str, str]]:
    """The tests that raised an alarm."""
    return {(each["test"], each["subject"]) for each in json.loads(ran.output)["alarms"]}


@pytest.mark.nightly("writes the report of a log")
def test_a_log_with_something_newer_has_not_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the terminal nor the report says that it did, or that outcomes follow which nobody could compute."""
    operator, report = Operator(), tmp_path / "report.html"
    operator.table("dice", "dice-duel")
    operator.table("newer", "own", declared={"draw": [["x", "jump"]]})
    for table in ("dice", "newer"):
        operator.batch(table, 40)
        operator.play(table, 30)
    ran = Ran(capsys, "stats", operator.write(tmp_path / "log"), "--key", VKEY, "-o", report)
    assert (ran.status, ran.errors) == (UNKNOWN, "")
    assert not [line for line in ran.output.splitlines() if line.startswith("Held")]
    assert ran.output.splitlines()[-1].startswith("UNKNOWN: Something is unknown to this verifier")
    assert "No alarm: " in ran.output.splitlines()[-1]
    assert "every outcome that is known here follows" in ran.output
    page = report.read_text("utf-8")
    assert "the log has neither held nor failed: The game of newer: " in page
    assert "every rule held" not in page
    assert "✓" not in page


def test_an_honest_log_holds_and_says_what_it_rests_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0, every test with its null and its power, and the report; one process or two give the same figures."""
    log, report = made(LogMaker, tmp_path / "log"), tmp_path / "report.html"
    ran = Ran(capsys, "stats", log, "--key", MAKERS_VKEY, "-o", report)
    assert (ran.status, ran.errors) == (HELD, "")
    assert ran.output.splitlines()[-1].startswith("Held, and no alarm: ")
    assert "Would have noticed" in ran.output
    assert "pairs of cards: needs 50,000 rounds" in ran.output
    assert "No salt" in ran.output
    assert report.read_bytes().startswith(b"<!doctype html>")
    found = [
        json.loads(Ran(capsys, "stats", log, "--key", MAKERS_VKEY, "--json", "--jobs", jobs).output)
        for jobs in ("1", "2")
    ]
    assert found[0] == found[1]
    assert (found[0]["verdict"], found[0]["alarms"], "written" in found[0]) == ("held", [], False)
    for test in found[0]["tests"]:
        assert ("p" not in test) == bool(test["skipped"]) == ("adjusted_p" not in test)
        assert test["skipped"] or (test["null_law"] and test["observed"] and test["expected"] and test["power"])
        assert (
            any(test["null_law"].startswith(kind) for kind in ("exact", "limit", "")) or "exact" in test["null_law"]
        )
    full = Ran(capsys, "stats", log, "--key", MAKERS_VKEY, "--full").output
    assert full.count("after Holm") > sum("p" in test for test in found[0]["tests"])


@pytest.mark.nightly("draws a log of many games")
def test_declared_games_are_tested_by_their_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of dice, balls, cards, runners and a wheel: outcomes are tested, one process or two; the report draws them and
    says what it lacks.
    """
    operator, report = Operator(), tmp_path / "report.html"
    games = ("craps", "lucky-5", "baccarat", "racing", "crazy-time", "blackjack", "lightning-roulette")
    for game in games:
        rules = {"version": 1, "runners": 4, "w1": 4, "w2": 3, "w3": 2, "w4": 1} if game == "racing" else None
        operator.table(f"{game}-1", game, rules=rules)
        operator.batch(f"{game}-1", 70)
        operator.play(f"{game}-1", 60)
        operator.lock(f"{game}-1")
        operator.void(f"{game}-1")
    for closed in ("blackjack-1", "lucky-5-1"):
        operator.end(closed)
        operator.close(closed)
    log = operator.write(tmp_path / "log")
    ran = Ran(capsys, "stats", log, "--key", VKEY, "-o", report)
    assert (ran.status, ran.errors) == (HELD, "")
    assert "whose games have no standard bet: blackjack-1." in " ".join(ran.output.split())
    page = report.read_text()
    assert all(f"{game}-1: " in page for game in games)
    found = [
        json.loads(Ran(capsys, "stats", log, "--key", VKEY, "--json", "--jobs", jobs).output) for jobs in ("1", "2")
    ]
    assert found[0] == found[1]
    (end,) = found[0]["ends"]
    assert (end["table"], end["bet"], end["unused"], len(end["next_outcomes"])) == ("lucky-5-1", "more odd", 9, 9)
    tested = {each["tables"][0] for each in found[0]["tests"] if "p" in each}
    assert tested == {f"{game}-1" for game in games}


@pytest.mark.nightly("draws a log of thousands of rounds")
def test_seeds_that_were_chosen_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every rule was kept, so the audit holds; but red is too rare for chance, and the status says so."""
    log = made(Chooser, tmp_path)
    assert Ran(capsys, "audit", log, "--key", MAKERS_VKEY).status == HELD
    ran = Ran(capsys, "stats", log, "--key", MAKERS_VKEY, "--json")
    assert ran.status == IMPROBABLE
    assert {("return", "red"), ("count", "colours")} <= alarms(ran)
    assert json.loads(ran.output)["verdict"] == "improbable"
    told = Ran(capsys, "stats", log, "--key", MAKERS_VKEY)
    assert told.status == IMPROBABLE
    assert "\nIMPROBABLE: " in told.output
    assert "An alarm is no proof of a lie" in " ".join(told.output.split())


@pytest.mark.nightly("draws a log of thousands of rounds")
def test_void_rounds_that_were_chosen_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A tenth of the rounds is void in both logs, and both audits hold; only the log in which red ones were picked
    raises an alarm.
    """
    chosen = Ran(capsys, "stats", voiding(tmp_path / "chosen", chooses=True), "--key", VKEY, "--json")
    honest = Ran(capsys, "stats", voiding(tmp_path / "honest", chooses=False), "--key", VKEY, "--json")
    assert (chosen.status, honest.status) == (IMPROBABLE, HELD)
    assert ("void-pays-more", "red") in alarms(chosen)
    (voids,) = json.loads(honest.output)["voids"]
    assert (voids["rounds"], voids["void"]) == (1_200, 120)


def test_a_log_that_does_not_hold_has_no_statistics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The failed audit is the verdict, and no report is written."""
    operator = Operator()
    operator.table("hi-lo-1", "hi-lo")
    operator.batch("hi-lo-1", 30)
    operator.play("hi-lo-1", 3)
    operator.lock("hi-lo-1")
    operator.reveal("hi-lo-1", outcome={"card": "Joker"})
    log, report = operator.write(tmp_path / "log"), tmp_path / "report.html"
    ran = Ran(capsys, "stats", log, "--key", VKEY, "--json", "-o", report)
    assert ran.status == FAILED
    assert json.loads(ran.output)["check"] == "outcome"
    assert not report.exists()


def under_newer_rules(operator: Operator) -> None:
    """Three dice as ever, but always of 6 pips, which under the rules of version 1 would be an alarm."""
    operator.play("dice-1", 1).batch("dice-1", 40, rules={"version": 2})
    operator.play("dice-1", 5)
    for _ in range(35):
        operator.lock("dice-1")
        operator.reveal("dice-1", outcome={"dice": [6, 6, 6]})


def with_newer_dice(operator: Operator) -> None:
    """A die of nine sides, and in words."""
    operator.batch("dice-1", 8, rules={"version": 2})
    operator.play("dice-1", 7)
    operator.lock("dice-1")
    operator.reveal("dice-1", outcome={"dice": "1 2 9"})


@pytest.mark.parametrize("goes_on", [under_newer_rules, with_newer_dice])
def test_a_table_with_something_newer_is_not_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], goes_on: Callable[[Operator], None]
) -> None:
    """Nobody checked all of its outcomes: the output names it, and tests the other table only."""
    operator = Operator()
    for table in ("dice-1", "dice-2"):
        operator.table(table, "sic-bo")
        operator.batch(table, 8)
        operator.play(table, 2)
    goes_on(operator)
    log = operator.write(tmp_path / "log")
    ran = Ran(capsys, "stats", log, "--key", VKEY, "--json")
    assert ran.status == UNKNOWN, ran.output + ran.errors
    told = json.loads(ran.output)
    assert [voids["table"] for voids in told["voids"]] == ["dice-2"]
    assert {test["subject"] for test in told["tests"] if "dice-1" in str(test)} == set()
    (named,) = (text for text in told["not_checked"] if text.startswith("Statistics of these tables"))
    assert "does not know: dice-1." in named


def test_too_few_rounds_are_no_verdict_on_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The log held, and the output says that nothing was tested."""
    operator = Operator()
    operator.table("hi-lo-1", "hi-lo")
    operator.table("crash-1", "crash")
    report = tmp_path / "report.html"
    ran = Ran(capsys, "stats", operator.write(tmp_path / "log"), "--key", VKEY, "-o", report)
    assert ran.status == HELD
    assert report.exists()
    assert ran.output.splitlines()[-1] == "Held, and nothing was tested: 0 rounds are too few."


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 4, and the reason, as for any file; the verdict is printed all the same."""
    operator = Operator()
    operator.table("hi-lo-1", "hi-lo")
    log = operator.write(tmp_path / "log")
    for file in (tmp_path / "none" / "report.html", tmp_path, ""):
        ran = Ran(capsys, "stats", log, "--key", VKEY, "-o", file)
        assert ran.status == UNREADABLE
        assert "the report could not be written" in ran.errors
        assert ran.output.splitlines()[-1] == "Held, and nothing was tested: 0 rounds are too few."


@pytest.mark.nightly("makes a report for each fault")
@pytest.mark.parametrize("error", [RuntimeError("no font\x1b"), MemoryError(), ImportError("no such module")])
def test_whatever_happens_to_a_report_there_is_a_verdict(
    error: Exception, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that found something, whose status says more than that of the report."""

    def fails(*_: object, **__: object) -> bytes:
        raise error

    monkeypatch.setattr("verifier.stats.output.report.report_html", fails)
    for chooses, status, verdict in ((False, UNREADABLE, "held"), (True, IMPROBABLE, "improbable")):
        log = voiding(tmp_path / f"log-{chooses}", chooses=chooses)
        ran = Ran(capsys, "stats", log, "--key", VKEY, "--json", "-o", tmp_path / "report.html")
        assert (ran.status, ran.json["verdict"], "written" in ran.json) == (status, verdict, False)
        assert f"the report could not be written: {type(error).__name__}" in ran.errors
        assert "\x1b" not in ran.errors


@pytest.mark.nightly("imports matplotlib, in a process of its own, three times")
@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "qtagg", "nonsense"])
def test_a_notebooks_backend_is_none_of_a_report(backend: str, tmp_path: Path) -> None:
    """The variable is inherited by what a notebook starts, and may name what cannot be imported here."""
    operator = Operator()
    operator.table("hi-lo-1", "hi-lo")
    arguments = [str(operator.write(tmp_path / "log")), "--key", VKEY, "-o", str(tmp_path / "report.html")]
    command = [sys.executable, "-m", "verifier", "stats", *arguments]
    ran = subprocess.run(command, env={**os.environ, "MPLBACKEND": backend}, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (HELD, b"")
    assert (tmp_path / "report.html").read_bytes().startswith(b"<!doctype html>")


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it audits anything."""
    monkeypatch.setattr(stats, "_NEEDED", ("numpy", "no_such_package"))
    ran = Ran(capsys, "stats", tmp_path, "--key", VKEY)
    assert (ran.status, ran.output) == (USAGE, "")
    assert (
        "stats needs no_such_package: pip install --require-hashes -r requirements/stats.txt in the folder of the source"
        in ran.errors
    )


def test_the_plain_verifier_never_loads_them() -> None:
    """All commands are listed without numpy, scipy, matplotlib and Jinja."""
    program = (
        "import sys; from verifier.cli import parser; parser(); import verifier.audit.audit, verifier.audit.processes;"
        "print(sorted({'numpy', 'scipy', 'matplotlib', 'jinja2'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
