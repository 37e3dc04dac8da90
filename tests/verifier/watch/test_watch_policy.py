"""A watch with a policy: it names the witnesses, misses them when they are gone, and sees a fork with or without
them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fairness.checks import Check
from tests.lies import started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.watching import Watching
from tests.support.witnesses import LAB, PRESS, REGULATOR, Cosigner, cosigned, policy
from verifier.forks.evidence import check_evidence
from verifier.watch.events import EventKind

POLICY = policy(KEY.verifier_key)


def written(operator: Operator, folder: Path, *witnesses: Cosigner) -> Path:
    """The operator's log, with the cosignatures of these witnesses."""
    operator.write(folder)
    head = folder / "checkpoint"
    head.write_bytes(cosigned(head.read_bytes(), *witnesses))
    return folder


@pytest.fixture(name="watching")
def _watching(tmp_path: Path) -> Watching:
    """A watch of a log that two of three witnesses cosigned."""
    return Watching(tmp_path, written(started(), tmp_path / "log", LAB, REGULATOR), POLICY)


def test_the_witnesses_are_named(watching: Watching) -> None:
    """With their times, whenever the log grew."""
    assert watching.kinds() == [EventKind.GREW]
    told = "; cosigned by lab as of 2026-11-20T12:00:00Z; cosigned by regulator as of 2026-11-20T12:00:00Z"
    assert watching.news[-1].text.endswith(told)


def test_a_head_without_the_quorum_is_an_alarm_until_it_has_it(watching: Watching) -> None:
    """Its records are not replayed before."""
    watching.turn()
    grown = started()
    grown.play("keno-1")
    written(grown, watching.log, PRESS)
    assert watching.kinds() == [EventKind.FALSE_FILES]
    failure = watching.news[-1].failure
    assert failure is not None
    assert failure.check is Check.CHECKPOINT_QUORUM
    assert "too few witnesses cosigned" in watching.news[-1].text
    assert watching.kinds() == []
    written(grown, watching.log, PRESS, LAB)
    assert EventKind.GREW in watching.kinds()


@pytest.mark.parametrize("line", [b"", PRESS.false_line()], ids=["none", "a false one"])
def test_a_fork_is_seen_whatever_the_lines_of_witnesses_are(line: bytes, watching: Watching) -> None:
    """The log's signature alone shows it, also to whoever has a policy, and so does the evidence."""
    watching.turn()
    other = Operator()
    other.table("keno-1", "keno-express", ["another"])
    other.batch("keno-1", 40)
    other.play("keno-1", 30)
    head = written(other, watching.log) / "checkpoint"
    head.write_bytes(head.read_bytes() + line)
    assert watching.kinds() == [EventKind.FORK]
    assert watching.news[-1].evidence is not None
    report = check_evidence(Path(watching.news[-1].evidence).read_bytes(), POLICY, name="evidence")
    assert report.cosigned_both == []


def test_a_false_line_of_a_witness_is_an_alarm_and_the_checkpoint_is_remembered(watching: Watching) -> None:
    """Its records are not replayed; what contradicts it later is a fork."""
    watching.turn()
    head = written(started().play("keno-1"), watching.log, LAB, REGULATOR) / "checkpoint"
    head.write_bytes(head.read_bytes() + PRESS.false_line())
    assert watching.kinds() == [EventKind.FALSE_FILES]
    failure = watching.news[-1].failure
    assert failure is not None
    assert failure.check is Check.NOTE_SIGNATURE
    watching.begin()
    assert watching.watch.size == len(started().play("keno-1").records)
