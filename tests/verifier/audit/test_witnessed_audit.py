"""Audits with a policy: every batch was witnessed before its pulse, and pulses and witnesses bracket the operator's
clock.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.policy.policy import Policy
from fairness.policy.witnessed import witnessed_path
from fairness.times import milliseconds
from games import GAMES
from tests.house import HOUSE
from tests.support.beacons import OURS
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import serving
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.salted_log import SaltedLog
from tests.support.witnessed import (
    EARLY,
    POLICY,
    SALTED_BY,
    pulse_time,
    salted_operator,
    witnessed_file,
    witnessed_files,
    witnessed_log,
)
from tests.support.witnesses import REGULATOR, cosigned
from verifier.audit.audit import audit_log, replay_log
from verifier.audit.bundle_times import own_time
from verifier.audit.clock import ClockError
from verifier.audit.report import AuditReport
from verifier.audit.state_file import load_state, save_state
from verifier.audit.witnesses import check_files, compare_times
from verifier.caveats import report_caveats
from verifier.commands.command import HELD, UNKNOWN
from verifier.forks.evidence import check_evidence
from verifier.forks.extension import NotAnExtension
from verifier.sentences import NotChecked
from verifier.sources.source import FolderSource, HttpSource

TRUST = Policy.parse(POLICY)
KEY_ALONE = Policy(KEY.verifier_key, beacons=(OURS,))
VECTORS = HOUSE / "tests" / "vectors" / "log-salted"


def audited(operator: Operator, folder: Path, *, jobs: int = 1) -> AuditReport:
    return audit_log(FolderSource(write_files(folder, witnessed_log(operator))), TRUST, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_audit_of_witnessed_batches_holds(tmp_path: Path, jobs: int) -> None:
    """However many processes; and the caveat about the operator's clock is gone."""
    report = audited(salted_operator(), tmp_path, jobs=jobs)
    assert (report.witnessed_files, report.never_played) == (2, ["sic-bo-1"])
    assert NotChecked.SALT_WITNESSED in report_caveats(report, GAMES)
    assert NotChecked.SALT_BY_CLOCK not in report_caveats(report, GAMES)
    assert report.state.witnessing is not None
    assert report.state.witnessing.unchecked == []


def test_the_log_of_another_implementation_holds(tmp_path: Path) -> None:
    """With its own policy, its own witnesses, and its own beacon; nobody has the commitments of its unopened
    batches.
    """
    files = SaltedLog().files() | {"checkpoint": (VECTORS / "checkpoint").read_bytes()}
    files |= {file.relative_to(VECTORS).as_posix(): file.read_bytes() for file in (VECTORS / "witnessed").glob("*/*")}
    source, trust = FolderSource(write_files(tmp_path, files)), Policy.parse((VECTORS / "policy").read_bytes())
    for jobs in (1, 3):
        report = replay_log(source, trust, jobs=jobs)
        assert report.state.witnessing is not None
        assert report.new is not None
        checked = check_files(source, report.head, report.state.witnessing)
        after = compare_times(source, report.head, checked.after, report.new.with_seen(checked.seen))
        assert (checked.failure, after.files, after.clock.slow, after.clock.fast) == (None, 6, None, None)


def test_the_key_alone_asks_for_no_file(tmp_path: Path) -> None:
    """And says that the pulse came later by the operator's clock."""
    operator = salted_operator()
    report = audit_log(FolderSource(operator.write(tmp_path)), KEY_ALONE)
    assert (report.state.witnessing, report.clock, report.witnessed_files) == (None, None, 0)
    assert NotChecked.SALT_BY_CLOCK in report_caveats(report, GAMES)


def replaced(operator: Operator, make: Callable[[int, int], bytes | None], *, number: int = 2) -> dict[str, bytes]:
    """The log with another file for a batch of the salted table: made from its index and its pulse's time, or
    missing.
    """
    batch = operator.tables["salty-1"].batches[number - 1]
    files, path = witnessed_log(operator), witnessed_path(batch.batch_id)
    data = make(batch.index, pulse_time(operator, batch))
    return {name: each for name, each in files.items() if name != path} | ({} if data is None else {path: data})


def refusal(files: dict[str, bytes], folder: Path) -> CheckFailed:
    with pytest.raises(CheckFailed) as failure:
        audit_log(FolderSource(write_files(folder, files)), TRUST)
    audit_log(FolderSource(folder), KEY_ALONE)
    return failure.value


def test_each_batch_that_names_a_pulse_needs_its_file(tmp_path: Path) -> None:
    """Also one whose rounds were not played yet; the first that fails decides."""
    operator = salted_operator()
    first, second = (batch.index for batch in operator.tables["salty-1"].batches)
    missing = refusal(replaced(operator, lambda _index, _pulse: None), tmp_path / "missing")
    assert (missing.check, missing.index) == (Check.BATCH_WITNESSED, second)
    late = replaced(operator, lambda index, pulse: witnessed_file(operator.records, index, pulse - 9))
    failure = refusal(late, tmp_path / "late")
    assert (failure.check, failure.index) == (Check.BATCH_WITNESSED, second)
    both = late | {
        witnessed_path(operator.tables["salty-1"].batches[0].batch_id): b"rubbish",
    }
    assert refusal(both, tmp_path / "both").index == first


def test_a_checkpoint_that_is_larger_than_the_log_is_refused(tmp_path: Path) -> None:
    """It is no fork: the server may be slow to show the newest one."""
    operator = salted_operator()
    longer = salted_operator().play("sic-bo-1", 1).records
    files = replaced(operator, lambda index, pulse: witnessed_file(longer, index, pulse - EARLY, size=len(longer)))
    failure = refusal(files, tmp_path)
    assert failure.check is Check.BATCH_WITNESSED
    assert not isinstance(failure, NotAnExtension)


def test_a_checkpoint_of_another_history_is_evidence_of_a_fork(tmp_path: Path) -> None:
    """Two histories, and the witnesses signed both."""
    operator = salted_operator()
    other = [*operator.records]
    other[0] = other[0].replace(b"salty", b"siltx")
    files = replaced(operator, lambda index, pulse: witnessed_file(other, index, pulse - EARLY))
    with pytest.raises(NotAnExtension) as failure:
        audit_log(FolderSource(write_files(tmp_path, files)), TRUST)
    assert failure.value.fork is not None
    assert failure.value.fork.hashes
    assert failure.value.where is not None
    assert failure.value.where.startswith("witnessed/")


def test_a_state_remembers_by_which_witnesses(tmp_path: Path) -> None:
    """By the same, only new files are read; by others, everything is checked again from the first record."""
    operator = salted_operator()
    audited(operator, tmp_path / "log")
    source, state = FolderSource(tmp_path / "log"), tmp_path / "state"
    save_state(state, audit_log(source, TRUST).state)
    shutil.rmtree(tmp_path / "log" / "witnessed")
    operator.batch("salty-1", 4)
    write_files(tmp_path / "log", operator.files() | {"checkpoint": cosigned_by_all(operator)})
    newest = operator.tables["salty-1"].batches[-1]
    path = witnessed_path(newest.batch_id)
    write_files(tmp_path / "log", {path: witnessed_files(operator)[path]})
    report = audit_log(source, TRUST, previous=load_state(state))
    assert (report.seen_before, report.witnessed_files) == (len(operator.records) - 1, 3)
    others = Policy.parse(POLICY.replace(b"outsiders 2", b"outsiders all"))
    with pytest.raises(CheckFailed, match="batch-witnessed"):
        audit_log(source, others, previous=load_state(state))
    again = audit_log(source, KEY_ALONE, previous=load_state(state))
    assert (again.seen_before, again.state.witnessing) == (len(operator.records) - 1, None)
    with pytest.raises(CheckFailed, match="batch-witnessed"):
        audit_log(source, TRUST, previous=again.state)
    write_files(tmp_path / "log", witnessed_files(operator))
    assert audit_log(source, TRUST, previous=again.state).seen_before == 0


def cosigned_by_all(operator: Operator) -> bytes:
    return cosigned(witnessed_log(operator)["checkpoint"], REGULATOR)


def test_files_are_read_ahead_over_http(tmp_path: Path) -> None:
    """The verdict is that of the folder."""
    operator = Operator()
    operator.table("salty-1", "keno-express", salted_by=SALTED_BY)
    for _ in range(20):
        operator.batch("salty-1", 20)
        operator.salt("salty-1")
        operator.play("salty-1", 15)
    folder = audited(operator, tmp_path)
    with serving(tmp_path) as address:
        web = audit_log(HttpSource(address), TRUST)
    assert (web.state, web.witnessed_files) == (folder.state, 20)


def test_what_is_printed_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal and in JSON, with a policy and without."""
    trust = tmp_path / "policy"
    trust.write_bytes(POLICY)
    log = write_files(tmp_path / "log", witnessed_log(salted_operator()))
    shown = Ran(capsys, "audit", log, "--policy", trust)
    assert shown.status == HELD
    assert "Never played: sic-bo-1" in shown.output
    assert "Witnessed: 2 batches that named a pulse, each in time" in shown.output
    told = Ran(capsys, "audit", log, "--policy", trust, "--json").json
    assert (told["never_played"], told["witnessed_files"]) == (["sic-bo-1"], 2)
    assert told["clock"] == {"whole": True}
    trust.write_bytes(POLICY.partition(b"beacon ")[0])
    unknown = Ran(capsys, "audit", log, "--policy", trust)
    assert unknown.status == UNKNOWN
    assert "Witnessed: 2 batches that named a pulse, in time, where the beacon is known" in unknown.output
    trust.write_bytes(POLICY)
    operator = salted_operator()
    operator.table("kind-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    newer = Ran(capsys, "audit", write_files(tmp_path / "newer", witnessed_log(operator)), "--policy", trust)
    assert newer.status == UNKNOWN
    assert "Witnessed: 2 batches that named a pulse, each in time" in newer.output
    alone = Ran(capsys, "audit", log, "--key", str(KEY.verifier_key), "--json").json
    assert not {"witnessed_files", "clock"} & alone.keys()


def test_a_state_of_the_key_alone_knows_no_times(tmp_path: Path) -> None:
    """So a policy begins with the first record, although no table had a salt, and finds how wrong the clock was."""
    operator = Operator()
    operator.table("two", "sic-bo")
    operator.batch("two", 10)
    operator.rest(60 / 3600)
    operator.play("two", 2)
    operator.rest(-60 / 3600)
    newest = len(operator.records) - 1
    source = FolderSource(write_files(tmp_path, witnessed_log(operator)))
    before = audit_log(source, KEY_ALONE).state
    operator.table("one", "keno-express", salted_by=SALTED_BY)
    operator.batch("one", 4)
    batch = operator.tables["one"].batches[0]
    early = pulse_time(operator, batch) - EARLY
    seen = {witnessed_path(batch.batch_id): witnessed_file(operator.records, batch.index, early)}
    write_files(tmp_path, witnessed_log(operator) | seen)
    for previous in (before, None):
        report = audit_log(source, TRUST, previous=previous)
        assert report.seen_before == 0
        assert report.clock is not None
        assert report.clock.fast == ClockError(
            milliseconds(own_time(operator.records[newest])) - 1000 * (early + 1), newest
        )


def test_every_command_that_audits_keeps_the_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the current folder, and it names the file."""
    operator = salted_operator()
    other = [operator.records[0].replace(b"salty", b"siltx"), *operator.records[1:]]
    files = replaced(operator, lambda index, pulse: witnessed_file(other, index, pulse - EARLY))
    log, trust = write_files(tmp_path / "log", files), tmp_path / "policy"
    trust.write_bytes(POLICY)
    for command in ("audit", "stats"):
        here = tmp_path / command
        here.mkdir()
        monkeypatch.chdir(here)
        told = Ran(capsys, command, log, "--policy", trust, "--json").json
        (kept,) = here.iterdir()
        assert (told["check"], told["evidence"]) == ("log-extends", kept.name)
        check_evidence(kept.read_bytes(), TRUST, name="evidence")
