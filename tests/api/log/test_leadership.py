"""Terms: whatever a leader of before has still to do, it puts nothing into the database or the log any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.keys import load_signing_key
from api.log.leadership import Leadership
from api.log.sequencer import HeadMovedError, Sequencer
from api.programs.background import start_sequencer
from api.rounds.reading import newest_time
from api.world.log_folder import LogFolder
from api.world.storage_failures import ServerFailure
from api.world.timekeeper import Timekeeper
from fairness.log.checkpoints import Checkpoint
from tests.support.faulty_world import SettableClock
from tests.support.in_process_service import InProcessService, bets_of
from tests.support.postgres import PostgresServer
from verifier.cli import main

TABLE = "keno-1"


@pytest.fixture
def running(tmp_path: Path, server: PostgresServer | None) -> Iterator[InProcessService]:
    """A service with an open round, which has no sequencer of its own."""
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express")], server=server)
    made.open(TABLE, 1)
    made.sequencer = None
    yield made
    made.stop()


def next_term(running: InProcessService) -> Sequencer:
    """The sequencer of a new leader, as on another machine."""
    log = LogFolder(running.settings.log)
    name = Leadership(lambda: 1, running.service.database, log).name()
    return start_sequencer(replace(running.service, log=log), load_signing_key(running.settings), None, name)


def lock(running: InProcessService) -> None:
    """Queue a record."""
    with running.background_paused():
        running.service.rounds.lock(TABLE, 1, bets_of(TABLE, 1))


def published(running: InProcessService) -> Checkpoint:
    """The head that readers see."""
    return Checkpoint.open((running.settings.log / "checkpoint").read_bytes(), running.key)


def test_a_leader_that_is_cut_off_between_commit_and_publication(running: InProcessService) -> None:
    """Its record is in the log, and the next leader publishes it; the first one writes no tile and no checkpoint."""
    first, size = next_term(running), published(running).size
    lock(running)
    write = first._write
    seen: list[Checkpoint] = []

    def write_late(full: list[tuple[str, bytes]], records: Iterable[object]) -> None:
        assert published(running).size == size
        next_term(running)
        seen.append(published(running))
        write(full, records)  # type: ignore[arg-type]

    first._write = write_late  # type: ignore[method-assign]
    with pytest.raises(ServerFailure, match="another sequencer publishes this log"):
        first.turn()
    assert seen[0].size == size + 1
    with pytest.raises(ServerFailure, match="another sequencer publishes this log"):
        first._publish([])
    assert published(running) == seen[0]
    assert main(["audit", str(running.settings.log), "--key", str(running.key)]) == 0


def test_a_leader_of_before_commits_nothing(running: InProcessService) -> None:
    """Not even if nobody has moved the head since, so that the next one finds it as it left it."""
    first = next_term(running)
    second = next_term(running)
    lock(running)
    with pytest.raises(HeadMovedError, match="another leader"):
        first.turn()
    assert second.turn() == 1


def test_a_checkpoint_that_was_written_and_not_put_in_place_never_is(running: InProcessService) -> None:
    """The last step of a leader that was halted just before it: the file that it renames is gone."""
    log = LogFolder(running.settings.log)
    Leadership(lambda: 1, running.service.database, log).name()
    unfinished = Path(log._temporary("checkpoint"))
    unfinished.write_bytes(b"of before")
    next_term(running)
    before = published(running)
    with pytest.raises(FileNotFoundError):
        unfinished.rename(running.settings.log / "checkpoint")
    assert published(running) == before
    assert len(list((running.settings.log / ".unfinished").iterdir())) == 1


def test_a_term_is_begun_once(running: InProcessService) -> None:
    """While the lock is held, the name stays; each time that it is taken again, there is another one."""
    terms = iter([1, 1, 2])
    leadership = Leadership(terms.__next__, running.service.database, LogFolder(running.settings.log))
    names = [leadership.name() for _ in range(3)]
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_leader_whose_clock_is_an_hour_off(hours: int, running: InProcessService) -> None:
    """On another machine: a round that was locked a moment ago is not ended as if it were abandoned, and rounds go on."""
    running.sequencer = next_term(running)
    running.lock(TABLE, 1)
    clock = SettableClock()
    clock.boot, clock.date = "another machine", running.clock.date
    clock.set_date(hours * 3600)
    database, first = running.service.database, running.service
    timekeeper = Timekeeper(clock, running.settings.folder / "clock-2.json", lambda: newest_time(database))
    clock.step(86_400 / 2)
    clock.set_date(-86_400 / 2)
    running.service = replace(first, clock=clock, timekeeper=timekeeper)
    running.keeper = running.service.keeper()
    running.sequencer = next_term(running)
    running.settle()
    assert running.status(TABLE, 1) == "locked"
    running.play(TABLE, 15)
    running.service, running.keeper = first, first.keeper()
    running.sequencer = next_term(running)
    running.play(TABLE, 3)
    assert main(["audit", str(running.settings.log), "--key", str(running.key)]) == 0
