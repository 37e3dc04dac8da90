"""An old backup is noticed before the log can be forked: nothing is appended before witnesses have vouched for the
head.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.keys import load_signing_key
from api.log.recovery import RecoveryError
from api.programs.background.terms import start_sequencer
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.settings import Settings
from api.witnesses.standing import LONGEST_PAUSE
from fairness.log.checkpoints import Checkpoint
from tests.support.in_process_service import ORIGIN
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import WitnessedService, witnessed_service


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path) as running:
        yield running


def start_before_the_publisher_turns(running: WitnessedService) -> None:
    """The sequencer's thread is the first to run."""
    running.start_without_sequencer()
    running.publisher = running.service.publisher(running.askers)
    key = load_signing_key(running.settings)
    running.sequencer = start_sequencer(running.service, key, running.publisher)


def witnesses_are(running: WitnessedService, *, there: bool) -> None:
    """Let all answer, or none."""
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer if there else away


@pytest.mark.one_database("an older file in its place; test_older_database has one of a server")
@pytest.mark.parametrize("there", [True, False])
def test_no_witness_is_shown_a_fork_of_what_it_has_seen(
    there: bool, running: WitnessedService, tmp_path: Path
) -> None:
    """An engine calls and a table is added, before the witnesses could answer or while they are away."""
    running.play("crash-1", 3)
    running.open("crash-1", 4)
    running.settle()
    old = running.size
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "backup")
    running.start()
    running.lock("crash-1", 4)
    running.reveal("crash-1", 4)
    running.stop()
    shutil.rmtree(running.settings.folder)
    shutil.copytree(tmp_path / "backup", running.settings.folder)
    for witness in running.witnesses:
        witness.asked.clear()
    witnesses_are(running, there=there)
    start_before_the_publisher_turns(running)
    sequencer, publisher = running.sequencer, running.publisher
    assert sequencer is not None
    assert publisher is not None
    with running.background_paused():
        assert not running.locking("crash-1", 4).is_published
    add_table(running.service.writer, "dice", "sic-bo")
    for _ in range(3):
        assert not sequencer.turn()
        running.keeper.turn()
    if not there:
        for _ in range(3):
            publisher.turn(0)
            assert not sequencer.turn()
            running.clock.step(LONGEST_PAUSE.total_seconds())
        witnesses_are(running, there=True)
        publisher.turn(0)
        running.clock.step(LONGEST_PAUSE.total_seconds())
    with pytest.raises(RecoveryError, match=r"old backup.*foredraw rebuild"):
        running.publish()
    shown = {
        Checkpoint.open(body.partition(b"\n\n")[2], running.key).size
        for witness in running.witnesses
        for body in witness.asked
    }
    assert shown == {old}


def test_what_was_queued_is_appended_once_witnesses_have_vouched(running: WitnessedService) -> None:
    """Nothing is lost by the wait."""
    running.play("crash-1", 1)
    running.open("crash-1", 2)
    running.settle()
    running.stop()
    witnesses_are(running, there=False)
    start_before_the_publisher_turns(running)
    assert not running.locking("crash-1", 2).is_published
    running.settle()
    size = running.published.checkpoint.size
    assert running.witnesses[0].seen is not None
    assert running.witnesses[0].seen.size == size
    witnesses_are(running, there=True)
    running.clock.step(LONGEST_PAUSE.total_seconds())
    running.settle()
    running.lock("crash-1", 2)
    running.reveal("crash-1", 2)
    running.check()


def test_a_new_log_starts_again_although_no_witness_was_there(running: WitnessedService, tmp_path: Path) -> None:
    """The empty log has its checkpoint before it gets a record, and witnesses see what came after."""
    new = WitnessedService(tmp_path / "new")
    new.witnesses = running.witnesses
    initialise(Settings(new.settings.folder, server=new.settings.server), ORIGIN)
    new.settings = replace(new.settings, policy=tmp_path / "new-policy")
    new.demand()
    for witness in new.witnesses:
        witness.seen = None
    witnesses_are(new, there=False)
    start_before_the_publisher_turns(new)
    assert new.sequencer is not None
    add_table(new.service.writer, "crash-1", "crash")
    assert new.sequencer.turn()
    new.stop()
    new.start()
    witnesses_are(new, there=True)
    new.clock.step(LONGEST_PAUSE.total_seconds())
    new.settle()
    new.play("crash-1")
    new.check()
    new.stop()
