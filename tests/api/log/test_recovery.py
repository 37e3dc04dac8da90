"""Restarts: from every state of a folder, a sequencer continues or refuses, and never forks the log."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from api.problems import Code, Problem
from api.programs.background import run as background
from api.restore.rebuild import rebuild
from api.settings import Settings, SettingsError
from api.store import statements as sql
from api.world import file_lock
from tests.support.commands import foredraw
from tests.support.damage import crash_at_lock, flip_bit, lose_database, put_back, refuses_to_start
from tests.support.in_process_service import InProcessService
from tests.support.running_service import PATIENCE_SECONDS
from tests.support.scenarios import TABLES
from tests.support.tampering import change_records

pytestmark = pytest.mark.both_databases("a start compares rows with the log")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with some rounds."""
    made = InProcessService.create(tmp_path / "data", batch_size=300, tables=TABLES)
    made.play("crash-1", 3)
    made.play("keno-1", 2)
    made.settle()
    yield made
    made.stop()


@pytest.mark.one_database("an older file in its place; tests/api/store/postgres has one of a server")
@pytest.mark.parametrize("before", [0, 150])
def test_a_database_older_than_the_log_is_refused_until_it_is_rebuilt(
    before: int, running: InProcessService, tmp_path: Path
) -> None:
    """With a restored backup nothing is signed; after a rebuild from the log the service continues without a gap."""
    running.play("keno-1", before)
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "kept")
    running.start()
    running.play("crash-1", 5)
    running.open("keno-1", running.state("keno-1").next_round)
    running.lock("keno-1", running.state("keno-1").next_round)
    running.stop()
    lose_database(running)
    put_back(running, tmp_path / "kept", "foredraw.db")
    refuses_to_start(running, "foredraw rebuild")
    assert foredraw(running.settings.folder, "rebuild").returncode == 0
    running.start()
    running.settle()
    assert running.state("crash-1").next_round == 9
    running.play("crash-1", 2)
    running.play("keno-1", 2)
    running.check()


@pytest.mark.one_database("an older file in its place; test_older_database has one of a server")
@pytest.mark.parametrize("open_before", [False, True])
def test_an_older_database_does_not_offer_a_known_outcome(
    open_before: bool, running: InProcessService, tmp_path: Path
) -> None:
    """Even before the old database is detected, no bets are taken on a round that the log has locked."""
    number = running.state("crash-1").next_round
    if open_before:
        running.open("crash-1", number)
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "kept")
    running.start()
    running.play("crash-1")
    running.stop()
    lose_database(running)
    put_back(running, tmp_path / "kept", "foredraw.db")
    refuses_to_start(running, "foredraw rebuild")
    # The processes of the API do not depend on the start of the sequencer.
    running.start_without_sequencer()
    calls: list[Callable[[str, int], object]] = [running.lock if open_before else running.open, running.void]
    for call in calls:
        with pytest.raises(Problem, match="foredraw rebuild") as refused:
            call("crash-1", number)
        assert refused.value.code is Code.OUT_OF_ORDER
    running.stop()


def test_what_was_committed_and_not_published_is_published_at_the_start(running: InProcessService) -> None:
    """After a crash between the commit and the checkpoint, every waiting record is published at its index."""
    number = crash_at_lock(running, "crash-1", "write checkpoint")
    published = running.size
    running.stop()
    running.start()
    assert running.size == published + 1
    running.lock("crash-1", number)
    running.reveal("crash-1", number)
    running.check()


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a full tile is missing": (lambda log: (log / "tile/0/000").unlink(), "not whole"),
    "a full tile is changed": (lambda log: flip_bit(log / "tile/0/000"), "not whole: tile/0/000"),
    "a full tile is cut": (lambda log: os.truncate(log / "tile/0/000", 8000), "not whole"),
    "the checkpoint is changed": (lambda log: flip_bit(log / "checkpoint"), "not ours"),
    "the checkpoint is empty": (lambda log: os.truncate(log / "checkpoint", 0), "not ours"),
    "the checkpoint is missing": (lambda log: (log / "checkpoint").unlink(), "checkpoint is missing"),
    "all is missing": (shutil.rmtree, "checkpoint is missing"),
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_folder_is_refused(damage: str, running: InProcessService) -> None:
    """If the log's files do not match the database, nothing is signed."""
    while running.size < 262:
        running.play("keno-1")
    running.stop()
    spoil, message = DAMAGE[damage]
    spoil(running.settings.log)
    refuses_to_start(running, message)


def test_a_bundle_that_the_start_reads_is_not_taken_on_trust(running: InProcessService) -> None:
    """A changed bundle whose records must be noted again is refused: the tree authenticates each record."""
    while running.size < 262:
        running.play("keno-1")
    running.restart()
    running.play("keno-1")
    running.stop()
    flip_bit(running.settings.log / "tile/entries/000")
    running.tamper("UPDATE head SET noted = 0")
    refuses_to_start(running, "tile/entries/000|record 1")


@pytest.mark.parametrize("same_name", [False, True])
def test_another_logs_folder_is_refused(same_name: bool, running: InProcessService, tmp_path: Path) -> None:
    """The folder of another log, even with the same name, is recognised by its key."""
    running.stop()
    other = InProcessService.create(tmp_path / "other", tables=TABLES if same_name else [("dice", "sic-bo")])
    other.play(TABLES[0][0] if same_name else "dice", 9)
    other.stop()
    shutil.rmtree(running.settings.log)
    shutil.copytree(other.settings.log, running.settings.log)
    refuses_to_start(running, "not ours")


def test_the_folder_of_an_older_state_is_refused(running: InProcessService, tmp_path: Path) -> None:
    """A log folder that was restored from a backup is not continued with a gap."""
    shutil.copytree(running.settings.log, tmp_path / "old")
    while running.size < 262:
        running.play("keno-1")
    running.stop()
    shutil.rmtree(running.settings.log)
    shutil.move(tmp_path / "old", running.settings.log)
    refuses_to_start(running, "older than the database|not the same log")


TAMPERING: dict[str, tuple[str | Callable[[InProcessService], int], str]] = {
    "an appended record is changed": (
        lambda running: change_records(running, '"round":1,', '"round":2,', "position = 7"),
        "does not hold the end of its log.*foredraw rebuild",
    ),
    "an appended record is gone": ("DELETE FROM queue WHERE position = 3", "does not hold the end of its log"),
    "the last record is gone": (
        "DELETE FROM queue WHERE position = (SELECT max(position) FROM queue)",
        "does not hold the end of its log",
    ),
    "a record stands elsewhere": ("UPDATE queue SET position = 4000 WHERE position = 3", "does not hold the end"),
    "the head is further": ("UPDATE head SET size = size + 1", "does not hold the end of its log"),
    "the root is another": (lambda running: running.tamper("UPDATE head SET root = ?", "0" * 64), "not the same log"),
    "the origin is another": ("UPDATE head SET origin = 'fore.example/other'", "is of the log fore.example/other"),
}


@pytest.mark.parametrize("tampering", list(TAMPERING))
def test_a_queue_that_was_tampered_with_is_refused(tampering: str, running: InProcessService) -> None:
    """A record with a position cannot be changed in the database: the signed tree contradicts it."""
    running.stop()
    change, message = TAMPERING[tampering]
    assert (running.tamper(change) if isinstance(change, str) else change(running)) >= 1
    refuses_to_start(running, message)


def test_no_position_stands_twice(running: InProcessService) -> None:
    """The database itself refuses a second record of an index."""
    with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError), match=r"queue[._]position"):
        running.tamper("UPDATE queue SET position = 4 WHERE position = 3")


@pytest.mark.parametrize(("was", "becomes"), [("played", "void"), ('"v":1}', '"v":2}')], ids=["false", "newer"])
def test_a_waiting_record_that_was_tampered_with_halts_its_table_alone(
    was: str, becomes: str, running: InProcessService
) -> None:
    """In the sequencer, replay refuses it as it would have when it was queued, or does not know it; the other table
    continues.
    """
    number = running.state("crash-1").next_round
    running.open("crash-1", number)
    running.lock("crash-1", number)
    running.reveal("crash-1", number)
    assert change_records(running, was, becomes, "position IS NULL") == 1
    running.settle()
    with pytest.raises(Problem) as refused:
        running.open("crash-1", number + 1)
    assert refused.value.code is Code.TABLE_HALTED
    running.play("keno-1", 2)
    running.restart()
    running.settle()
    with pytest.raises(Problem) as refused:
        running.open("crash-1", number + 1)
    assert refused.value.code is Code.TABLE_HALTED
    assert change_records(running, becomes, was, "position IS NULL") == 1
    running.restart()
    running.play("crash-1", 2)
    running.check()


def test_a_record_under_another_tables_name_halts_that_one(running: InProcessService) -> None:
    """A row of the queue that names another table than its record is never appended."""
    number = running.state("crash-1").next_round
    running.open("crash-1", number)
    running.lock("crash-1", number)
    running.reveal("crash-1", number)
    assert running.tamper("UPDATE queue SET \"table\" = 'keno-1' WHERE position IS NULL") == 1
    size = running.size
    running.turn()
    assert running.size == size
    with running.service.database.read() as connection:
        halted = {row.name: row.halted for row in sql.ALL_TABLES.all(connection)}
    assert halted["crash-1"] is None
    assert "holds a record of crash-1" in str(halted["keno-1"])


@pytest.mark.nightly("starts programs")
@pytest.mark.one_database("names its folder alone; test_one_service has services on a server")
def test_a_second_background_program_refuses(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """One program at a time writes the log of a folder."""
    running.stop()
    environment = {**os.environ, "FOREDRAW_DATA": str(running.settings.folder)}
    command = [sys.executable, "-m", "api.programs.background"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as first:
        try:
            heartbeat = running.settings.heartbeat
            while not heartbeat.exists():
                assert first.poll() is None
            monkeypatch.setattr(file_lock, "_PATIENCE_SECONDS", 0.3)
            with pytest.raises(SettingsError, match="another service runs"):
                background.run(Settings(running.settings.folder))
            with pytest.raises(SettingsError, match="another service runs"):
                rebuild(running.settings)
        finally:
            first.send_signal(signal.SIGTERM)
        assert first.wait(PATIENCE_SECONDS) == 0
    running.check_log()


@pytest.mark.parametrize("restarted", [False, True])
def test_a_clock_that_steps_back_does_not_stop_play(restarted: bool, running: InProcessService) -> None:
    """Times in the log do not decrease when the clock steps back by hours, and every call still works."""
    running.open("crash-1", running.state("crash-1").next_round)
    running.clock.set_date(-6 * 3600)
    if restarted:
        running.restart()
    running.lock("crash-1", running.state("crash-1").next_round)
    running.reveal("crash-1", running.state("crash-1").next_round - 1)
    running.play("crash-1", 3)
    running.clock.set_date(-3600)
    running.void("keno-1", running.state("keno-1").next_round)
    running.play("keno-1", 14)
    whole = running.check()
    for name, _ in TABLES:
        assert whole.times(name) == sorted(whole.times(name))
    assert whole.tables["crash-1"].counts.played == 7
