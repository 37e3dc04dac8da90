"""One thread for each witness: a slow one holds up nobody, and gets the newest head when it is free."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from api.answers.rounds import Ended
from api.log.keys import load_signing_key
from api.programs.background.terms import start_sequencer
from api.witnesses.askers import ThreadedAskers
from tests.support.witness_server import slow_until
from tests.support.witnessed_service import WitnessedService, witnessed_service

PATIENCE = 30.0


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path) as running:
        running.stop()
        running.start_without_sequencer()
        askers = ThreadedAskers()
        running.publisher = running.service.publisher(askers)
        running.sequencer = start_sequencer(running.service, load_signing_key(running.settings), running.publisher)
        yield running
        askers.close()


def until(running: WitnessedService, holds: Callable[[], bool]) -> None:
    """Run turns of both until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        assert running.sequencer is not None
        assert running.publisher is not None
        running.sequencer.turn()
        running.publisher.turn(0.05)


def play(running: WitnessedService, number: int) -> None:
    """Play a round as an engine does that repeats its calls."""
    rounds = running.service.rounds
    until(running, lambda: running.publisher is not None and running.publisher.is_idle)
    running.open("crash-1", number)
    until(running, lambda: running.locking("crash-1", number).is_published)
    until(running, lambda: isinstance(rounds.reveal("crash-1", number), Ended))


def test_a_slow_witness_holds_up_nobody(running: WitnessedService) -> None:
    """The other two publish one head after the other; the slow one is asked once, and then for the newest."""
    slow, released = running.witnesses[0], Event()
    until(running, lambda: len(running.cosigned_by) == 3)
    slow.behaves = slow_until(released)
    before = len(slow.asked)
    for number in (1, 2, 3):
        play(running, number)
    assert len(slow.asked) == before + 1
    assert running.cosigned_by == ["press", "regulator"]
    released.set()
    until(running, lambda: len(running.cosigned_by) == 3 and slow.cosigned[-1].size == running.size)
    assert len(slow.asked) <= before + 3
    running.check_log()


def test_connections_are_kept(running: WitnessedService) -> None:
    """Each witness has one, over which every head is sent."""
    play(running, 1)
    before = [witness.connections for witness in running.witnesses]
    for number in (2, 3, 4):
        play(running, number)
        # One that has been too slow gets the newest head only.
        until(running, lambda: {witness.cosigned[-1].size for witness in running.witnesses} == {running.size})
    assert [witness.connections for witness in running.witnesses] == before
