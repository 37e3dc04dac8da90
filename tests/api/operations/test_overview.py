"""What an operator sees: the state of every table, and everything that needs attention."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.answers.rounds import Pending
from api.operations.health import PARTS
from api.operations.overview import LONG_QUEUE, OVERDUE, Overview, TableNow
from api.rounds.tables import add_table, request_close
from api.settings import DEFAULT_TIMEOUT
from api.store import statements as sql
from api.store.models import QueuedRow
from api.world.statuses import write_status
from tests.support.in_process_service import VOID_REASON, InProcessService

pytestmark = pytest.mark.both_databases("its sums are the database's")

FLIGHT, DRAW = "crash-1", "keno-1"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """Two tables that can be played, and fresh heartbeats of the background program."""
    made = InProcessService.create(tmp_path / "data", tables=[(FLIGHT, "crash"), (DRAW, "keno-express")])
    give_signs_of_life(made)
    yield made
    made.stop()


def give_signs_of_life(running: InProcessService) -> None:
    """Give heartbeats like the background program, which does not run here."""
    for part in PARTS:
        write_status(running.settings.heartbeat_of(part), running.service.timekeeper)


def seen(running: InProcessService) -> Overview:
    """What the operator sees now."""
    return running.service.observer.overview()


def table(running: InProcessService, name: str) -> TableNow:
    """One table of what the operator sees."""
    (found,) = [table for table in seen(running).tables if table.state.name == name]
    return found


def queue(running: InProcessService, data: bytes) -> None:
    """Put bytes into the queue that the service itself would never queue."""
    running.service.database.write(lambda connection: sql.ENQUEUE.run(connection, QueuedRow(DRAW, data)))


def rounds(running: InProcessService, name: str) -> list[tuple[int, str]]:
    """A table's rounds that have not ended."""
    return [(now.number, now.status) for now in table(running, name).rounds]


def troubles(running: InProcessService) -> list[tuple[str, dict[str, Any]]]:
    """What needs attention while the background program gives heartbeats."""
    give_signs_of_life(running)
    return list(seen(running).troubles())


def test_a_table_in_play(running: InProcessService) -> None:
    """Its rounds in progress, how many are committed ahead, and how long they will last."""
    running.clock.step(3600)
    running.play(DRAW, 2)
    now = table(running, DRAW)
    assert (now.condition, now.rounds, now.state.lead) == ("playing", [], 2)
    assert (now.ahead, now.playable) == (now.state.committed_through - 2, now.state.committed_through - 4)
    assert now.lasts == now.playable * timedelta(minutes=2.5)
    running.open(DRAW, 3)
    assert rounds(running, DRAW) == [(3, "open")]
    running.lock(DRAW, 3)
    assert rounds(running, DRAW) == [(3, "locked")]
    running.reveal(DRAW, 3)
    assert rounds(running, DRAW) == []
    assert troubles(running) == []


def test_a_flight_has_two_rounds_at_once(running: InProcessService) -> None:
    """One in flight, and one that takes bets."""
    running.open(FLIGHT, 1)
    running.lock(FLIGHT, 1)
    running.open(FLIGHT, 2)
    assert rounds(running, FLIGHT) == [(1, "locked"), (2, "open")]


def test_from_the_beginning_to_the_end(running: InProcessService) -> None:
    """A table is starting, playing, closing, and closed."""
    conditions = []
    add_table(running.service.writer, "dice-1", "sic-bo")
    conditions.append(table(running, "dice-1").condition)
    running.settle()
    conditions.append(table(running, "dice-1").condition)
    request_close(running.service.writer, "dice-1")
    conditions.append(table(running, "dice-1").condition)
    running.settle()
    conditions.append(table(running, "dice-1").condition)
    assert conditions == ["starting", "playing", "closing", "closed"]
    assert troubles(running) == []


def test_a_round_that_should_have_been_revealed_hangs(running: InProcessService) -> None:
    """Not before the keeper had time to end it; a round that was given up is due sooner."""
    running.open(DRAW, 1)
    running.lock(DRAW, 1)
    running.clock.step(DEFAULT_TIMEOUT + OVERDUE.total_seconds() - 1)
    assert troubles(running) == []
    running.clock.step(2)
    ((kind, what),) = troubles(running)
    assert (kind, what["table"], what["round"]) == ("hangs", DRAW, 1)
    assert what["age"] // timedelta(seconds=1) == DEFAULT_TIMEOUT + 11


def test_a_round_that_was_given_up_and_not_voided_hangs(running: InProcessService) -> None:
    """Its engine has a moment to finish the void, and then the keeper does."""
    with running.background_paused():
        assert isinstance(running.service.rounds.void(DRAW, 1, VOID_REASON), Pending)
    running.clock.step(OVERDUE.total_seconds() + 4)
    assert [kind for kind, _ in troubles(running)] == ["hangs"]


def test_a_table_that_runs_dry(running: InProcessService) -> None:
    """The keeper is late: the next round cannot be opened."""
    while table(running, DRAW).playable:
        running.play(DRAW)
    assert troubles(running) == [("dry", {"table": DRAW})]
    running.settle()
    assert troubles(running) == []


def test_a_halted_table_says_which_check_and_not_what_was_found(running: InProcessService) -> None:
    """The record may contain an outcome that is still secret."""
    secret = {"multiplier": "12.34"}
    queue(running, json.dumps({"outcome": secret}).encode())
    running.turn()
    ((kind, what),) = troubles(running)
    assert (kind, what["table"]) == ("halted", DRAW)
    assert what["reason"].endswith(": record-form")
    assert table(running, DRAW).condition == "halted"
    assert "12.34" not in repr(seen(running))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_background_program_that_is_silent(running: InProcessService, part: str) -> None:
    """It never gave a heartbeat, or the last one is too old."""
    status = running.settings.heartbeat_of(part)
    status.unlink()
    assert list(seen(running).troubles()) == [(part, {"age": None})]
    write_status(status, running.service.timekeeper)
    running.clock.step(60)
    found = dict(seen(running).troubles())
    assert int(found[part]["age"]) == 60


def test_a_long_queue(running: InProcessService) -> None:
    """Records come faster than they are published."""
    with running.background_paused():
        for _ in range(LONG_QUEUE):
            queue(running, b"no record")
        assert troubles(running) == [("queue", {"waiting": LONG_QUEUE})]


def test_the_last_voids_newest_first(running: InProcessService) -> None:
    """With their reasons, of all tables."""
    for number in range(1, 8):
        running.void(DRAW, number, f"reason {number}")
        running.void(FLIGHT, number, f"reason {number}")
        running.settle()
    voids = seen(running).voids
    assert [(row.table, row.round, row.reason) for row in voids[:3]] == [
        (FLIGHT, 7, "reason 7"),
        (DRAW, 7, "reason 7"),
        (FLIGHT, 6, "reason 6"),
    ]
    assert len(voids) == 10


def test_the_log_as_it_stands(running: InProcessService) -> None:
    """Its size, how old its checkpoint is, and that nothing waits."""
    background = seen(running).background
    assert background.size == running.size
    assert background.waiting == 0
    assert background.checkpoint is not None
    assert background.checkpoint < 60
