"""The clock: no record gets a date that has jumped, and no age depends on the date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.access.sessions import LONGEST, LONGEST_IDLE
from api.access.tokens import ALL_TABLES, Role, create_token, digest
from api.operations.health import FRESH_SECONDS, PARTS
from api.operations.overview import OVERDUE
from api.problems import Code, Problem
from api.programs.cli import main
from api.programs.demo import make_demo
from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from api.rounds.tables import add_table
from api.settings import DEFAULT_TIMEOUT
from api.world.statuses import read_status, write_status
from api.world.timekeeper import (
    LONGEST_ABSENCE,
    REMEMBERED_EVERY,
    TOLERANCE,
    ClockJumped,
    Timekeeper,
    Unconfirmed,
    in_words,
)
from fairness.records.rules import UNSALTED
from tests.support.databases import variables_of
from tests.support.faulty_world import SettableClock
from tests.support.in_process_service import InProcessService

FLIGHT, DRAW = "crash-1", "keno-1"
DAY = timedelta(days=1).total_seconds()
A_SECOND = timedelta(seconds=1)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with two tables that can be played."""
    made = InProcessService.create(tmp_path / "data", tables=[(FLIGHT, "crash"), (DRAW, "keno-express")])
    yield made
    made.stop()


def jumps(running: InProcessService) -> bool:
    """Whether the clock is found to have jumped ahead."""
    return running.service.timekeeper.jump() is not None


def hanging(running: InProcessService) -> list[tuple[str, int]]:
    """The rounds that hang by the operator's page."""
    tables = running.service.observer.overview().tables
    return [(table.state.name, now.number) for table in tables for now in table.rounds if now.hangs]


def lock_flight(running: InProcessService) -> None:
    """Lock a round, which then waits for its reveal."""
    running.open(FLIGHT, 1)
    running.lock(FLIGHT, 1)


def times_out_after(running: InProcessService, seconds: float) -> None:
    """Check that the locked round is revealed when this time has passed, and not before."""
    running.clock.step(seconds - 2)
    running.settle()
    assert running.status(FLIGHT, 1) == "locked"
    running.clock.step(2)
    running.settle()
    assert running.status(FLIGHT, 1) == "played"


# A date that is set ahead


@pytest.mark.parametrize("seconds", [5 * 60, 2 * 3600, 400 * DAY])
def test_no_step_of_the_date_reveals_a_round_in_flight(seconds: float, running: InProcessService) -> None:
    """The timeout follows the monotonic clock: it neither expires at once nor is delayed."""
    lock_flight(running)
    running.clock.step(1)
    running.clock.set_date(seconds)
    running.settle()
    assert running.status(FLIGHT, 1) == "locked"
    running.clock.set_date(-seconds)
    times_out_after(running, DEFAULT_TIMEOUT - 1)


def test_a_date_400_days_ahead_stops_records_and_freezes_nothing(running: InProcessService) -> None:
    """No call gets a time, no batch is committed; when the clock is right again, play continues with correct
    times.
    """
    running.play(DRAW)
    running.open(DRAW, 2)
    running.settle()
    running.clock.set_date(400 * DAY)
    size = running.size
    for act in (running.lock, running.reveal, running.void):
        with pytest.raises(Problem) as refused:
            act(DRAW, 2)
        assert refused.value.code in (Code.CLOCK_JUMPED, Code.OUT_OF_ORDER)
    with pytest.raises(ClockJumped, match=r"400 days ahead of what it should show.*foredraw clock confirm TIME"):
        running.open(FLIGHT, 1)
    with pytest.raises(ClockJumped):
        add_table(running.service.writer, "late-1", "keno-express")
    running.settle()
    assert running.size == size
    running.clock.set_date(-400 * DAY)
    running.lock(DRAW, 2)
    running.reveal(DRAW, 2)
    assert all(state.latest < "2026-11-21" for state in running.check().tables.values())


def test_what_was_locked_before_the_jump_still_gives_its_outcome(running: InProcessService) -> None:
    """An answer that needs no new record needs no time."""
    running.open(DRAW, 1)
    outcome = running.lock(DRAW, 1)
    running.clock.set_date(400 * DAY)
    assert running.lock(DRAW, 1) == outcome


def test_a_round_that_hangs_is_shown_while_the_date_is_ahead(running: InProcessService) -> None:
    """The jump hides nothing: hanging rounds are shown with their age; the clock itself is named first."""
    lock_flight(running)
    running.clock.set_date(400 * DAY)
    running.clock.step(DEFAULT_TIMEOUT + OVERDUE.total_seconds() - 1)
    assert hanging(running) == []
    running.clock.step(2)
    running.settle()
    assert hanging(running) == [(FLIGHT, 1)]
    (kind, about), *_ = running.service.observer.overview().troubles()
    assert kind == "clock"
    assert in_words(about["jump"].ahead) == "400 days"
    (now,) = next(table for table in running.service.observer.overview().tables if table.state.name == FLIGHT).rounds
    assert now.age // A_SECOND == DEFAULT_TIMEOUT + 11


def test_the_keeper_says_it_once_and_once_that_it_is_over(
    running: InProcessService, caplog: pytest.LogCaptureFixture
) -> None:
    """One message at the jump, none at each turn, and one when rounds continue."""
    running.clock.set_date(400 * DAY)
    for _ in range(5):
        running.keeper.turn()
    running.clock.set_date(-400 * DAY)
    for _ in range(5):
        running.keeper.turn()
    said = [(record.levelname, record.getMessage()[:16]) for record in caplog.records]
    assert said == [("CRITICAL", "the clock shows "), ("WARNING", "the clock is rig")]


def test_five_minutes_are_borne_and_no_more(running: InProcessService) -> None:
    """A time server may correct this much at once; one second more stops records."""
    running.clock.set_date(TOLERANCE.total_seconds())
    assert not jumps(running)
    running.clock.set_date(1)
    assert jumps(running)


def test_small_steps_do_not_add_up(running: InProcessService) -> None:
    """Within an hour the date may gain five minutes, however often it is set."""
    for _ in range(5):
        running.clock.set_date(60)
        running.keeper.turn()
    running.clock.set_date(60)
    assert jumps(running)
    running.clock.set_date(-60)
    running.clock.step(REMEMBERED_EVERY.total_seconds())
    running.keeper.turn()
    running.clock.set_date(60)
    assert not jumps(running)


def test_a_date_that_was_set_back_may_be_set_right_again(running: InProcessService) -> None:
    """Setting it forward to where it was is no jump, even over an hour."""
    running.clock.set_date(-2 * 3600)
    running.play(DRAW)
    running.clock.step(REMEMBERED_EVERY.total_seconds())
    running.keeper.turn()
    running.clock.set_date(2 * 3600)
    assert not jumps(running)
    running.play(DRAW)
    running.check()


# Restarts


def test_a_restart_accepts_no_jump(running: InProcessService) -> None:
    """While the machine keeps running, its monotonic clock limits the date, for every process."""
    running.clock.set_date(3600)
    running.restart()
    assert jumps(running)


def test_a_machine_that_was_off_for_a_day_needs_nobody(running: InProcessService) -> None:
    """A start accepts a date up to a day after the newest known time; and then no further jump."""
    running.play(DRAW)
    running.clock.boot_again(LONGEST_ABSENCE.total_seconds() - 60)
    running.restart()
    running.play(DRAW)
    running.clock.set_date(3600)
    assert jumps(running)


@pytest.mark.parametrize("remembered", [True, False])
def test_after_more_than_a_day_somebody_confirms_the_date(remembered: bool, running: InProcessService) -> None:
    """A long absence looks like a wrong clock, also if only the records show when the service last ran."""
    running.play(DRAW)
    if not remembered:
        running.settings.clock.unlink()
    running.clock.boot_again(LONGEST_ABSENCE.total_seconds() + 60)
    running.restart()
    with pytest.raises(ClockJumped, match="1 day after the newest time that the service knows"):
        running.open(DRAW, 2)
    running.service.timekeeper.confirm(running.clock.date)
    running.play(DRAW)
    running.check()


def test_a_demo_goes_on_after_weeks_without_it(running: InProcessService) -> None:
    """`make run` needs no confirmation of the date: there is no operator, and no bets depend on it."""
    running.play(DRAW)
    running.clock.boot_again(21 * DAY)
    running.restart()
    assert jumps(running)
    make_demo(running.service, UNSALTED)
    running.play(DRAW)
    running.check()


def test_an_idle_service_remembers_that_it_was_at_work(running: InProcessService) -> None:
    """A week without a record followed by a restart of the machine does not count as a week without the service."""
    for _ in range(7 * 24):
        running.clock.step(3600)
        running.keeper.turn()
    running.clock.boot_again()
    running.restart()
    assert not jumps(running)


def test_a_machine_whose_date_is_behind_at_first_may_be_off_all_the_same(running: InProcessService) -> None:
    """Its date is an hour behind until a time server sets it; only then is it known how long it was off."""
    running.play(DRAW)
    running.clock.boot_again(3600)
    running.clock.set_date(-2 * 3600)
    running.restart()
    running.play(DRAW)
    running.clock.set_date(2 * 3600)
    running.play(DRAW)
    assert not jumps(running)
    running.check()


def test_a_new_service_takes_the_date_as_it_is(tmp_path: Path) -> None:
    """There is nothing yet to compare it with."""
    clock = SettableClock()
    clock.set_date(9000 * DAY)
    assert Timekeeper(clock, tmp_path / "clock.json", lambda: None).stamp().startswith("2051-")


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"boot":"the first boot","elapsed":0,"time":"soon","v":1}', b"\xff"]
)
def test_a_damaged_memory_is_no_memory(damage: bytes, running: InProcessService) -> None:
    """Then the newest record counts."""
    running.settings.clock.write_bytes(damage)
    running.restart()
    assert not jumps(running)
    running.clock.set_date(2 * DAY)
    running.settings.clock.write_bytes(damage)
    running.restart()
    assert jumps(running)


# Confirming


def test_a_confirmation_reaches_the_running_processes(running: InProcessService) -> None:
    """Each of them reads it when the next record needs a time."""
    running.clock.set_date(3600)
    others = [running.service.timekeeper, Timekeeper(running.clock, running.settings.clock, lambda: None)]
    assert all(each.jump() for each in others)
    Timekeeper(running.clock, running.settings.clock, lambda: None).confirm(running.clock.date)
    assert not any(each.jump() for each in others)


def test_only_the_time_that_the_clock_shows_is_confirmed(running: InProcessService) -> None:
    """An operator who reads the time from another clock notices that this one is wrong."""
    running.clock.set_date(400 * DAY)
    with pytest.raises(Unconfirmed, match="the clock shows 2027-12-25T"):
        running.service.timekeeper.confirm(running.clock.date - timedelta(days=400))
    assert jumps(running)


def test_the_program_shows_and_confirms_the_clock(running: InProcessService) -> None:
    """For a service whose newest record is days before or after this machine's real clock."""
    folder = ("--data", str(running.settings.folder))
    program = CliRunner(env=variables_of(running.settings.folder))
    running.settings.clock.unlink()
    pair = Timekeeper(SettableClock(), running.settings.clock, lambda: "2000-01-01T00:00:00.000Z")
    pair.confirm(SettableClock().date)
    wrong = program.invoke(main, [*folder, "clock", "confirm", "2001-01-01T00:00Z"])
    assert (wrong.exit_code, "set the clock right, or name" in wrong.stderr) == (1, True)
    unspelled = program.invoke(main, [*folder, "clock", "confirm", "now"])
    assert unspelled.exit_code == 2
    now = datetime.now().astimezone()
    utc = (now - (now.utcoffset() or timedelta(0))).strftime("%Y-%m-%dT%H:%MZ")
    confirmed = program.invoke(main, [*folder, "clock", "confirm", utc])
    assert confirmed.output.startswith("Confirmed: records get the clock's time from ")
    shown = program.invoke(main, [*folder, "clock", "show"])
    assert shown.output.endswith("Records can have this time.\n")


# Ages


def test_a_time_out_goes_on_over_a_restart_of_the_service(running: InProcessService) -> None:
    """The monotonic clock of the machine is the same for every process."""
    lock_flight(running)
    running.clock.step(DEFAULT_TIMEOUT / 2)
    running.restart()
    times_out_after(running, DEFAULT_TIMEOUT / 2)


def test_a_time_out_begins_again_with_the_machine(running: InProcessService) -> None:
    """It is unknown how long the machine was off; a flight is never revealed too early."""
    lock_flight(running)
    running.clock.boot_again(3600)
    running.restart()
    running.settle()
    times_out_after(running, DEFAULT_TIMEOUT)


def test_a_row_without_a_tick_is_as_old_as_the_process(running: InProcessService) -> None:
    """As after a rebuild or in a database of an older version."""
    lock_flight(running)
    assert running.tamper("UPDATE rounds SET tick = NULL") == 1
    running.clock.step(10 * DEFAULT_TIMEOUT)
    running.restart()
    times_out_after(running, DEFAULT_TIMEOUT)


def test_a_round_that_was_given_up_is_finished_after_its_grace_whatever_the_date(running: InProcessService) -> None:
    """A date that is set back by an hour does not delay it."""
    with running.background_paused(), pytest.raises(AssertionError):
        running.void(DRAW, 1)
    running.clock.set_date(-3600)
    running.clock.step(GIVEN_UP_GRACE_SECONDS)
    running.settle()
    assert running.status(DRAW, 1) == "void"


def test_a_session_lives_as_long_as_it_should_whatever_the_date(running: InProcessService) -> None:
    """A date that is set ahead ends no session, one that is set back keeps none alive; a restart of the machine ends
    all.
    """

    def begun() -> str:
        token = create_token(
            running.service.database, running.clock, running.clock.now(), Role.OPERATOR, [ALL_TABLES]
        )
        return running.service.sessions.begin(digest(token))

    def lives(secret: str) -> bool:
        return running.service.sessions.find(secret, active=False) is not None

    first = begun()
    running.clock.set_date(400 * DAY)
    assert lives(first)
    running.clock.set_date(-800 * DAY)
    running.clock.step(LONGEST_IDLE.total_seconds() - 1)
    assert lives(first)
    running.clock.step(1)
    assert not lives(first)
    second = begun()
    running.clock.boot_again()
    running.clock.step(LONGEST.total_seconds())
    running.restart()
    assert not lives(second)


@pytest.mark.parametrize("seconds", [-400 * DAY, 400 * DAY])
def test_a_dead_part_looks_dead_whatever_the_date(seconds: float, running: InProcessService) -> None:
    """And a working one looks alive."""
    status = running.settings.heartbeat_of(PARTS[0])
    write_status(status, running.service.timekeeper)
    running.clock.set_date(seconds)
    alive = read_status(status, running.service.timekeeper)
    running.clock.step(FRESH_SECONDS)
    dead = read_status(status, running.service.timekeeper)
    assert alive is not None
    assert dead is not None
    assert alive.age < 1 < FRESH_SECONDS <= dead.age


def test_health_names_the_clock_and_the_remedy(running: InProcessService) -> None:
    """In the words of the messages."""
    assert running.service.health.failures()["clock"] is None
    running.clock.set_date(400 * DAY)
    why = running.service.health.failures()["clock"]
    assert why is not None
    assert "400 days ahead" in why
    assert "Set the clock right; or, if it is right, run `foredraw clock confirm TIME`" in why
