"""The address of a database, of which only the place is ever shown."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from api.settings import Server, Settings, SettingsError
from api.sql.postgres import PostgresDatabase
from api.sql.refusals import in_words as in_words_of
from api.store import statements as sql
from api.world.storage_failures import ServerFailure, in_words
from tests.support.in_process_service import InProcessService
from tests.support.postgres import PASSWORD, USER, PostgresServer


def test_nothing_of_a_password_is_shown(running: InProcessService, tmp_path: Path, postgres: PostgresServer) -> None:
    """Not in a representation, nor in any sentence about an address that is wrong, or a server that refuses it."""
    assert PASSWORD not in repr(running.settings)
    assert PASSWORD not in str(running.settings.server)
    secret = "Zq1/Zq2#Zq3@Zq4"
    with pytest.raises(SettingsError) as misspelled:
        Server.parse(f"postgresql://{USER}:{secret}@127.0.0.1/service")
    assert not [part for part in re.split("[/#@]", secret) if part in str(misspelled.value)]
    for text, said in (
        (postgres.address("nowhere"), "does not exist"),
        (postgres.address("postgres").replace(PASSWORD, "an0ther-Secret"), "password authentication failed"),
        (postgres.address("postgres").replace(str(postgres.port), "1"), "Connection refused"),
        (postgres.address("postgres").replace("127.0.0.1", "no.such.host.invalid"), "no.such.host.invalid"),
        (postgres.address("postgres") + "?sslmode=require", "SSL"),
        (postgres.address("postgres") + "?no_such_option=1", "Look at the options after the question mark"),
    ):
        database = PostgresDatabase(Server.parse(text))
        with pytest.raises(ServerFailure) as caught:
            database.write(sql.QUEUE_LENGTH.one)
        told = in_words(caught.value, Settings(tmp_path))
        assert said in told
        assert PASSWORD not in told
        assert "an0ther-Secret" not in told
        assert caught.value.__cause__ is None
        database.dispose()


PLACE = "127.0.0.1:1/service"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://{USER}:se%41cret%zz@{PLACE}",
        f"postgresql://{USER}:hunter2%00x@{PLACE}",
        f"postgresql://{USER}:hunter2%@{PLACE}",
        f"postgresql://{PLACE}?password=hunter2",
        f"postgresql://{PLACE}?password=abc%zz",
        f"postgresql://{PLACE}?sslmode=require&p%61ssword=hunter2",
        f"postgresql://{PLACE}?sslpassword=hunter2",
        f"postgresql://{PLACE}?passfile=/hunter2",
        f"postgresql://{USER}:hunter2/service",
        "postgresql://127.0.0.1:port-hunter2/service",
        f"postgresql://{PLACE}?hunter2=%0",
    ],
)
def test_an_address_that_libpq_would_quote_is_refused(address: str) -> None:
    """Before libpq sees it, and without a part of it; what is not taken in the query has another way."""
    with pytest.raises(SettingsError) as caught:
        Server.parse(address)
    told = str(caught.value)
    assert not [part for part in ("se%41cret", "seAcret", "hunter2", "abc") if part in told]
    assert "is not taken in the address" in told or "what was found is not shown" in told


def test_both_spellings_of_a_password_are_masked(postgres: PostgresServer) -> None:
    """Whatever quotes it: the server, which knows what it means, or libpq, which has its spelling."""
    server = Server.parse(f"postgresql://{USER}:s%65cret%2Fword@{PLACE}")
    for spelling in ("s%65cret%2Fword", "secret/word"):
        assert "the word ***" in str(in_words_of(psycopg.OperationalError(f"the word {spelling}"), server))
    database = PostgresDatabase(Server.parse(postgres.address("postgres") + "?connect_timeout=hunter2&hunter2=1"))
    with pytest.raises(ServerFailure, match="libpq does not take the address") as caught, database.read():
        pass
    assert "hunter2" not in str(caught.value)
    database.dispose()


def test_several_hosts_can_be_named() -> None:
    """Of each its port, if it has another one, and addresses of IPv6; a socket's folder is written with %2F."""
    for place in ("a.example,b.example:5433/x", "[::1]:5432/x", "%2Frun%2Fpostgresql/x", "/x"):
        assert Server.parse(f"postgresql://{USER}@{place}").place == place


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer) -> None:
    """Without the variable it is the file of the folder; what is misspelled is refused, and not shown."""
    monkeypatch.delenv("FOREDRAW_DATABASE", raising=False)
    assert Settings.from_environment().server is None
    monkeypatch.setenv("FOREDRAW_DATABASE", postgres.address("service"))
    found = Settings.from_environment().server
    assert found is not None
    assert (found.place, found.name) == (f"127.0.0.1:{postgres.port}/service", "service")
    for other in ("mysql://a:b@c/d", postgres.address("service").replace("@", ""), "service", "postgresql://host"):
        monkeypatch.setenv("FOREDRAW_DATABASE", other)
        with pytest.raises(SettingsError, match="what was found is not shown") as caught:
            Settings.from_environment()
        assert PASSWORD not in str(caught.value)
