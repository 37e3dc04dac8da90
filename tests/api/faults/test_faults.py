"""Whatever fails, before or after its effect: nothing is lost, nothing is duplicated, the log never forks.

A scenario is run once for each of its durable effects, which fails; the process is dead from then
on. The service is opened again, an engine continues, and everything is derived again from the log.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from api.log import sequencer
from api.rounds.tables import TableRefusedError, add_table, request_close
from fairness.records.record import LockRecord
from tests.support.faulty_world import Fault, Faults, When
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.scenarios import TABLES, Scenario, fail_each, kinds, rounds
from tests.tiers.selection import Lattice

pytestmark = pytest.mark.nightly("the same points once more, each several times slower", on="postgresql")


def voids(running: InProcessService) -> None:
    """A round voided in each possible state; one that its engine abandoned; and a new table."""
    number = running.state("keno-1").next_round
    running.void("keno-1", number)
    running.open("keno-1", number + 1)
    running.void("keno-1", number + 1)
    running.open("keno-1", number + 2)
    running.lock("keno-1", number + 2)
    running.void("keno-1", number + 2)
    add_table(running.service.writer, "dice", "sic-bo")
    running.open("crash-1", running.state("crash-1").next_round)
    running.lock("crash-1", running.state("crash-1").next_round)
    running.clock.step(1000)
    running.settle()


def closing(running: InProcessService) -> None:
    """Two tables are closed, one with a locked and an open round."""
    crash = running.state("crash-1").next_round
    running.open("crash-1", crash)
    running.lock("crash-1", crash)
    running.open("crash-1", crash + 1)
    request_close(running.service.writer, "crash-1")
    request_close(running.service.writer, "keno-1")
    for _ in range(5):
        running.settle()
        running.clock.step(400)
    assert running.state("crash-1").closed


def played_until(folder: Path, size: int, server: PostgresServer | None) -> InProcessService:
    """A service whose log has at least ``size`` records, stopped."""
    running = InProcessService.create(folder, tables=TABLES, server=server)
    while running.size < size:
        running.play("crash-1")
        running.play("keno-1")
        running.settle()
    running.stop()
    return running


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer | None) -> InProcessService:
    """A service with a few rounds."""
    return played_until(tmp_path_factory.mktemp("small") / "data", 24, server)


@pytest.fixture(scope="module")
def nearly_full(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer | None) -> InProcessService:
    """A service just before its log's first bundle is full."""
    return played_until(tmp_path_factory.mktemp("full") / "data", 251, server)


@pytest.fixture
def often_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make finding aids durable every few records, so that this can also fail."""
    monkeypatch.setattr(sequencer, "NOTED_EVERY", 3)
    monkeypatch.setattr(sequencer, "SYNCED_PER_TURN", 1)


def restart_and_check(running: InProcessService) -> None:
    """Restart, as after a crash of the program."""
    running.restart()
    running.play_on_and_check()


def crash_and_check(running: InProcessService) -> None:
    """Restart after a crash of the machine that lost every file that was not synced."""
    running.crash_of_the_machine()
    running.start()
    running.play_on_and_check()


WHOLE_CYCLE = {"seal", "write", "write_soon", "write_parts", "sync", "commit"}


@pytest.mark.parametrize("scenario", [voids, closing])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.usefixtures("often_noted")
def test_any_effect_may_fail(
    when: When, scenario: Scenario[InProcessService], small: InProcessService, tmp_path: Path, lattice: Lattice
) -> None:
    """After a crash at any durable effect the service continues, and every promise holds."""
    effects = fail_each(small, tmp_path, when, scenario, restart_and_check, lattice)
    assert kinds(effects) >= WHOLE_CYCLE
    assert len(effects) > 50
    if scenario is voids:
        assert any(name.startswith("write commitments/") for name in effects)


@pytest.mark.parametrize(("when", "afterwards"), [("before", restart_and_check), ("after", crash_and_check)])
@pytest.mark.usefixtures("often_noted")
def test_any_effect_may_fail_where_a_bundle_becomes_full(
    when: When,
    afterwards: Scenario[InProcessService],
    nearly_full: InProcessService,
    tmp_path: Path,
    lattice: Lattice,
) -> None:
    """The same while full tiles are written and partial ones removed; the machine may crash with the program."""
    effects = fail_each(nearly_full, tmp_path, when, rounds, afterwards, lattice)
    assert kinds(effects) == WHOLE_CYCLE | {"remove_partials"}
    assert {"write tile/0/000", "write tile/entries/000", "write_soon tile/1/000.p/1"} <= set(effects)


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_start_itself_may_fail(
    when: When, nearly_full: InProcessService, tmp_path: Path, lattice: Lattice
) -> None:
    """What a start writes again can also fail, at any place, and the next start repeats the work."""
    crashed = nearly_full.copy(tmp_path / "crashed")
    crashed.start(Faults(1, "before", only="write tile/entries/"))
    with suppress(Fault):
        rounds(crashed)
    crashed.crash_of_the_machine()
    dry, faults = crashed.copy(tmp_path / "dry"), Faults()
    dry.start(faults)
    dry.stop()
    # There are hundreds of the same kind in a row; the first, the last and some in between are enough.
    total, names = len(faults.seen), [name.split(" ")[0] for name in faults.seen]
    turning = {at for at in range(1, total) if names[at] != names[at - 1]}
    for at in lattice(sorted(turning | {at + 1 for at in turning} | set(range(1, total, 41)) | {total})):
        running = crashed.copy(tmp_path / str(at))
        with pytest.raises(Fault):
            running.start(Faults(at, when))
        running.start()
        running.play_on_and_check()
        running.stop()
        running.remove()


def test_a_crash_of_the_machine_loses_no_file_that_was_published(
    tmp_path: Path, server: PostgresServer | None
) -> None:
    """Files that were never synced are written again, including those that only an old checkpoint implies."""
    running = InProcessService.create(tmp_path / "data", batch_size=400, tables=TABLES, server=server)
    while running.size < 530:
        running.play("crash-1")
    assert {path for path in running.disk.unsynced if path.startswith("tile/1/")}
    crash_and_check(running)
    running.stop()


Step = Callable[[InProcessService, int], object]


def nothing(_running: InProcessService, _number: int) -> None:
    """No preparation is needed."""


def opened(running: InProcessService, number: int) -> None:
    """The round is open."""
    running.open("crash-1", number)


def locked(running: InProcessService, number: int) -> None:
    """The round is locked, and the next one open."""
    running.open("crash-1", number)
    running.lock("crash-1", number)
    running.open("crash-1", number + 1)


def close(running: InProcessService, _number: int) -> None:
    """An operator requests a table's end; the keeper carries it out."""
    request_close(running.service.writer, "keno-1")
    running.settle()
    assert running.state("keno-1").closed


CALLS: dict[str, tuple[Step, Step]] = {
    "open": (nothing, lambda running, number: running.open("crash-1", number)),
    "lock": (opened, lambda running, number: running.lock("crash-1", number)),
    "reveal": (locked, lambda running, number: running.reveal("crash-1", number)),
    "void a round that is locked": (locked, lambda running, number: running.void("crash-1", number)),
    "void a round that is open": (opened, lambda running, number: running.void("crash-1", number)),
    "void a round that never opened": (nothing, lambda running, number: running.void("crash-1", number)),
    "close": (nothing, close),
}


@pytest.mark.lattice
@pytest.mark.parametrize("call", list(CALLS))
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("restarted", [False, True], ids=["same-process", "restarted"])
def test_a_call_that_fails_is_repeated_with_the_same_answer(
    call: str, when: When, restarted: bool, small: InProcessService, tmp_path: Path
) -> None:
    """Whichever commit of a call fails, the repeated call succeeds, with the same effect as a single call."""
    prepare, act = CALLS[call]
    at, struck = 0, True
    while struck:
        at += 1
        running, faults = small.copy(tmp_path / str(at)), Faults(only="commit", fatal=False)
        running.start(faults)
        number = running.state("crash-1").next_round
        prepare(running, number)
        faults.arm(at, when)
        with suppress(Fault):
            act(running, number)
        struck, faults.at = faults.struck is not None, 0
        if restarted or running.sequencer is None:
            running.restart()
        first = act(running, number)
        assert act(running, number) == first
        whole = running.play_on_and_check()
        locks = [record for record in whole.records if isinstance(record, LockRecord) and record.table == "crash-1"]
        assert [record.round for record in locks] == list(range(1, len(locks) + 1))
        running.stop()
    assert at > 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_table_is_added_wholly_or_not_at_all(when: When, small: InProcessService, tmp_path: Path) -> None:
    """If the commit fails, the second call makes the table, or says that it exists."""
    running, faults = small.copy(tmp_path / "data"), Faults(only="commit", fatal=False)
    running.start(faults)
    faults.arm(1, when)
    with pytest.raises(Fault):
        add_table(running.service.writer, "dice", "sic-bo")
    with nullcontext() if when == "before" else pytest.raises(TableRefusedError, match="already"):
        add_table(running.service.writer, "dice", "sic-bo")
    running.settle()
    running.play("dice", 3)
    running.play_on_and_check()
    running.stop()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("effect", ["seal", "write commitments/", "commit"])
def test_a_batch_is_committed_wholly_or_not_at_all(
    effect: str, when: When, small: InProcessService, tmp_path: Path
) -> None:
    """A keeper whose batch failed halfway commits another in its place, and no round is left out."""
    running, faults = small.copy(tmp_path / "data"), Faults(only=effect, fatal=False)
    running.start(faults)
    add_table(running.service.writer, "dice", "sic-bo")
    running.turn()
    faults.arm(1, when)
    with pytest.raises(Fault):
        running.keeper.turn()
    running.settle()
    running.play("dice", 3)
    running.play_on_and_check()
    running.stop()
