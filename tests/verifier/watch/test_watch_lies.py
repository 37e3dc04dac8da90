"""A watch reports every lie that an audit refuses, and files that are false until they are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed
from fairness.log.notes import VerifierKey
from fairness.log.tiles import bundle_path
from fairness.policy.policy import Policy, Trust
from tests.lies import Lie, started
from tests.lies.catalogue import LIES, told
from tests.recipes.cases.catalogue import CASES
from tests.recipes.cases.told import FOLDER, Told
from tests.support.dishonest_operator import KEY, Operator
from tests.support.watching import PATIENCE, Watching, write_again
from verifier.audit.audit import audit_log
from verifier.audit.state_file import load_state
from verifier.forks.extension import NotAnExtension
from verifier.sources.source import FolderSource
from verifier.watch.events import EventKind

VKEY = str(KEY.verifier_key)


def test_a_broken_rule_is_reported_at_once_and_the_watch_continues(tmp_path: Path, log: Path) -> None:
    """With its record; later checkpoints are still compared, also after a restart."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = started()
    at = operator.lock("keno-1", round=9)
    operator.write(log)
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    failure = watching.news[-1].failure
    assert failure is not None
    assert (failure.check, failure.index) == (Check.LOCK_NEXT, at)
    operator.lock("crash-1")
    operator.write(log)
    assert watching.kinds() == []
    assert watching.kinds(PATIENCE) == [EventKind.STALLED]
    watching.begin()
    assert watching.watch.size == len(operator.records)
    other = started()
    other.lock("keno-1", round=8)
    other.lock("crash-1")
    write_again(other, log)
    assert watching.kinds() == [EventKind.FORK]


def test_what_follows_a_broken_rule_is_not_replayed(tmp_path: Path, log: Path) -> None:
    """Checkpoints are still compared, so a log that shrinks and recovers is reported as usual."""
    old = (log / "checkpoint").read_bytes()
    operator = started()
    operator.lock("keno-1", round=9)
    operator.write(log)
    new = (log / "checkpoint").read_bytes()
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    (log / "checkpoint").write_bytes(old)
    assert watching.kinds() == [EventKind.TROUBLE]
    (log / "checkpoint").write_bytes(new)
    assert watching.kinds() == [EventKind.RECOVERED]


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES, ids=str)
def test_every_lie_about_a_record_is_reported(lie: Lie, tmp_path: Path) -> None:
    """The same rule and record as in an audit; the honest records before it are remembered."""
    operator, index = told(lie)
    watching = Watching(tmp_path, lie.begin().write(tmp_path / "log"))
    watching.turn()
    operator.write(tmp_path / "log")
    assert watching.kinds() == [EventKind.BROKEN_RULE]
    failure = watching.news[-1].failure
    assert failure is not None
    assert (failure.check, failure.index) == (lie.check, index)


def trust_of(case: Told) -> Trust:
    """Whom the case's commands believe."""
    if "policy" in case.expected:
        return Policy.parse((FOLDER / case.name / "policy").read_bytes())
    return VerifierKey.parse(case.expected["key"])


AUDITED = [
    case for case in CASES if case.check and [command[0] for command in case.expected["commands"]] == ["audit"]
]


@pytest.mark.parametrize("case", AUDITED, ids=lambda case: case.name)
def test_every_case_of_an_audit_is_reported(case: Told, tmp_path: Path) -> None:
    """Exactly its check and its record, in the first turn."""
    ((_, log),) = case.expected["commands"]
    watching = Watching(tmp_path, FOLDER / case.name / log, trust_of(case))
    watching.turn()
    (failure,) = [news.failure for news in watching.news if news.failure is not None]
    assert watching.news[-1].is_alarm
    assert (failure.check, failure.index) == (case.check, case.record)


def test_what_a_watch_saw_counts_in_an_audit(tmp_path: Path, log: Path) -> None:
    """A checkpoint whose records were refused is remembered, and an audit with that state requires it."""
    watching = Watching(tmp_path, log)
    watching.turn()
    operator = started()
    operator.lock("keno-1", round=9)
    operator.write(log)
    watching.turn()
    state = load_state(watching.state_file)
    with pytest.raises(CheckFailed) as refused:
        audit_log(FolderSource(log), KEY.verifier_key, previous=state)
    assert refused.value.check is Check.LOCK_NEXT
    write_again(started().play("keno-1"), log)
    with pytest.raises(NotAnExtension):
        audit_log(FolderSource(log), KEY.verifier_key, previous=state)


FALSE_FILES: dict[str, Callable[[Path, Operator], Path]] = {
    "a note that is none": lambda log, _: log / "checkpoint",
    "a bundle": lambda log, operator: next((log / f"{bundle_path(0)}.p").glob(str(len(operator.records)))),
    "commitments": lambda log, operator: log / commitments_path(operator.tables["keno-1"].batches[2].batch_id),
}


@pytest.mark.parametrize("which", FALSE_FILES.values(), ids=FALSE_FILES.keys())
def test_false_files_are_reported_until_they_are_right(
    which: Callable[[Path, Operator], Path], tmp_path: Path
) -> None:
    """At once and only once; when they are correct again that is reported, and their records count."""
    operator = started().play("keno-1")
    log = operator.write(tmp_path / "log")
    file = which(log, operator)
    whole = file.read_bytes()
    watching = Watching(tmp_path, log)
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert watching.kinds()[-1] is EventKind.FALSE_FILES
    assert watching.kinds() == watching.kinds() == []
    file.write_bytes(whole)
    assert {EventKind.RECOVERED} <= set(watching.kinds()) <= {EventKind.RECOVERED, EventKind.GREW}
    assert load_state(watching.state_file) == audit_log(FolderSource(log), KEY.verifier_key).state


def test_files_that_are_false_again_are_reported_again(tmp_path: Path, log: Path) -> None:
    """An alarm that is over does not suppress the next one."""
    watching = Watching(tmp_path, log)
    watching.turn()
    whole = (log / "checkpoint").read_bytes()
    for _ in range(2):
        (log / "checkpoint").write_bytes(whole[:-1])
        assert watching.kinds() == [EventKind.FALSE_FILES]
        (log / "checkpoint").write_bytes(whole)
        assert watching.kinds() == [EventKind.RECOVERED]


def test_the_commitments_of_every_new_batch_are_read(tmp_path: Path, log: Path) -> None:
    """Although those of earlier batches were correct."""
    watching = Watching(tmp_path, log)
    assert watching.kinds() == [EventKind.GREW]
    operator = started()
    operator.batch("keno-1", 4)
    operator.write(log)
    (log / commitments_path(operator.tables["keno-1"].batches[-1].batch_id)).unlink()
    assert watching.kinds() == [EventKind.GREW, EventKind.FALSE_FILES]
