"""`foredraw backup` and `restore` of a service whose database, and perhaps custodian's store, is in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Insert, Table, insert

from api.custody.custodian import SeedsUnavailableError
from api.programs.setup import initialise
from api.restore.backup import back_up, copy_store
from api.restore.put_back import put_back
from api.rounds.tables import add_table
from api.settings import Server, Settings, SettingsError
from api.sql import copying
from api.store.schema import disposed, is_unused, open_database
from api.world.clock import Clock
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.next_version import next_version, rename_revision
from tests.support.postgres import PostgresServer

TABLE = "keno-1"


@pytest.fixture(params=["file", "server"])
def seeds(request: pytest.FixtureRequest, postgres: PostgresServer) -> Server | None:
    """Where the custodian's store is: in a file, or in another database."""
    return postgres.new_database() if request.param == "server" else None


@pytest.fixture
def running(
    tmp_path: Path, postgres: PostgresServer, seeds: Server | None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InProcessService]:
    """A service that has played, and plays."""
    made = InProcessService(tmp_path / "data", server=postgres)
    made.settings = replace(made.settings, seeds_server=seeds)
    initialise(made.settings, ORIGIN)
    made.start()
    add_table(made.service.writer, TABLE, "keno-express")
    made.settle()
    made.play(TABLE, 3)
    made.settle()
    monkeypatch.setattr(Clock, "moment", lambda _: made.clock.date)
    yield made
    made.stop()


def with_empty(running: InProcessService, postgres: PostgresServer, folder: Path) -> InProcessService:
    """The service in another folder, stopped, with an empty database in the place of each that it has."""
    seeds = None if running.settings.seeds_server is None else postgres.new_database()
    return running.with_settings(
        replace(running.settings, folder=folder, server=postgres.new_database(), seeds_server=seeds)
    )


def plays_on(made: InProcessService, size: int) -> None:
    """It begins with the next record, and an audit passes: no outcome differs from what engines were told."""
    made.start()
    assert made.size == size
    made.play(TABLE, 2)
    made.check()
    made.stop()


def rows_of(server: Server) -> dict[str, int]:
    """How many rows each table of a database has."""
    with psycopg.connect(server.secret_address) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        count = psycopg.sql.SQL("SELECT count(*) FROM {}")
        counts = {
            name: connection.execute(count.format(psycopg.sql.Identifier(name))).fetchone() for (name,) in names
        }
    return {name: found[0] for name, found in counts.items() if found is not None}


def test_a_copy_made_while_it_plays_is_a_whole_service(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """Put back into empty databases, it says what it has put there, and plays on."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    size = running.size
    running.stop()
    made = with_empty(running, postgres, tmp_path / "restored")
    store = "custodian/" if made.settings.seeds_server is None else "the custodian's store"
    done = put_back(made.settings, tmp_path / "copy", has_not_grown=True)
    assert (done.parts, done.rebuilt) == ([store, "log/", "the database"], None)
    plays_on(made, size)


def test_the_copy_is_a_service_on_files(running: InProcessService, tmp_path: Path) -> None:
    """With its keys it can be started as it is: so a service moves from PostgreSQL to files."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    size = running.size
    running.stop()
    plays_on(running.with_settings(Settings(tmp_path / "copy", running.settings.batch_size)), size)


def test_a_service_on_files_moves_to_a_server(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A back-up of it is put back with an empty database; records get the numbers after those that they had."""
    running = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express")])
    monkeypatch.setattr(Clock, "moment", lambda _: running.clock.date)
    running.play(TABLE, 3)
    running.settle()
    running.stop()
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    (running.settings.database).unlink()
    size = running.size
    made = running.with_settings(replace(running.settings, server=postgres.new_database()))
    assert put_back(made.settings, tmp_path / "copy", has_not_grown=True).parts == ["the database"]
    plays_on(made, size)


@pytest.mark.nightly("puts back whole databases with programs of PostgreSQL")
def test_a_copy_of_an_older_version_is_upgraded(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """On its way to the server; the copy itself stays as it is."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    size = running.size
    running.stop()
    older = Settings(tmp_path / "copy").database
    before = older.read_bytes()
    made = with_empty(running, postgres, tmp_path / "restored")
    with next_version(tmp_path / "revisions"):
        put_back(made.settings, tmp_path / "copy", has_not_grown=True)
        plays_on(made, size)
    assert older.read_bytes() == before
    assert not list(made.settings.folder.glob("*.restoring"))


def test_a_copy_of_a_newer_version_is_not_put_back(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """Its rows stay out of the database, which is as empty as before."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.stop()
    rename_revision(Settings(tmp_path / "copy").database)
    made = with_empty(running, postgres, tmp_path / "restored")
    with pytest.raises(SettingsError, match="install the version that it is of"):
        put_back(made.settings, tmp_path / "copy", has_not_grown=True)
    with disposed(open_database(made.settings)) as database:
        assert is_unused(database)


@pytest.mark.nightly("puts back whole databases with programs of PostgreSQL")
def test_an_older_copy_is_rolled_forward_from_the_log(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """The log and the custodian's store stayed, and know more than the copy of the lost database."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    running.play(TABLE, 4)
    running.settle()
    running.stop()
    made = running.with_settings(replace(running.settings, server=postgres.new_database()))
    done = put_back(made.settings, tmp_path / "copy", has_not_grown=False)
    assert done.parts == ["the database"]
    assert done.rebuilt is not None
    plays_on(made, running.size)


@pytest.mark.nightly("puts back whole databases with programs of PostgreSQL")
def test_all_rows_are_of_one_moment(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds that are played between two tables of the copy are not in it; the start's check would find half of
    one.
    """
    size, played = running.size, False

    def meanwhile(table: Table) -> Insert:
        nonlocal played
        if not played and table.name == "batches":
            played = True
            running.play(TABLE, 2)
        return insert(table)

    monkeypatch.setattr(copying, "insert", meanwhile)
    made = back_up(running.settings, tmp_path / "copy", with_keys=False)
    assert played
    assert made.size == size < running.size


def test_tables_of_another_program_stay(running: InProcessService, postgres: PostgresServer, tmp_path: Path) -> None:
    """A database that has any is no part that is lacking: nothing is put there, and nothing is removed."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    running.stop()
    others = postgres.new_database()
    with psycopg.connect(others.secret_address) as connection:
        connection.execute("CREATE TABLE tokens AS SELECT 7 AS number")
    with pytest.raises(SettingsError, match=r"never replaced.*name an empty database"):
        put_back(replace(running.settings, server=others), tmp_path / "copy", has_not_grown=True)
    assert rows_of(others) == {"tokens": 1}


def wrong_key(settings: Settings, _: pytest.MonkeyPatch) -> type[Exception]:
    settings.seeds_key.write_text(bytes(range(32)).hex(), "ascii")
    settings.seeds_key.chmod(0o600)
    return SeedsUnavailableError


def cut_short(_: Settings, monkeypatch: pytest.MonkeyPatch) -> type[Exception]:
    def interrupted(*_: object) -> None:
        raise InterruptedError

    monkeypatch.setattr("api.restore.backup.copy_rows", interrupted)
    return InterruptedError


@pytest.mark.nightly("puts back whole databases with programs of PostgreSQL")
@pytest.mark.lattice
@pytest.mark.parametrize("fails", [wrong_key, cut_short])
def test_a_restore_that_fails_leaves_empty_databases(
    fails: Callable[[Settings, pytest.MonkeyPatch], type[Exception]],
    running: InProcessService,
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And can be run again."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    size = running.size
    running.stop()
    made = with_empty(running, postgres, tmp_path / "restored")
    key = Settings(tmp_path / "copy").seeds_key.read_bytes()
    with monkeypatch.context() as changed:
        expected = fails(Settings(tmp_path / "copy"), changed)
        with pytest.raises(expected):
            put_back(made.settings, tmp_path / "copy", has_not_grown=True)
    assert made.settings.server is not None
    assert rows_of(made.settings.server) == {}
    if made.settings.seeds_server is not None:
        assert set(rows_of(made.settings.seeds_server).values()) <= {0}
    Settings(tmp_path / "copy").seeds_key.write_bytes(key)
    put_back(made.settings, tmp_path / "copy", has_not_grown=True)
    plays_on(made, size)


def test_a_store_that_is_there_is_compared(
    running: InProcessService, postgres: PostgresServer, tmp_path: Path
) -> None:
    """A custodian's store of another time lacks seeds of the back-up, and is named."""
    older, newer = tmp_path / "older", tmp_path / "newer"
    back_up(running.settings, older, with_keys=True)
    running.play(TABLE, 9)
    running.keeper.turn()
    running.settle()
    back_up(running.settings, newer, with_keys=True)
    running.stop()
    made = with_empty(running, postgres, tmp_path / "restored")
    if made.settings.seeds_server is None:
        made.settings.secrets.parent.mkdir(parents=True)
        made.settings.secrets.write_bytes(Settings(older).secrets.read_bytes())
    else:
        copy_store(Settings(older), made.settings)
    with pytest.raises(SettingsError, match=r"lacks (seeds|marks).*older, or another one"):
        put_back(made.settings, newer, has_not_grown=True)
