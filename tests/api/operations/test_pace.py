"""How fast a table is played, as shown on the operator's page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from api.operations.pace import WINDOW, Pace, pace_of
from tests.support.in_process_service import InProcessService

TABLE = "keno-1"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with one table, which was made an hour ago."""
    made = InProcessService.create(tmp_path / "data", batch_size=200, tables=[(TABLE, "keno-express")])
    made.clock.step(3600)
    yield made
    made.stop()


def pace(running: InProcessService) -> Pace:
    """The table's pace now."""
    with running.service.database.read() as connection:
        return pace_of(connection, running.state(TABLE), running.clock.now())


def play(running: InProcessService, rounds: int, seconds: float) -> None:
    """Play rounds with this many seconds between them."""
    for _ in range(rounds):
        running.clock.step(seconds)
        running.play(TABLE)


def test_nobody_plays(running: InProcessService) -> None:
    """Then there is no estimate how long the committed rounds last."""
    assert pace(running).per_minute == 0
    assert pace(running).lasts(100) is None


@pytest.mark.parametrize("earlier", [0, 1, 7, 64])
@pytest.mark.parametrize("recent", [1, 2, 30])
def test_the_rounds_of_the_last_minutes_are_counted(running: InProcessService, earlier: int, recent: int) -> None:
    """Only these, wherever the window begins."""
    play(running, earlier, 1)
    running.clock.step(WINDOW.total_seconds())
    play(running, recent, 1)
    found = pace(running)
    assert found == Pace(recent, WINDOW)
    assert found.per_minute == recent / 5
    assert found.lasts(10 * recent) == 10 * WINDOW


def test_a_round_leaves_the_window(running: InProcessService) -> None:
    """When its lock is older than the window."""
    play(running, 1, 0)
    running.clock.step(WINDOW.total_seconds() - 1)
    assert pace(running).rounds == 1
    running.clock.step(1)
    assert pace(running).rounds == 0


def test_rounds_that_are_given_up_use_up_what_is_committed(running: InProcessService) -> None:
    """So they count for the pace."""
    running.void(TABLE, 1)
    play(running, 1, 1)
    assert pace(running).rounds == 2


def test_a_young_table_is_measured_since_it_was_made(tmp_path: Path) -> None:
    """But never over less than a minute, because two rounds in a second are no pace."""
    running = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express")])
    play(running, 2, 1)
    assert pace(running) == Pace(2, timedelta(minutes=1))
    running.clock.step(178)
    assert timedelta(minutes=3) < pace(running).during < timedelta(minutes=3, seconds=1)
    running.stop()
