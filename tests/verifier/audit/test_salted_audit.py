"""Audits of tables with a salt: held if their beacon is known, and otherwise neither held nor failed (SPEC 4.8,
8).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.limits import LONGEST_WAIT
from fairness.policy.policy import Policy, Trust
from fairness.times import milliseconds
from games import GAMES
from tests.lies import BEFORE_PULSES, started, started_salted
from tests.support.beacons import OURS
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_of
from tests.support.ran import Ran
from tests.support.watching import PATIENCE, Watching
from verifier.audit.audit import audit_log
from verifier.audit.report import Unfinished
from verifier.caveats import report_caveats, report_unknown
from verifier.commands.command import FAILED, HELD, UNKNOWN
from verifier.output.outcome_words import outcome_in_words
from verifier.sentences import NotChecked
from verifier.sources.source import FolderSource
from verifier.watch.events import EventKind

VKEY = KEY.verifier_key
POLICY = Policy(VKEY, beacons=(OURS,))
HASH = OURS.chain_hash.hex()


def foreign() -> Operator:
    """A table of a beacon that hardly anybody knows, beside one of quicknet and one without a salt."""
    operator = started_salted()
    operator.table("far", "sic-bo", salted_by=HASH)
    operator.batch("far", 8)
    operator.salt("far")
    return operator.play("far", 2)


def test_an_audit_with_all_beacons_holds(tmp_path: Path) -> None:
    """In one process or in two, with what the salts leave open; and a batch that awaits its salt is unfinished."""
    source = FolderSource(foreign().write(tmp_path))
    report = audit_log(source, POLICY)
    assert report_unknown(report) == []
    assert audit_log(source, POLICY, jobs=2).state == report.state
    (unfinished,) = report.unfinished
    assert isinstance(unfinished, Unfinished)
    assert (unfinished.table, unfinished.what, unfinished.batch) == ("salty-1", "awaits-salt", 3)
    assert str(unfinished).startswith("salty-1: batch 3 was committed at ")
    assert str(unfinished).endswith(" and awaits its salt")
    told = report_caveats(report, GAMES)
    assert told[:2] == [NotChecked.NO_SALT, NotChecked.SALT_BY_CLOCK]


def test_only_salted_tables_have_no_word_of_chosen_seeds(tmp_path: Path) -> None:
    """The caveat about a salt takes the place of that about none."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("x", "sic-bo", salted_by="quicknet")
    told = report_caveats(audit_log(FolderSource(operator.write(tmp_path)), VKEY), GAMES)
    assert told[0] == NotChecked.SALT_BY_CLOCK
    assert NotChecked.NO_SALT not in told


def test_an_unknown_beacon_is_named_and_remembered(tmp_path: Path) -> None:
    """Whoever learns of it later audits once from the first record."""
    operator = foreign()
    source = FolderSource(operator.write(tmp_path))
    report = audit_log(source, VKEY)
    (sentence,) = report_unknown(report)
    assert sentence.startswith(f"The beacon of far, {HASH}: nobody has named it")
    later = audit_log(source, POLICY, previous=report.state)
    (sentence,) = report_unknown(later)
    assert "it was unknown when records were checked that are now only remembered" in sentence
    assert report_unknown(audit_log(source, POLICY)) == []


def test_the_commands_end_with_the_status_of_their_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unknown: 6, with the beacon's name; of a round without it: held; of a broken rule elsewhere: failed."""
    operator = foreign()
    log, key = operator.write(tmp_path / "log"), ("--key", str(VKEY))
    proof = tmp_path / "round.proof"
    proof.write_bytes(bytes(proof_of(operator, "far", 2)))
    far, near = code_of(operator, "far", 2), code_of(operator, "salty-1", 2)
    for call in (
        ("audit", log, *key),
        ("code", str(far), "--log", log, *key),
        ("proof", proof, *key),
        ("prove", str(far), "--log", log, "-o", tmp_path / "other.proof", *key),
        ("receipt", proof, "--log", log, *key),
    ):
        ran = Ran(capsys, *call)
        assert (ran.status, ran.errors) == (UNKNOWN, ""), call
        assert HASH in " ".join(ran.output.split()), call
        assert ran.output.splitlines()[-1].startswith("UNKNOWN: Something is unknown to this verifier"), call
        assert "follow the rules" not in ran.output, call
        found = Ran(capsys, *call, "--json").json
        assert found["verdict"] == "unknown"
        assert HASH in found["unknown"][0]
    audited = Ran(capsys, "audit", log, *key).output.splitlines()[-1]
    assert f"None of the {len(operator.records)} records of 3 tables breaks a rule that could be checked" in audited
    policy = tmp_path / "policy"
    policy.write_text(f"log {VKEY}\nbeacon {OURS}\nquorum none\n")
    for words in (("audit", log), ("code", str(far), "--log", log), ("proof", proof)):
        known = Ran(capsys, *words, "--policy", policy, "--json")
        assert (known.status, known.json["verdict"], known.json["unknown"]) == (HELD, "held", [])
    held = Ran(capsys, "code", str(near), "--log", log, *key, "--json")
    assert held.status == HELD
    assert (held.json["verdict"], held.json["unknown"], held.json["salt"]["beacon"]) == ("held", [], "quicknet")
    shown = Ran(capsys, "code", str(near), "--log", log, *key).output
    assert "Pulse      27798178 of the beacon quicknet" in shown
    operator.lock("far", round=9)
    failed = Ran(capsys, "audit", operator.write(tmp_path / "false"), *key, "--json")
    assert (failed.status, failed.json["check"]) == (FAILED, Check.LOCK_NEXT.value)


def test_statistics_of_a_table_whose_next_batch_got_no_salt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its unused rounds have no outcomes to test; and the status is that of what is unknown."""
    operator = Operator(start=BEFORE_PULSES)
    operator.table("far", "sic-bo", salted_by=HASH)
    operator.batch("far", 8)
    operator.end("far")
    operator.close("far")
    log, key = operator.write(tmp_path / "log"), ("--key", str(VKEY))
    ran = Ran(capsys, "stats", log, *key, "--json")
    assert (ran.status, ran.json["verdict"]) == (UNKNOWN, "unknown")
    assert Ran(capsys, "stats", log, *key).output.splitlines()[-1].startswith("UNKNOWN: ")
    assert "closed with 8 rounds unused, which have no outcomes" in Ran(capsys, "audit", log, *key).output


def test_unused_rounds_end_at_a_batch_that_got_no_salt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list of outcomes ends there, and says why; an ellipsis stands for outcomes that are known."""
    for salted, shown in ((3, 3), (12, 10)):
        operator = Operator(start=BEFORE_PULSES)
        operator.table("s", "sic-bo", salted_by="quicknet")
        operator.batch("s", salted)
        operator.salt("s")
        operator.batch("s", 20)
        operator.end("s")
        operator.close("s")
        table = operator.tables["s"]
        outcomes = (table.outcome_of(number) for number in range(1, shown + 1))
        words = ", ".join(outcome_in_words(each) for each in outcomes if isinstance(each, dict))
        ellipsis = ", …" if shown < salted else ""
        text = Ran(capsys, "audit", operator.write(tmp_path / str(salted)), "--key", str(VKEY)).output
        ending = f"which would have gone on: {words}{ellipsis}; the next batch never got its salt"
        assert f"closed with {salted + 20} rounds unused, {ending}" in " ".join(text.split())


def test_an_audit_says_how_late_a_salt_may_come(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A batch whose pulse is still to come does not hang; where no salt is awaited, nothing is said of one."""
    locked = started()
    locked.lock("keno-1")
    quiet = Ran(capsys, "audit", locked.write(tmp_path / "quiet"), "--key", str(VKEY)).output
    awaiting = Ran(capsys, "audit", foreign().write(tmp_path / "awaiting"), "--key", str(VKEY)).output
    assert "If an audit of a later checkpoint" in " ".join(quiet.split())
    late = "A salt may come as late as an hour after its batch."
    assert (late in " ".join(quiet.split()), late in " ".join(awaiting.split())) == (False, True)


def test_a_watch_reports_once_what_is_unknown(tmp_path: Path) -> None:
    """It is no alarm."""
    operator = foreign()
    watching = Watching(tmp_path, operator.write(tmp_path / "log"))
    assert watching.kinds() == [EventKind.GREW, EventKind.UNKNOWN]
    operator.play("far")
    operator.write(tmp_path / "log")
    ((kind, text),) = watching.turn()
    assert (kind, text) == (
        EventKind.GREW,
        f"{len(operator.records)} records, 2 of them new; none breaks a rule that could be checked",
    )
    assert not any(news.is_alarm for news in watching.news)


def test_a_watch_that_resumes_reports_what_is_unknown(tmp_path: Path) -> None:
    """Although the log has not grown since; in other words if its policy names the beacon by now."""
    watching = Watching(tmp_path, foreign().write(tmp_path / "log"))
    watching.turn()
    for trust, words in ((VKEY, "nobody has named it"), (POLICY, "it was unknown when records were checked")):
        watching.news.clear()
        watching.trust = trust
        watching.begin()
        watching.watch.begin()
        watching.turn()
        assert [news.kind for news in watching.news] == [EventKind.BEGUN, EventKind.UNKNOWN]
        assert words in watching.news[-1].text


@pytest.mark.parametrize("trust", [POLICY, VKEY], ids=["known", "unknown"])
def test_a_batch_that_awaits_its_salt_for_long_hangs(tmp_path: Path, trust: Trust) -> None:
    """A watch reports it, and that it is over. Patience begins at the pulse; other records do not restart it."""
    operator = foreign()
    operator.batch("far", 4)
    table = operator.tables["far"]
    pulse = table.batches[-1].beacon
    assert pulse is not None
    wait = OURS.time_of(pulse) - milliseconds(table.latest) / 1000 if trust is POLICY else LONGEST_WAIT
    assert wait > 2
    watching = Watching(tmp_path, operator.write(tmp_path / "log"), trust)
    watching.turn()
    told: list[tuple[EventKind, str]] = []
    for after in (wait, PATIENCE - 1, 2):
        assert not any(kind is EventKind.STALLED and "far: batch 2" in text for kind, text in told), told
        operator.play("sic-bo-1", 1)
        operator.write(tmp_path / "log")
        told = watching.turn(after=after)
        assert told[0][0] is EventKind.GREW
    assert any(kind is EventKind.STALLED and "far: batch 2" in text for kind, text in told), told
    operator.salt("far")
    operator.write(tmp_path / "log")
    told = watching.turn()
    assert any(kind is EventKind.RECOVERED and "far: batch 2" in text for kind, text in told), told
