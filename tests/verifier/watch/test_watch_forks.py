"""A log that shows another history is reported at once, with evidence that stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.checks import Check
from tests.lies import started
from tests.support.dishonest_operator import KEY
from tests.support.forks import forked
from tests.support.watching import PATIENCE, Watching, write_again
from verifier.forks.evidence import check_evidence
from verifier.watch.events import EventKind


@pytest.mark.parametrize("other", [0, 2], ids=["equal size", "longer"])
@pytest.mark.parametrize("restart", [False, True], ids=["one run", "after a restart"])
def test_a_fork_is_reported_at_once_and_once(other: int, restart: bool, tmp_path: Path, log: Path) -> None:
    """Its evidence convinces a third party; further checkpoints of the other history are not reported."""
    write_again(started().play("keno-1"), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    if restart:
        watching.begin()
    write_again(forked(started(), rounds=other), log)
    assert watching.kinds() == [EventKind.FORK]
    fork = watching.news[-1]
    assert fork.failure is not None
    assert fork.failure.check is Check.LOG_EXTENDS
    assert fork.evidence is not None
    report = check_evidence(Path(fork.evidence).read_bytes(), KEY.verifier_key, name="evidence")
    assert report.smaller.checkpoint.size == len(started().records) + 2
    write_again(forked(started(), rounds=other + 1), log)
    assert watching.kinds() == watching.kinds(PATIENCE * 2) == []
    write_again(started().play("keno-1", 4), log)
    assert watching.kinds() == [EventKind.GREW]
    (log / "checkpoint").unlink()
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.UNREADABLE]
    assert watching.news[-1].evidence is None


def test_a_shorter_fork_is_reported_while_its_files_can_be_read(tmp_path: Path, log: Path) -> None:
    """The checkpoint is of another, smaller history; the tiles of the larger one prove it."""
    write_again(started().play("keno-1", 3), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    (log / "checkpoint").write_bytes(forked(started()).files()["checkpoint"])
    assert watching.kinds() == [EventKind.FORK]


def test_an_old_copy_is_no_alarm_until_it_lasts(tmp_path: Path, log: Path) -> None:
    """A cache may be behind for a moment; a log that stays smaller has shrunk. Its files show that it is no fork."""
    old = (log / "checkpoint").read_bytes()
    write_again(started().play("keno-1", 3), log)
    new = (log / "checkpoint").read_bytes()
    watching = Watching(tmp_path, log)
    watching.turn()
    for _ in range(2):
        (log / "checkpoint").write_bytes(old)
        ((kind, text),) = watching.turn()
        assert (kind, "the beginning of what was seen" in text) == (EventKind.TROUBLE, True)
        assert watching.kinds(PATIENCE - 1) == []
        assert watching.watch.next_due(watching.now) == watching.now + 1
        assert watching.kinds() == [EventKind.SHRUNK]
        assert watching.news[-1].evidence is None
        assert watching.kinds(PATIENCE * 3) == []
        (log / "checkpoint").write_bytes(new)
        assert EventKind.RECOVERED in watching.kinds()


def test_a_log_that_shrank_and_lost_its_files_leaves_two_checkpoints(tmp_path: Path, log: Path) -> None:
    """Nobody can know which history the smaller one belongs to, so the evidence is both signed checkpoints."""
    write_again(started().play("keno-1", 3), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    write_again(started(), log)
    ((kind, text),) = watching.turn()
    assert (kind, "no file shows of which history" in text) == (EventKind.TROUBLE, True)
    watching.begin()
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.SHRUNK]
    evidence = watching.news[-1].evidence
    assert evidence is not None
    assert (log / "checkpoint").read_bytes() in Path(evidence).read_bytes()


def test_checkpoints_without_their_files_are_kept(tmp_path: Path, log: Path) -> None:
    """A larger signed checkpoint whose tiles cannot be read: if it lasts, both checkpoints are kept; they prove
    nothing yet.
    """
    watching = Watching(tmp_path, log)
    watching.turn()
    (log / "checkpoint").write_bytes(forked(started()).files()["checkpoint"])
    assert watching.kinds() == [EventKind.TROUBLE]
    assert watching.kinds(PATIENCE) == [EventKind.UNREADABLE]
    evidence = watching.news[-1].evidence
    assert evidence is not None
    assert (log / "checkpoint").read_bytes() in Path(evidence).read_bytes()


def test_a_fork_whose_evidence_cannot_be_written_is_still_reported(tmp_path: Path, log: Path) -> None:
    """With the reason in its text, and without the name of a file."""
    write_again(started().play("keno-1"), log)
    watching = Watching(tmp_path, log)
    watching.turn()
    watching.fails = True
    write_again(forked(started()), log)
    ((kind, text),) = watching.turn()
    assert (kind, watching.news[-1].evidence) == (EventKind.FORK, None)
    assert text == "the log's key signed two histories; the evidence could not be written: No space left on device"
