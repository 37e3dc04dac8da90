"""A database is made once, rolled forward if it is older than the log, and made again if it is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from api.access.tokens import Role, create_token, list_tokens
from api.log.recovery import RecoveryError
from api.programs.setup import initialise
from api.restore.rebuild import rebuild
from api.settings import Server, Settings, SettingsError
from api.sql.postgres import PostgresDatabase
from api.store import statements as sql
from api.store.schema import database_on, disposed
from api.world.storage_failures import STORAGE_FAILURES, ServerFailure
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PASSWORD, PostgresServer


def test_a_database_is_initialised_once(running: InProcessService, tmp_path: Path, postgres: PostgresServer) -> None:
    """A second service gets no database that holds a log, and leaves nothing behind in its folder."""
    with pytest.raises(SettingsError, match=r"holds the log fore\.example/log already"):
        initialise(Settings(tmp_path / "second", server=running.settings.server), "second.example/log")
    assert not (tmp_path / "second").exists()
    empty = Settings(running.settings.folder, server=postgres.new_database())
    assert empty.server is not None
    database = PostgresDatabase(empty.server)
    with pytest.raises(STORAGE_FAILURES, match="Run `foredraw upgrade --check`, which says what it is"):
        database.write(sql.QUEUE_LENGTH.one)
    database.dispose()


def test_an_older_database_is_rolled_forward(running: InProcessService, postgres: PostgresServer) -> None:
    """A copy from yesterday is refused; a rebuild keeps its tokens and settings, and the old tables beside the new
    ones.
    """
    create_token(running.service.database, running.clock, "ani", Role.ENGINE, ["*"])
    running.play("keno-1")
    running.settle()
    running.stop()
    yesterday = postgres.new_database(running.server.name)
    running.start()
    running.play("keno-1", 2)
    running.play("crash-1", 2)
    running.settle()
    before = running.states()
    running.stop()
    running.settings = replace(running.settings, server=yesterday)
    with pytest.raises(RecoveryError, match="run `foredraw rebuild`"):
        running.start()
    for _ in range(2):
        assert rebuild(running.settings).lost == []
    running.start()
    assert running.states() == before
    assert [row.name for row in list_tokens(running.service.database)] == ["ani"]
    running.play("keno-1", 2)
    running.check()
    with postgres.administrator(yesterday.name) as connection:
        kept = connection.execute(
            "SELECT (SELECT size FROM foredraw_before_rebuild_1.head), (SELECT size FROM foredraw_before_rebuild_2.head),"
            " (SELECT size FROM head)"
        ).fetchone()
        with pytest.raises(psycopg.errors.IntegrityError):
            connection.execute("DELETE FROM rounds")
    assert kept is not None
    assert kept[0] < kept[1] < kept[2]


def test_a_lost_database_is_made_again_from_the_log(running: InProcessService, postgres: PostgresServer) -> None:
    """In an empty one; what the log does not have is named. A server that is away is no lost database."""
    running.play("keno-1")
    running.settle()
    running.stop()
    away = Server.parse(running.server.secret_address.replace(str(postgres.port), "1"))
    with pytest.raises(ServerFailure, match="cannot be reached"):
        rebuild(replace(running.settings, server=away))
    running.settings = replace(running.settings, server=postgres.new_database())
    made = rebuild(running.settings)
    assert "tokens: all of them" in made.lost
    assert made.unknown == ["the old database: it is empty, or another program's"]
    running.start()
    running.play("keno-1")
    running.check()


@pytest.mark.parametrize(
    "wrong", [("/foredraw:", "/foredraw:not-"), ("/foredraw:", "/nobody:"), ("/service_", "/missing_")]
)
def test_a_wrong_address_is_said_to_be_wrong(wrong: tuple[str, str], postgres: PostgresServer) -> None:
    """The password, the user or the name of the database: the server is there, and nobody has to start it."""
    address = postgres.new_database().secret_address
    assert wrong[0] in address
    with (
        disposed(database_on(Server.parse(address.replace(*wrong)))) as database,
        pytest.raises(ServerFailure, match=r"cannot be used .*Put the address in FOREDRAW_DATABASE") as refused,
    ):
        database.write(sql.QUEUE_LENGTH.one)
    assert PASSWORD not in str(refused.value)
