"""Terms: whatever a leader of before has still to do, it puts nothing into the database or the log any more."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import rmtree

import pytest

from api.log.keys import load_signing_key
from api.log.leadership import Leadership
from api.log.publishing import CheckpointFile
from api.log.sequencer import HeadMovedError, Sequencer
from api.operations.shared_statuses import FollowedStatuses, SharedStatuses
from api.programs.background.heart import Heart
from api.programs.background.terms import PublisherByTerm, begin_sequencing, begin_term, start_sequencer
from api.rounds.reading import newest_time
from api.settings import Settings
from api.sql.connection import Connection
from api.store import statements as sql
from api.witnesses.gate import NOT_SINCE_THE_START
from api.world import below
from api.world.published.log_folder import LogFolder
from api.world.statuses import read_status, write_status
from api.world.storage_failures import HeldElsewhereError, ServerFailure
from api.world.timekeeper import Timekeeper
from fairness.log.checkpoints import Checkpoint
from fairness.records.record import Record
from tests.support.faulty_world import SettableClock
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.witnessed_service import WitnessedService, witnessed_service
from verifier.cli import main

pytestmark = pytest.mark.both_databases("who leads is a row")

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
        running.locking(TABLE, 1)


def published(running: InProcessService) -> Checkpoint:
    """The head that readers see."""
    return Checkpoint.open((running.settings.log / "checkpoint").read_bytes(), running.key)


def test_a_leader_that_is_cut_off_between_commit_and_publication(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record is in the log, and the next leader publishes it; the first one writes no tile and no checkpoint."""
    first, size = next_term(running), published(running).size
    lock(running)
    write = first._write
    seen: list[Checkpoint] = []

    def write_late(full: list[tuple[str, bytes]], records: Iterable[tuple[int, Record]]) -> None:
        assert published(running).size == size
        next_term(running)
        seen.append(published(running))
        write(full, records)

    monkeypatch.setattr(first, "_write", write_late)
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
    unfinished = running.settings.log / f"{log._unfinished}/checkpoint"
    unfinished.write_bytes(b"of before")
    next_term(running)
    before = published(running)
    with pytest.raises(FileNotFoundError):
        unfinished.rename(running.settings.log / "checkpoint")
    assert published(running) == before
    assert len(list((running.settings.log / ".unfinished").iterdir())) == 1


def test_a_term_is_begun_once(running: InProcessService) -> None:
    """While the lock is held, the name stays; each time that it is taken again, there is another one."""
    # A term looks twice more when it begins.
    terms = iter([1, 1, 1, 1, 2, 2, 2])
    leadership = Leadership(terms.__next__, running.service.database, LogFolder(running.settings.log))
    names = [leadership.name() for _ in range(3)]
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize("step", ["before its name is written", "before its folder is made", "after"])
def test_a_leader_that_is_halted_while_it_begins(
    step: str, running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it wakes, another leads; it stands by, and leaves a log that the other goes on with."""
    held, log, database = [True], LogFolder(running.settings.log), running.service.database
    other_log = LogFolder(running.settings.log)
    other = Leadership(lambda: 1, database, other_log)

    def hold() -> int:
        if not held[0]:
            raise HeldElsewhereError("another leads")
        return 1

    def halt() -> None:
        held[0] = False
        other.name()

    write, write_as = database.write, log.write_as

    def write_late(work: Callable[[Connection], object]) -> None:
        halt()
        write(work)

    def write_as_late(name: str) -> None:
        if step == "before its folder is made":
            halt()
        write_as(name)
        if step == "after":
            halt()

    late = copy(database)
    if step == "before its name is written":
        monkeypatch.setattr(late, "write", write_late)
    monkeypatch.setattr(log, "write_as", write_as_late)
    halted = Leadership(hold, late, log)
    with pytest.raises(HeldElsewhereError):
        halted.name()
    key = load_signing_key(running.settings)
    sequencer = start_sequencer(replace(running.service, log=other_log), key, None, other.name())
    lock(running)
    assert sequencer.turn() == 1
    with pytest.raises(HeldElsewhereError):
        halted.name()


def test_a_leader_whose_folder_was_deleted_begins_another_term(running: InProcessService) -> None:
    """While it holds the lock, nobody else would."""
    log = LogFolder(running.settings.log)
    leadership = Leadership(lambda: 1, running.service.database, log)
    name = leadership.name()
    rmtree(running.settings.log / ".unfinished")
    assert leadership.name() != name
    log.write("a-file", b"data")
    assert log.read("a-file") == b"data"


def test_a_folder_that_cannot_be_removed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends after a few attempts, so the part waits for its storage and says why."""
    log = LogFolder(tmp_path)
    log.write_as("first")

    def refuse(folder: str, *, dir_fd: int) -> None:  # noqa: ARG001 -- as it is called
        raise PermissionError(errno.EACCES, "Permission denied", folder)

    monkeypatch.setattr(below, "rmtree", refuse)
    with pytest.raises(PermissionError, match=r"\.unfinished/second\.ended"):
        log.write_as("second")


class Machine:
    """A sequencer with witnesses, in as many terms as are asked for."""

    def __init__(self, running: WitnessedService) -> None:
        self._running, self._term = running, 0
        self.service = replace(running.service, log=LogFolder(running.settings.log))
        database, log = self.service.database, self.service.own_log
        followed = FollowedStatuses(self.service.settings, database, self.service.timekeeper)
        self.leadership = Leadership(self._hold, database, log, partial(begin_term, self.service, followed))
        self.heart = Heart(self.service, self.leadership, followed)
        self.publishers = PublisherByTerm(self.service, running.askers, self.leadership)
        self.leads = True

    def _hold(self) -> int:
        if not self.leads:
            raise HeldElsewhereError("another leads")
        return self._term

    def begin(self) -> None:
        """Lead, as the sequencer's part begins a term."""
        self._term += 1
        key = load_signing_key(self._running.settings)
        self._running.sequencer = begin_sequencing(self.service, key, self.publishers, self.leadership)
        self._running.publisher = self.publishers.of_term()


def test_who_leads_again_publishes_nothing_of_its_earlier_term(tmp_path: Path) -> None:
    """It does not take what the other has published for tampering, and the log grows only once witnesses cosign it
    again.
    """
    with witnessed_service(tmp_path) as running:
        first, second = Machine(running), Machine(running)
        first.begin()
        running.publish()
        running.play("crash-1", 2)
        of_before = first.publishers.of_term()
        second.begin()
        running.publish()
        running.play("crash-1", 3)
        size = running.published.checkpoint.size
        first.begin()
        publisher = first.publishers.of_term()
        assert publisher is not None
        assert of_before is not None
        assert publisher is not of_before
        grew = publisher.may_grow
        # A turn of the earlier term that was halted until now.
        before = (running.settings.log / "checkpoint").read_bytes()
        of_before.turn(0)
        assert (running.settings.log / "checkpoint").read_bytes() == before
        assert running.published.checkpoint.size == size
        running.publish()
        assert (grew, publisher.may_grow) == (False, True)
        assert first.publishers.of_term() is publisher
        running.play("crash-1", 1)
        assert running.published.checkpoint.size > size


def test_a_sequencer_that_loses_the_lead_has_the_signs_of_the_leader(tmp_path: Path) -> None:
    """Beside the listeners of a standby, nothing that it says itself counts, until it leads again."""
    with witnessed_service(tmp_path) as running:
        machine = Machine(running)
        gate, settings, timekeeper = machine.service.gate, machine.service.settings, machine.service.timekeeper
        machine.begin()
        machine.heart.beat()
        assert gate.trouble() == NOT_SINCE_THE_START
        machine.leads = False
        leader = replace(settings, folder=tmp_path / "leader")
        leader.folder.mkdir()
        database = machine.service.database
        database.write(lambda connection: sql.SET_LEADER.run(connection, new_leader="the other"))
        shared = SharedStatuses(leader, database)
        shared.give("the other")
        machine.heart.beat()
        # Its witnesses are there, and nothing shows yet that it lives.
        assert gate.trouble() is None
        assert read_status(settings.heartbeat, timekeeper) is None
        write_status(leader.heartbeat, timekeeper)
        for choose, why in ((_witnesses, "the press is away"), (_keeper, "the disk is full"), (_entropy, "stuck")):
            write_status(choose(leader), timekeeper, why)
        shared.give("the other")
        machine.heart.beat()
        assert gate.trouble() == "the press is away"
        assert "the keeper: the disk is full" in str(machine.service.health.failure("background"))
        assert machine.service.health.failure("entropy") == "stuck"
        machine.leads = True
        machine.begin()
        assert gate.trouble() == NOT_SINCE_THE_START
        assert machine.service.health.failure("entropy") is None


def _witnesses(settings: Settings) -> Path:
    return settings.witnesses_trouble


def _keeper(settings: Settings) -> Path:
    return settings.heartbeat_of("keeper")


def _entropy(settings: Settings) -> Path:
    return settings.entropy_trouble


def test_who_does_not_know_who_leads_speaks_for_itself(running: InProcessService) -> None:
    """The database is away: its own parts say so, and they live."""

    def hold() -> int:
        raise ServerFailure("the database is away")

    service = running.service
    leadership = Leadership(hold, service.database, service.own_log)
    followed = FollowedStatuses(running.settings, service.database, service.timekeeper)
    Heart(service, leadership, followed).beat()
    assert read_status(running.settings.heartbeat, service.timekeeper) is not None


@pytest.mark.parametrize("sizes", [(5, 4), (5, 0)])
def test_a_checkpoint_is_never_replaced_by_a_smaller_one(sizes: tuple[int, int], running: InProcessService) -> None:
    """One that is as large or damaged is; the publisher's own as well as one that it finds."""
    key, log = load_signing_key(running.settings), LogFolder(running.settings.log)
    notes = [Checkpoint(running.key.name, size, bytes(32)).sign(key) for size in sizes]
    log.write("checkpoint", notes[0])
    file = CheckpointFile(log, running.key)
    with pytest.raises(ServerFailure, match=f"has 5 records and is not replaced by one of {sizes[1]}"):
        file.write(notes[1], sizes[1])
    file.write(notes[0], 5)
    with pytest.raises(ServerFailure, match="another sequencer has published"):
        file.write(notes[1], sizes[1])
    assert log.read("checkpoint") == notes[0]
    log.write("checkpoint", b"damaged")
    file.put_back()
    assert log.read("checkpoint") == notes[0]


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_leader_whose_clock_is_an_hour_off(hours: int, running: InProcessService) -> None:
    """On another machine: a round that was locked a moment ago is not ended as if it were abandoned, and rounds go
    on.
    """
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
