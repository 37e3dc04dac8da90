"""One database in PostgreSQL is for one service, whatever folder it has."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.programs.background.heart import Heartbeat
from api.programs.background.loop import Loop
from api.programs.background.terms import while_leading
from api.restore.rebuild import rebuild
from api.restore.rekey import rotate_seeds_key
from api.settings import Server, Settings, SettingsError
from api.sql.server_lock import ServerLock
from api.store.sole import hold_service
from api.world.storage_failures import HeldElsewhereError, ServerFailure
from tests.support.damage import contents
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PostgresServer
from tests.support.running_service import running_service, wait_until

PATIENCE = 30.0
WORDS = "another service runs on the database 127.0.0.1:"


@pytest.fixture
def running(tmp_path: Path, postgres: PostgresServer) -> Iterator[InProcessService]:
    """A service in PostgreSQL, whose folder was copied beside it."""
    made = InProcessService.create(tmp_path / "first", tables=[("keno-1", "keno-express")], server=postgres)
    shutil.copytree(made.settings.folder, tmp_path / "second")
    yield made
    made.stop()


def server_of(running: InProcessService) -> Server:
    """Where its database is."""
    assert running.settings.server is not None
    return running.settings.server


@pytest.mark.parametrize("work", [rebuild, lambda settings: rotate_seeds_key(settings, by="ani")])
def test_nothing_is_rebuilt_or_changed_beside_a_service_with_another_folder(
    work: Callable[[Settings], object], running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder's own lock is free, and the database's is not; it is free again at once when the first has ended."""
    second = replace(running.settings, folder=tmp_path / "second")
    with hold_service(running.settings), monkeypatch.context() as impatient:
        impatient.setattr("api.store.sole._PATIENCE_SECONDS", 0.1)
        before = contents(second.folder)
        with pytest.raises(SettingsError, match=WORDS):
            work(second)
        assert contents(second.folder).keys() - before.keys() <= {"background.lock"}
    work(second)


def test_a_lost_lock_is_taken_again_or_found_with_another(
    running: InProcessService, postgres: PostgresServer
) -> None:
    """The server cuts the connection, as a restart does: who asks first has it, and the other does nothing."""
    first, second = ServerLock(server_of(running)), ServerLock(server_of(running))
    first.hold()
    with pytest.raises(HeldElsewhereError, match=WORDS):
        second.hold()
    cut(running, postgres)
    wait_until(lambda: holds(second), "the second to have it")
    with pytest.raises(HeldElsewhereError, match=WORDS):
        first.hold()
    second.close()
    wait_until(lambda: holds(first), "the first to have it again")
    first.close()


def test_another_database_of_the_server_is_free(running: InProcessService, postgres: PostgresServer) -> None:
    """The lock is of one database."""
    with hold_service(running.settings):
        lock = ServerLock(postgres.new_database())
        lock.hold()
        lock.close()


def test_a_part_takes_no_turn_without_the_lock(running: InProcessService) -> None:
    """It waits as for a disk, and is made again, from what is stored, when the database is held again."""
    held, turned, stop = threading.Event(), threading.Event(), threading.Event()
    made: list[int] = []

    def check() -> str:
        if not held.is_set():
            raise ServerFailure(WORDS)
        return "a term"

    def make() -> Callable[[], object]:
        made.append(len(made))
        return turned.set

    held.set()
    part = Loop(
        "keeper",
        while_leading(make, check),
        0.001,
        stop,
        Heartbeat("keeper", running.settings, running.service.timekeeper).report,
    )
    part.start()
    assert turned.wait(PATIENCE)
    held.clear()
    sign = running.settings.heartbeat_of("keeper")
    wait_until(lambda: sign.exists() and WORDS in sign.read_text("utf-8"), "the part to wait")
    turned.clear()
    assert made == [0]
    held.set()
    assert turned.wait(PATIENCE)
    stop.set()
    part.join()
    assert made == [0, 1]


@pytest.mark.nightly("a service of its own")
@pytest.mark.slow
def test_a_running_service_keeps_the_database(tmp_path: Path, postgres: PostgresServer) -> None:
    """A program with another folder, on the same database, says so and ends; the first one plays on."""
    with running_service(tmp_path / "first", {"keno-1": "keno-express"}, database=postgres.new_database()) as first:
        folder = tmp_path / "second"
        shutil.copytree(first.settings.folder, folder)
        second = first.foredraw("--data", str(folder), "rebuild")
        assert second.returncode == 1
        assert WORDS in second.stderr
        assert "Traceback" not in second.stderr
        first.play("keno-1", 1)
        assert first.stop() == 0


def holds(lock: ServerLock) -> bool:
    """Whether it has the lock, or takes it now."""
    try:
        lock.hold()
    except ServerFailure:
        return False
    return True


_OWN_DATABASE = "(SELECT oid FROM pg_database WHERE datname = current_database())"
"""Services of other tests have databases on the same server."""


def cut(running: InProcessService, postgres: PostgresServer) -> None:
    """End the connection that holds the lock, and wait until it is gone."""
    name, held = server_of(running).name, "FROM pg_locks WHERE locktype = 'advisory' AND database = " + _OWN_DATABASE
    with postgres.administrator(name) as connection:
        connection.execute(f"SELECT pg_terminate_backend(pid) {held} AND granted".encode())
        wait_until(lambda: connection.execute(f"SELECT count(*) {held}".encode()).fetchone() == (0,), "the cut")
