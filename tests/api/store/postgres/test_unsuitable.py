"""What is no place for a log: a pooler that gives a connection another process each time, and a database without all
characters.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from api.programs.setup import initialise
from api.settings import Server, Settings, SettingsError
from api.sql.postgres import PostgresDatabase
from api.store.schema import disposed
from api.world.storage_failures import ServerFailure
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.postgres import EMPTY, PASSWORD, USER, PostgresServer, unprivileged
from tests.support.running_service import PATIENCE_SECONDS, free_port, wait_until
from tests.support.web_servers import listens

ENCODINGS = ("SQL_ASCII", "LATIN1", "UTF8")


@contextmanager
def pooler(server: Server, postgres: PostgresServer, mode: str, settings: str = "") -> Iterator[Server]:
    """PgBouncer in front of a database."""
    port = free_port()
    with TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield from _running(folder, port, server, postgres, mode, settings)


def _running(
    folder: Path, port: int, server: Server, postgres: PostgresServer, mode: str, settings: str
) -> Iterator[Server]:
    (folder / "users").write_text(f'"{USER}" "{PASSWORD}"\n', "ascii")
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{server.name} = host={postgres.host} port={postgres.port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = plain\n"
        f"auth_file = {folder}/users\npool_mode = {mode}\n{settings}\n",
        "ascii",
    )
    command = [*unprivileged(), "/usr/sbin/pgbouncer", "-q", str(folder / "pgbouncer.ini")]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: listens(port), "the pooler to listen")
            yield Server.parse(f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/{server.name}")
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


@pytest.mark.nightly("a pooler of its own")
@pytest.mark.parametrize("settings", ["", "default_pool_size = 1", "default_pool_size = 2\nserver_round_robin = 1"])
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_changes_backends_is_refused(
    mode: str, settings: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    """At `init`, before anything is made in the folder, however many backends the pooler has, and which it gives out
    first.
    """
    server = postgres.new_database()
    with pooler(server, postgres, mode, settings) as through:
        for _ in range(3):
            with pytest.raises(
                (SettingsError, ServerFailure), match="is behind a pooler in transaction mode"
            ) as refused:
                initialise(Settings(tmp_path / "data", server=through), ORIGIN)
            assert PASSWORD not in str(refused.value)
    assert not (tmp_path / "data").exists()


@pytest.mark.nightly("a pooler of its own")
def test_a_pool_in_session_mode_is_a_server(postgres: PostgresServer, tmp_path: Path) -> None:
    """Each connection keeps its process."""
    with pooler(postgres.new_database(), postgres, "session") as through:
        initialise(Settings(tmp_path / "data", server=through), ORIGIN)


@pytest.mark.nightly("a pooler of its own")
def test_a_service_that_is_led_to_a_pooler_names_it(running: InProcessService, postgres: PostgresServer) -> None:
    """By what PostgreSQL says of statements that another connection prepared, or nobody."""
    with pooler(running.server, postgres, "transaction", "default_pool_size = 1") as through:
        first, second = PostgresDatabase(through), PostgresDatabase(through)

        def ask() -> None:
            for database in (first, second):
                with database.read() as connection:
                    connection.rows("SELECT %s::integer", (1,))

        with disposed(first), disposed(second), pytest.raises(ServerFailure, match="a pooler in transaction mode"):
            ask()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_database_without_all_characters_is_refused(
    encoding: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    """At `init`, with what makes a right one."""
    name = f"in_{encoding.lower()}"
    with postgres.administrator() as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE {EMPTY} ENCODING '{encoding}' LOCALE 'C' OWNER {USER}".encode()
        )
    settings = Settings(tmp_path / "data", server=Server.parse(postgres.address(name)))
    if encoding == "UTF8":
        initialise(settings, ORIGIN)
        return
    with pytest.raises(SettingsError, match=f"has the encoding {encoding}, .* ENCODING 'UTF8' TEMPLATE template0"):
        initialise(settings, ORIGIN)
    assert not (tmp_path / "data").exists()
