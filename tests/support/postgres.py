"""A PostgreSQL of the tests' own, and the databases in it.

Debian's programs start it in a temporary folder, on a free port of this machine, and for tests alone without waiting
for the disk. It refuses to run as root, so root starts it as the user that Debian's package made. One server serves
all tests of a process, and is stopped at the end; each service has a database of its own.

`ENGINES` are the databases that the tests of the service run on: `tests.support.databases` says how.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from pwd import getpwnam
from typing import Any

import psycopg

from api.settings import Server
from api.store.schema import database_on, disposed
from api.store.upgrade import upgrade
from tests.support.running_service import free_port, wait_until

ENGINES = ("sqlite", "postgresql")
EMPTY = "template0"
"""The database that new ones are made of."""
PASSWORD = "s3cret~of.the-tests"
USER, _ADMINISTRATOR = "foredraw", "postgres"
_PROGRAMS = Path("/usr/lib/postgresql")
_PATIENCE_SECONDS = 60.0
_SETTINGS = {
    "max_connections": "200",
    "unix_socket_directories": "",
}
_memory = Path("/dev/shm")


def program(name: str) -> str:
    """The path of a program of the newest PostgreSQL that Debian has here."""
    found = sorted(_PROGRAMS.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    assert found, f"there is no {name} in {_PROGRAMS}: `make tools` installs PostgreSQL"
    return str(found[-1])


@dataclass
class PostgresServer:
    """A server, which can be stopped and started again."""

    folder: Path
    port: int
    settings: Mapping[str, str]
    host: str = "127.0.0.1"
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _process: subprocess.Popen[bytes] | None = None
    _with_tables: str = ""

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [option for name, value in self.settings.items() for option in ("-c", f"{name}={value}")]
        with (self.folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [
                    *unprivileged(),
                    program("postgres"),
                    "-D",
                    str(self.folder / "data"),
                    "-p",
                    str(self.port),
                    *options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                start_new_session=True,
            )
        wait_until(self.answers, "PostgreSQL to start", _PATIENCE_SECONDS)

    @contextmanager
    def standby(self) -> Iterator[PostgresServer]:
        """A second server that has every commit before it is confirmed: a base back-up of this one, and then its
        stream.
        """
        folder = _new_folder(durable=False)
        made = PostgresServer(folder, free_port(), self.settings)
        whence = f"{self.address('postgres', _ADMINISTRATOR)}?application_name=standby"
        copy = ["-d", whence, "-D", str(folder / "data"), "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        try:
            _run([program("pg_basebackup"), *copy])
            made.start()
            with self.administrator() as connection:
                connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
                connection.execute("SELECT pg_reload_conf()")
                synchronous = b"SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
                wait_until(lambda: connection.execute(synchronous).fetchone() == (1,), "the standby to follow")
            yield made
        finally:
            made.remove()

    def promote(self) -> None:
        """Let a standby take over: it takes changes when this returns, and waits for no standby of its own."""
        with self.administrator() as connection:
            connection.execute("SELECT pg_promote()")
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            connection.execute("SELECT pg_reload_conf()")

    def set_for_all(self, setting: str) -> None:
        """Change a setting while it runs, for those that are connected, too."""
        with self.administrator() as connection:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")

    def remove(self) -> None:
        """Stop it, if it runs, and delete everything."""
        if self._process is not None and self._process.poll() is None:
            self.stop(at_once=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop it; ``at_once`` as in a crash. Connections are cut."""
        mode = "immediate" if at_once else "fast"
        command = [*unprivileged(), program("pg_ctl"), "-D", str(self.folder / "data"), "-m", mode, "-w", "stop"]
        subprocess.run(command, check=True, capture_output=True, cwd="/")
        if self._process is not None:
            self._process.wait(_PATIENCE_SECONDS)

    @property
    def pid(self) -> int:
        """Its first process, which starts one for each connection."""
        assert self._process is not None
        return self._process.pid

    def answers(self) -> bool:
        """Whether it takes connections."""
        try:
            self.administrator().close()
        except psycopg.OperationalError:
            return False
        return True

    def address(self, name: str, user: str = USER) -> str:
        """The address of a database, for the services' user, who has no special rights."""
        return f"postgresql://{user}:{PASSWORD}@{self.host}:{self.port}/{name}"

    def administrator(self, name: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """A connection to a database that may do everything there."""
        return psycopg.connect(self.address(name, _ADMINISTRATOR), autocommit=True)

    def waiting_for_a_lock(self, name: str) -> int:
        """How many connections to a database wait for another one's lock."""
        with self.administrator(name) as connection:
            found = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).fetchone()
        assert found is not None
        return int(found[0])

    def new_database(self, template: str = EMPTY) -> Server:
        """An empty database, or a copy of another one that nobody is connected to."""
        name = f"service_{next(self._numbers)}"
        with self.administrator() as connection:
            # Without a disk to wait for, copied files cost half of what logged blocks do.
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY OWNER {USER}".encode())
        return Server.parse(self.address(name))

    def with_tables(self) -> str:
        """The name of a database with the service's tables, and no row: to copy it is faster than to make the
        tables.
        """
        if not self._with_tables:
            place = self.new_database()
            with disposed(database_on(place)) as database:
                upgrade(database)
            self._with_tables = f"tables_of_{place.name}"
            with self.administrator() as connection:
                connection.execute(f"ALTER DATABASE {place.name} RENAME TO {self._with_tables}".encode())
        return self._with_tables

    def drop_all(self) -> None:
        """Delete all that were made, whoever is connected to them."""
        with self.administrator() as connection:
            for (name,) in connection.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE 'service%'"
            ).fetchall():
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def drop(self, database: Server) -> None:
        """Delete a database that nobody is connected to."""
        with self.administrator() as connection:
            connection.execute(f"DROP DATABASE {database.name}".encode())


def unprivileged() -> list[str]:
    """How to start a program that refuses to run as root."""
    return [] if os.geteuid() else ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def _run(command: list[str]) -> None:
    subprocess.run([*unprivileged(), *command], check=True, capture_output=True, cwd="/")


def _new_folder(*, durable: bool) -> Path:
    """An empty folder of the user that PostgreSQL runs as."""
    place = _memory if os.access(_memory, os.W_OK) and not durable else None
    folder = Path(tempfile.mkdtemp(prefix="foredraw-postgres-", dir=place))
    if not os.geteuid():
        owner = getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    return folder


@contextmanager
def postgres_server(*, durable: bool = False, host: str = "127.0.0.1", **settings: str) -> Iterator[PostgresServer]:
    """A running server. If it is ``durable``, its files are on a disk, and it waits for that, as an operator's
    does.
    """
    folder, fsync = _new_folder(durable=durable), "on" if durable else "off"
    password = folder / "password"
    password.write_text(PASSWORD, encoding="ascii")
    if not os.geteuid():
        shutil.chown(password, "postgres", "postgres")
    chosen = _SETTINGS | {"listen_addresses": host, "fsync": fsync, "full_page_writes": fsync} | settings
    made = PostgresServer(folder, free_port(), chosen, host)
    options = [*("-U", _ADMINISTRATOR, "--pwfile", str(password)), "--auth=scram-sha-256", "--no-sync"]
    try:
        _run([program("initdb"), "-D", str(folder / "data"), *options, "--encoding=UTF8", "--locale=C.UTF-8"])
        with (folder / "data" / "pg_hba.conf").open("a", encoding="ascii") as allowed:
            allowed.write("host all all samenet scram-sha-256\n")
        made.start()
        with made.administrator() as connection:
            connection.execute(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'".encode())
        yield made
    finally:
        made.remove()
