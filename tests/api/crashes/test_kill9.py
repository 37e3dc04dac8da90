"""SIGKILL at random moments of play, of all processes or of one: no round is lost, none is played twice.

A failure names its seed; ``FOREDRAW_KILL_SEED=…`` makes the same choices again, though not the same
moments. Only processes that were started here are killed, each by its id.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from api.settings import Server
from fairness.records.record import RevealRecord
from tests.oracles.whole_log import check_whole_log
from tests.support.engine import Engine
from tests.support.running_service import (
    PATIENCE_SECONDS,
    SIX_TABLES,
    RunningService,
    family_of,
    has_ended,
    initialised,
    kill,
    wait_until,
)
from verifier.audit.audit import audit_log
from verifier.audit.remembered import AuditState
from verifier.sources.source import FolderSource

KILLS = ("everything", "everything", "the supervisor", "the background program")
"""Random moments of the real processes; what each step leaves is in `test_crash_points`."""
MOST_ROUNDS_BETWEEN = 120


@contextmanager
def ending_all(started: set[int]) -> Iterator[None]:
    """Whatever happens, leave none of the started processes running."""
    try:
        yield
    finally:
        for pid in started:
            if not has_ended(pid):
                kill(pid, signal.SIGKILL)


def end_by_force(service: RunningService, whom: str, started: set[int]) -> None:
    """Kill the service, and wait until none of its processes runs."""
    supervisor = service.process.pid
    # Its programs may just be starting, so there may be more processes than a moment ago.
    wait_until(lambda: len(family_of(supervisor)) > 2 or service.process.poll() is not None, "both programs")
    everybody = family_of(supervisor)
    started.update(everybody)
    victims = {"everything": everybody, "the supervisor": [supervisor]}.get(whom) or [service.background]
    for pid in victims:
        # Parents first, because a parent would replace a dead child.
        kill(pid, signal.SIGKILL)
    service.ended()
    wait_until(lambda: all(has_ended(pid) for pid in everybody), f"the end of all after {whom} was killed")


@pytest.fixture
def chance() -> random.Random:
    """Choices that a failing test can repeat."""
    seed = int(os.environ.get("FOREDRAW_KILL_SEED") or secrets.randbelow(1 << 32))
    print(f"FOREDRAW_KILL_SEED={seed}")  # noqa: T201 -- a failing test shows it
    return random.Random(seed)


@pytest.mark.nightly("a service of its own, which starts five times")
def test_play_goes_on_through_kills(tmp_path: Path, chance: random.Random, database: Server | None) -> None:
    """After each kill the log passes its audit and extends its earlier state; in the end it contains all answers."""
    service = initialised(tmp_path / "data", SIX_TABLES, batch_size=50, database=database)
    source, state, started = FolderSource(service.settings.log), None, set[int]()
    checkpoints: list[bytes] = []
    engines = [Engine(service, table) for table in SIX_TABLES]
    kills = list(KILLS)
    chance.shuffle(kills)
    with ending_all(started):
        for engine in engines:
            engine.start()
        for whom in kills:
            service.launch()
            play_on(engines, chance.choice((1, chance.randint(1, MOST_ROUNDS_BETWEEN))))
            assert not wrong(engines)
            end_by_force(service, whom, started)
            state = audited(service, source, state)
            checkpoints.append(source.read("checkpoint"))
        service.start()
        for engine in engines:
            engine.stopping.set()
            engine.join(PATIENCE_SECONDS)
        assert not wrong(engines)
        assert not any(engine.is_alive() for engine in engines)
        service.settle()
        assert service.stop() == 0
    told = {key: outcome for engine in engines for key, outcome in engine.told.items()}
    assert len(told) > len(kills)
    whole = check_whole_log(service.settings.log, service.key, checkpoints=checkpoints, told=told)
    for engine in engines:
        state_of_table = whole.tables[engine.table]
        assert (state_of_table.locked, state_of_table.counts.void) == (None, 0)
        found = [r.round for r in whole.records if isinstance(r, RevealRecord) and r.table == engine.table]
        assert found == list(range(1, state_of_table.next_round))
        assert engine.revealed == set(found)
    assert service.query("SELECT count(*) FROM rounds WHERE status IN ('open', 'locked')") == [(0,)]


def play_on(engines: list[Engine], rounds: int) -> None:
    """Wait until this many more outcomes were received."""
    goal = heard(engines) + rounds
    wait_until(lambda: heard(engines) >= goal or bool(wrong(engines)), f"{rounds} rounds")


def heard(engines: list[Engine]) -> int:
    """How many outcomes were received at all tables."""
    return sum(len(engine.told) for engine in engines)


def wrong(engines: list[Engine]) -> list[object]:
    """The answers that no engine should get."""
    return [answer for engine in engines for answer in engine.wrong]


def audited(service: RunningService, source: FolderSource, previous: AuditState | None) -> AuditState:
    """Audit what is new since the last time."""
    return audit_log(source, service.key, previous=previous).state


def programs_of(service: RunningService) -> set[int]:
    """By their command lines: those that were being started when their supervisor died are nobody's children."""
    found = set[int]()
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = line.read_bytes()
            if any(word in words for word in (str(service.folder).encode(), b":%d" % service.engine_port)):
                found.add(int(line.parent.name))
    return found


@pytest.mark.lattice
@pytest.mark.parametrize("attempt", range(2))
def test_no_program_outlives_a_supervisor_that_died_at_once(attempt: int, tmp_path: Path) -> None:
    """Even a supervisor that is killed while its programs are starting leaves none behind."""
    service = initialised(tmp_path / str(attempt), {"keno-1": "keno-express"})
    started: set[int] = set()
    with ending_all(started):
        service.launch()
        wait_until(lambda: len(family_of(service.process.pid)) > 2, "both programs")
        started.update(family_of(service.process.pid))
        service.process.kill()
        service.ended()
        wait_until(lambda: all(map(has_ended, started | programs_of(service))), "the end of its programs")
        service.start()
        assert service.stop() == 0
