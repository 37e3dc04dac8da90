"""Another program holds a database file: health says so while it lasts, whether or not anybody plays."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from api.sql import sqlite
from api.sql.sqlite import SqliteDatabase, connect
from tests.support.running_service import RunningService, running_service, wait_until

pytestmark = pytest.mark.one_database("of files")
TABLE = "crash-1"


@contextmanager
def holding(file: Path, how: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Another program has SQLite's lock for changes."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute(how)
        yield


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / "some.db"
    connect(file).run("CREATE TABLE things (name)")
    return file


@pytest.fixture(name="pair")
def _pair(file: Path) -> Iterator[tuple[SqliteDatabase, SqliteDatabase]]:
    """Two processes' ways to one file."""
    pair = SqliteDatabase(file, file.with_name("lock")), SqliteDatabase(file, file.with_name("lock"))
    yield pair
    for each in pair:
        each.dispose()


def test_what_one_process_sees_all_know(
    file: Path, pair: tuple[SqliteDatabase, SqliteDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only after it has lasted, and until it is over."""
    looks, asks = pair
    with holding(file):
        looks.look_whether_held()
        asks.check_writable()
        monkeypatch.setattr(sqlite, "HELD_SECONDS", 0.0)
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            looks.look_whether_held()
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            asks.check_writable()
    looks.look_whether_held()
    asks.check_writable()


def test_a_change_that_waited_in_vain_is_known_to_all(
    file: Path, pair: tuple[SqliteDatabase, SqliteDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if nobody looks, and for a while."""
    changes, asks = pair
    monkeypatch.setattr(sqlite, "_BUSY_MS", 1)
    with holding(file), pytest.raises(sqlite3.OperationalError):
        changes.write(lambda connection: connection.run("INSERT INTO things VALUES ('a')"))
    with pytest.raises(sqlite3.OperationalError, match="database is locked"):
        asks.check_writable()
    monkeypatch.setattr(sqlite, "_NOTED_SECONDS", 0.0)
    asks.check_writable()


def test_our_own_changes_are_no_other_program(
    pair: tuple[SqliteDatabase, SqliteDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long one lasts: in this process, and in another."""
    monkeypatch.setattr(sqlite, "HELD_SECONDS", 0.0)

    def look(_connection: object) -> None:
        for each in pair:
            each.look_whether_held()
            each.check_writable()

    pair[0].write(look)


@pytest.mark.nightly("starts a service, whose databases are held for seconds")
@pytest.mark.parametrize("how", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
@pytest.mark.parametrize("plays", [False, True], ids=["idle", "called"])
@pytest.mark.parametrize("name", ["database", "secrets"])
def test_health_says_it_while_it_lasts(service: RunningService, name: str, how: str, *, plays: bool) -> None:
    """Also while calls wait for the file. When that program is gone, all goes on."""
    file: Path = getattr(service.settings, name)
    number = service.next_round(TABLE)
    assert service.act(TABLE, number, "open").status == 200
    with holding(file, how):
        if plays:
            assert service.post(f"/v1/engine/tables/{TABLE}/rounds/{number}/lock").status in {202, 503}
        service.says(file.name, "is held by another program", "End that program")
        assert service.get("/health/ready", note=False).status == 503
    wait_until(service.is_ready, "the service to go on")
    for action in ("lock", "reveal"):
        assert service.act(TABLE, number, action).status == 200
    assert "Traceback" not in service.output


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests."""
    with running_service(tmp_path_factory.mktemp("held") / "data", {TABLE: "crash"}) as running:
        yield running
