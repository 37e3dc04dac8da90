"""What an audit reports about when rounds were played, and when a table was closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.limits import ROUNDS_AFTER_END
from tests.support.dishonest_operator import ABSENT, KEY, NO_BETS, Operator
from tests.support.ran import Ran
from verifier.audit.audit import audit_log
from verifier.audit.remembered import AuditState
from verifier.audit.report import AuditReport, Silent
from verifier.commands.command import HELD
from verifier.sources.source import FolderSource

VKEY = str(KEY.verifier_key)
_LIKE_THE_OTHERS = pytest.mark.nightly("an audit in two processes, as the other cases")
NEW = ("without_digest", "without_bets")


def audited(folder: Path, previous: AuditState | None = None, *, jobs: int = 1) -> AuditReport:
    return audit_log(FolderSource(folder), KEY.verifier_key, jobs=jobs, previous=previous)


def two_tables() -> Operator:
    """One table without any digest; one whose rounds have bets, twice none, once no digest, and some of which were
    given up.
    """
    operator = Operator()
    for name, game in (("dice", "sic-bo"), ("keno", "keno-express")):
        operator.table(name, game)
        operator.batch(name, 40)
    for name, bets in (("dice", ABSENT), ("dice", ABSENT), ("keno", ABSENT), ("keno", NO_BETS), ("keno", NO_BETS)):
        operator.lock(name, bets=bets)
        operator.reveal(name)
    operator.play("keno", 3)
    operator.lock("keno", bets=NO_BETS)
    operator.void("keno")
    operator.drop("keno", 4).drop("dice", 1)
    return operator


def test_rounds_without_a_digest_and_without_bets_are_counted_by_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Among all rounds that were locked for play, including void ones; a round that was given up took no bets."""
    log = two_tables().write(tmp_path)
    told = Ran(capsys, "audit", log, "--key", VKEY, "--json", "--jobs", "2").json["tables"]
    assert {table["table"]: [table[key] for key in NEW] for table in told} == {"dice": [2, 0], "keno": [1, 3]}
    text = " ".join(Ran(capsys, "audit", log, "--key", VKEY).output.split())
    assert "bets: 7 rounds locked for play, 1 without a digest, 3 with the digest of no bets" in text
    assert "bets: 2 rounds locked for play, 2 without a digest, 0 with the digest of no bets" in text


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("played", "batches"),
    [
        pytest.param(0, (150,), marks=_LIKE_THE_OTHERS),
        pytest.param(3, (60, 60), marks=_LIKE_THE_OTHERS),
        (25, (30, 1, 4, 9)),
        pytest.param(30, (40,), marks=_LIKE_THE_OTHERS),
    ],
)
def test_what_unused_rounds_would_have_been_is_reported(
    jobs: int, played: int, batches: tuple[int, ...], tmp_path: Path
) -> None:
    """From the seeds of the close: the first hundred, across batches, from the first round that was not played."""
    operator = Operator()
    operator.table("two", "hi-lo", ["house", "lab"])
    operator.table("dice", "sic-bo")
    operator.batch("dice", 20)
    for count in batches:
        operator.batch("two", count)
    operator.play("two", played).play("dice", 2)
    operator.end("two")
    operator.write(tmp_path)
    before = audited(tmp_path, jobs=jobs)
    assert before.tables[1].history.unused is None
    operator.close("two")
    for report in (audited(operator.write(tmp_path), jobs=jobs), audited(tmp_path, before.state, jobs=jobs)):
        dice, two = report.tables
        expected = [operator.tables["two"].outcome_of(number) for number in range(played + 1, sum(batches) + 1)]
        assert two.history.unused == expected[:ROUNDS_AFTER_END]
        assert two.state.counts.unused == len(expected)
        assert dice.history.unused is None


def test_the_verdict_says_how_a_closed_table_would_have_gone_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten outcomes in words, a hundred as JSON."""
    operator = Operator()
    for name, game in (("crash-1", "crash"), ("dice", "sic-bo"), ("penalty", "penalty")):
        operator.table(name, game)
        operator.batch(name, 12 if name == "penalty" else 200)
        operator.play(name, 2)
        operator.end(name)
        operator.close(name)
    log = operator.write(tmp_path / "log")
    ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
    tables = {table["table"]: table for table in ran.json["tables"]}
    assert [len(tables[name]["unused_outcomes"]) for name in ("crash-1", "dice", "penalty")] == [100, 100, 10]
    assert tables["dice"]["unused_outcomes"][0] == operator.tables["dice"].outcome_of(3)
    text = " ".join(Ran(capsys, "audit", log, "--key", VKEY).output.split())
    next_ten = [operator.tables["crash-1"].outcome_of(number) for number in range(3, 13)]
    words = ", ".join(each["multiplier"] for each in next_ten if isinstance(each, dict))
    assert f"closed with 198 rounds unused, which would have gone on: {words}, …" in text


def test_tables_that_fell_silent_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only those with rounds left, a day after their last record; tables that hang or have ended are reported as
    such.
    """
    operator = Operator()
    for name in ("silent", "never-played", "hanging", "over", "empty", "plays"):
        operator.table(name, "sic-bo")
    for name in ("silent", "never-played", "hanging", "over", "plays"):
        operator.batch(name, 30)
    for name in ("silent", "over", "plays"):
        operator.play(name, 4)
    operator.lock("hanging")
    operator.end("over")
    operator.close("over")
    operator.rest(23.9)
    operator.play("plays", 1)
    assert audited(operator.write(tmp_path)).silent == []
    operator.rest(0.2)
    operator.play("plays", 1)
    report = audited(operator.write(tmp_path))
    newest = operator.tables["plays"].latest
    assert report.silent == [
        Silent("never-played", operator.tables["never-played"].latest, newest, 30),
        Silent("silent", operator.tables["silent"].latest, newest, 26),
    ]
    ran = Ran(capsys, "audit", tmp_path, "--key", VKEY)
    assert ran.status == HELD
    assert "silent: no record since" in " ".join(ran.output.split())
    told = Ran(capsys, "audit", tmp_path, "--key", VKEY, "--json").json["silent"]
    assert told[1] == {"table": "silent", "last_at": report.silent[1].last_at, "newest_at": newest, "rounds_left": 26}
