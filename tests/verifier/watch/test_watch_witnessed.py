"""A watch with a policy and salted tables: each new batch must have been witnessed before its pulse (SPEC 5.8 and
8.7).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.policy.policy import Policy
from fairness.policy.witnessed import witnessed_path
from fairness.times import milliseconds
from tests.lies.witnessed import Log
from tests.support.logs import write_files
from tests.support.ran import Ran
from tests.support.watching import Watching
from tests.support.witnessed import POLICY, salted_operator
from verifier.audit.audit import audit_log
from verifier.audit.bundle_times import own_time
from verifier.audit.state_file import load_state
from verifier.forks.evidence import check_evidence
from verifier.sources.source import FolderSource
from verifier.watch.events import EventKind

TRUST = Policy.parse(POLICY)


@pytest.fixture(name="log")
def _log() -> Log:
    return Log(salted_operator())


def watching(folder: Path, log: Log, data: bytes | None) -> Watching:
    """A watch of the log, with this as the file of its second batch."""
    return Watching(folder, write_files(folder / "log", log.files(data)), TRUST)


def test_a_log_that_was_witnessed_in_time_only_grows(log: Log, tmp_path: Path) -> None:
    """The files are not read again, by the same policy."""
    watch = watching(tmp_path, log, log.honest())
    assert watch.kinds() == [EventKind.GREW]
    (watch.log / witnessed_path(log.batch.batch_id)).unlink()
    log.operator.play("sic-bo-1")
    write_files(watch.log, log.files(None))
    assert watch.kinds() == [EventKind.GREW]


def test_a_missing_file_is_an_alarm_until_it_is_there(log: Log, tmp_path: Path) -> None:
    """It is asked for again in each turn, also after a restart, and although the records are not read again."""
    watch = watching(tmp_path, log, None)
    assert watch.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    failure = watch.news[-1].failure
    assert failure is not None
    assert (failure.check, failure.index) == (Check.BATCH_WITNESSED, log.batch.index)
    assert watch.kinds() == []
    watch.begin()
    assert watch.kinds() == [EventKind.FALSE_FILES]
    write_files(watch.log, log.files(log.honest()))
    assert watch.kinds() == [EventKind.RECOVERED]
    (watch.log / witnessed_path(log.batch.batch_id)).unlink()
    watch.begin()
    assert watch.kinds() == []


def test_another_policy_reads_all_files_again(log: Log, tmp_path: Path) -> None:
    """The log did not grow meanwhile."""
    watch = watching(tmp_path, log, log.honest())
    watch.turn()
    (watch.log / witnessed_path(log.batch.batch_id)).unlink()
    watch.trust = Policy.parse(POLICY.replace(b"outsiders 2", b"outsiders any"))
    watch.begin()
    assert EventKind.FALSE_FILES in watch.kinds()


def test_witnesses_of_another_history_are_a_fork(log: Log, tmp_path: Path) -> None:
    """With evidence that anybody can check, and once."""
    fork = log.operator.records[0].replace(b'"v":1', b'"v":2')
    honest, log.operator.records[0] = log.operator.records[0], fork
    data = log.honest()
    log.operator.records[0] = honest
    watch = watching(tmp_path, log, data)
    assert watch.kinds() == [EventKind.GREW, EventKind.FORK]
    evidence = watch.news[-1].evidence
    assert evidence is not None
    report = check_evidence(Path(evidence).read_bytes(), TRUST, name="evidence")
    assert [*report.cosigned_both] == ["lab", "press"]
    assert watch.kinds() == []


def test_how_wrong_the_clock_was_is_reported_when_more_of_it_is_found(log: Log, tmp_path: Path) -> None:
    """And it is no alarm."""
    watch = watching(tmp_path, log, log.honest())
    assert watch.kinds() == [EventKind.GREW]
    log.operator.rest(-30 / 3600)
    log.operator.play("sic-bo-1")
    write_files(watch.log, log.files(log.honest()))
    (_, (kind, text)) = watch.turn()
    assert kind is EventKind.CLOCK
    assert text.startswith("the operator's clock was slow by ")
    log.operator.play("sic-bo-1")
    write_files(watch.log, log.files(log.honest()))
    assert watch.kinds() == [EventKind.GREW]
    assert not any(news.is_alarm for news in watch.news)


def of_a_fork(log: Log) -> bytes:
    """A file of the second batch whose witnesses saw another history."""
    honest = log.operator.records[0]
    log.operator.records[0] = honest.replace(b'"v":1', b'"v":2')
    data = log.honest()
    log.operator.records[0] = honest
    return data


def seen_before_its_time(log: Log) -> bytes:
    """A file of the second batch, five seconds before the batch's own time."""
    return log.seen(milliseconds(own_time(log.operator.records[log.batch.index])) // 1000 - 5)


def test_a_file_that_comes_late_still_says_how_wrong_the_clock_was(log: Log, tmp_path: Path) -> None:
    """Although its records were read turns before, and others since."""
    watch = watching(tmp_path, log, None)
    assert watch.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    log.operator.play("sic-bo-1")
    write_files(watch.log, log.files(None))
    assert watch.kinds() == [EventKind.GREW]
    write_files(watch.log, log.files(seen_before_its_time(log)))
    reported = watch.turn()
    assert [kind for kind, _ in reported] == [EventKind.CLOCK, EventKind.RECOVERED]
    assert reported[0][1].startswith("the operator's clock was fast by 4.000 s at least, if the witnesses' clocks")
    assert audit_log(FolderSource(watch.log), TRUST, previous=load_state(watch.state_file)).clock == (
        audit_log(FolderSource(watch.log), TRUST).clock
    )


def test_after_a_restart_in_between_nobody_calls_the_clock_right(
    log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until an audit without the state has read the records again."""
    watch = watching(tmp_path, log, None)
    watch.turn()
    watch.begin()
    write_files(watch.log, log.files(seen_before_its_time(log)))
    watch.turn()
    policy = tmp_path / "policy"
    policy.write_bytes(POLICY)
    continued = "audit", watch.log, "--policy", policy, "--state", watch.state_file
    shown = Ran(capsys, *continued).output
    assert "Operator's clock: unknown for some records" in " ".join(shown.split())
    assert Ran(capsys, *continued, "--json").json["clock"] == {"whole": False}
    again = Ran(capsys, "audit", watch.log, "--policy", policy, "--json").json["clock"]
    assert (again["fast"]["milliseconds"], again["whole"]) == (4000, True)


def test_a_file_that_never_comes_hides_no_other(log: Log, tmp_path: Path) -> None:
    """A fork behind it is found, and files that held are not read again."""
    first = log.operator.tables["salty-1"].batches[0]
    watch = watching(tmp_path, log, log.honest())
    missing = watch.log / witnessed_path(first.batch_id)
    missing.unlink()
    assert watch.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
    held = watch.log / witnessed_path(log.batch.batch_id)
    held.unlink()
    write_files(watch.log, {witnessed_path(first.batch_id): log.files(None)[witnessed_path(first.batch_id)]})
    assert watch.kinds() == [EventKind.RECOVERED]
    other = watching(tmp_path / "other", log, of_a_fork(log))
    (other.log / witnessed_path(first.batch_id)).unlink()
    assert other.kinds() == [EventKind.GREW, EventKind.FORK]
