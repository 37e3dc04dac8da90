"""The live feed says whether a lock is published, and why nothing goes on at a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import UNSET

from api.answers.tables import LiveTable, Stopped
from api.http.live.feed import Feed
from api.http.live.stopped import SHOWN_AFTER, stopped_long
from api.http.view import PublicRounds
from api.rounds.control import pause_table
from api.rounds.tables import request_close
from api.store import statements as sql
from api.store.contents import LOG_ENDED
from api.world.statuses import write_status
from tests.support.in_process_service import InProcessService
from tests.support.salted_service import TABLE as SALTED
from tests.support.salted_service import can_play, salted_service, wait_until
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import witnessed_service

CRASH = "crash-1"


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[InProcessService]:
    made = InProcessService.create(tmp_path / "data", tables=[(CRASH, "crash")])
    yield made
    made.stop()


def told(running: InProcessService, table: str = CRASH) -> LiveTable:
    """What the feed of a table says, freshly read."""
    parts = running.service
    rounds = PublicRounds(parts.database, parts.log)
    return Feed(parts.database, parts.publication, rounds, parts.openings, parts.clock).now_at(table).live


def pause(running: InProcessService) -> None:
    pause_table(running.service.writer, CRASH, paused=True)


def close(running: InProcessService) -> None:
    request_close(running.service.writer, CRASH)


def change(running: InProcessService) -> None:
    write_status(running.settings.software_trouble, running.service.timekeeper, "a file was changed")


def halt(running: InProcessService, why: str = "a record was refused") -> None:
    running.service.database.write(lambda of: sql.SET_HALTED.run(of, where_name=CRASH, new_halted=why))


def end(running: InProcessService) -> None:
    halt(running, LOG_ENDED)


@pytest.mark.parametrize(
    ("stop", "why"),
    [(pause, Stopped.PAUSED), (close, Stopped.CLOSED), (change, Stopped.OPERATOR)],
    ids=["paused", "closing", "changed"],
)
def test_rounds_are_played_to_their_end_and_then_nothing_goes_on(
    running: InProcessService, stop: Callable[[InProcessService], None], why: Stopped
) -> None:
    """What keeps the next round from being opened stops no round that is going on."""
    running.open(CRASH, 1)
    stop(running)
    assert told(running).stopped is UNSET
    running.lock(CRASH, 1)
    assert told(running).stopped is UNSET
    running.reveal(CRASH, 1)
    assert told(running).stopped == why


@pytest.mark.parametrize(("stop", "why"), [(halt, Stopped.HALTED), (end, Stopped.CLOSED)], ids=["halted", "ended"])
def test_a_halted_table_stands_still_at_once(
    running: InProcessService, stop: Callable[[InProcessService], None], why: Stopped
) -> None:
    """Its engine gets no answers, in the middle of a round, too; where the log has ended, nothing is wrong."""
    running.open(CRASH, 1)
    stop(running)
    assert told(running).stopped == why


def test_a_lock_waits_until_it_is_published(running: InProcessService) -> None:
    """Pages say so after three seconds; then it goes on by itself."""
    running.open(CRASH, 1)
    assert told(running).now[0].published is UNSET
    with running.background_paused():
        running.locking(CRASH, 1)
        waiting = told(running)
        assert (waiting.now[0].published, waiting.stopped) == (False, Stopped.PUBLICATION)
        locked = running.clock.moment()
        assert stopped_long(waiting, locked + SHOWN_AFTER / 2) is None
        assert stopped_long(waiting, locked + SHOWN_AFTER + timedelta(seconds=1)) == Stopped.PUBLICATION
    running.settle()
    flying = told(running)
    assert flying.now[0].published is True
    assert stopped_long(flying, locked + timedelta(hours=1)) is None


def test_without_a_newer_checkpoint_nothing_is_read_again(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the feed is asked, and while everything waits."""
    running.open(CRASH, 1)
    with running.background_paused():
        running.locking(CRASH, 1)
        assert told(running).now[0].published is False
        log = running.service.publication.newest()
        assert log is not None
        monkeypatch.setattr(log, "round_positions", None)
        assert told(running).now[0].published is False
    monkeypatch.undo()
    running.settle()
    assert told(running).now[0].published is True


def test_witnesses_that_are_away_stop_what_is_not_published(tmp_path: Path) -> None:
    """A lock waits for them, and so does an open round; a flight that is published goes on."""
    with witnessed_service(tmp_path) as running:
        running.open(CRASH, 1)
        running.lock(CRASH, 1)
        running.open(CRASH, 2)
        for witness in running.witnesses:
            witness.behaves = away
        running.reveal(CRASH, 1)
        for _ in range(3):
            running.clock.step(3)
            running.turn()
        assert told(running).stopped == Stopped.WITNESSES
        running.locking(CRASH, 2)
        assert (told(running).stopped, told(running).now[0].published) == (Stopped.WITNESSES, False)
        for witness in running.witnesses:
            witness.behaves = LocalWitness.answer
        running.clock.step(60)
        running.settle()
        assert (told(running).stopped, told(running).now[0].published) == (UNSET, True)


def test_a_table_whose_pulse_is_late_waits_for_the_beacon(tmp_path: Path) -> None:
    """Until its first rounds are salted."""
    with salted_service(tmp_path / "data") as running:
        running.settle()
        assert told(running, SALTED).stopped == Stopped.BEACON
        wait_until(running, lambda: can_play(running))
        assert told(running, SALTED).stopped is UNSET
