"""A PostgreSQL of the tests' own, and the databases in it.

Debian's programs start it in a temporary folder, on a free port of this machine, and for tests alone without waiting for
the disk. It refuses to run as root, so root starts it as the user that Debian's package made. One server serves all
tests of a process, and is stopped at the end; each service has a database of its own.

`ENGINES` are the databases that the tests of the service's core run on: rounds, the sequencer, the keeper, engines' calls,
faults and crashes. What only reads what these wrote, pages for instance, runs on SQLite alone, because it sees the same
rows; so do the tests of files that SQLite alone has: damage, salvage, disks that are full.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from pwd import getpwnam
from typing import Any

import psycopg

from api.settings import Server
from tests.support.running_service import free_port, wait_until

ENGINES = ("sqlite", "postgresql")
PASSWORD = "s3cret~of.the-tests"  # noqa: S105
USER, _ADMINISTRATOR = "foredraw", "postgres"
_PROGRAMS = Path("/usr/lib/postgresql")
_PATIENCE_SECONDS = 60.0
_SETTINGS = {
    "max_connections": "200",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
}
_memory = Path("/dev/shm")  # noqa: S108


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
    fsync: str = "off"
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [
            option
            for name, value in (_SETTINGS | {"fsync": self.fsync, "full_page_writes": self.fsync}).items()
            for option in ("-c", f"{name}={value}")
        ]
        with (self.folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [
                    *_unprivileged(),
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

    def stop(self, *, at_once: bool = False) -> None:
        """Stop it; ``at_once`` as in a crash. Connections are cut."""
        mode = "immediate" if at_once else "fast"
        command = [*_unprivileged(), program("pg_ctl"), "-D", str(self.folder / "data"), "-m", mode, "-w", "stop"]
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
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def administrator(self, name: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """A connection to a database that may do everything there."""
        return psycopg.connect(self.address(name, _ADMINISTRATOR), autocommit=True)

    def new_database(self, template: str = "template0") -> Server:
        """An empty database, or a copy of another one that nobody is connected to."""
        name = f"service_{next(self._numbers)}"
        with self.administrator() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} OWNER {USER}".encode())
        return Server.parse(self.address(name))

    def drop(self, database: Server) -> None:
        """Delete a database that nobody is connected to."""
        with self.administrator() as connection:
            connection.execute(f"DROP DATABASE {database.name}".encode())


def _unprivileged() -> list[str]:
    return [] if os.geteuid() else ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A running server. If it is ``durable``, its files are on a disk, and it waits for that, as an operator's does."""
    place = _memory if os.access(_memory, os.W_OK) and not durable else None
    folder = Path(tempfile.mkdtemp(prefix="foredraw-postgres-", dir=place))
    password = folder / "password"
    password.write_text(PASSWORD, encoding="ascii")
    if not os.geteuid():
        owner = getpwnam("postgres")
        for path in (folder, password):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    made = PostgresServer(folder, free_port(), "on" if durable else "off")
    try:
        subprocess.run(
            [
                *(*_unprivileged(), program("initdb"), "-D", str(folder / "data"), "-U", _ADMINISTRATOR),
                *(
                    "--pwfile",
                    str(password),
                    "--auth=scram-sha-256",
                    "--no-sync",
                    "--encoding=UTF8",
                    "--locale=C.UTF-8",
                ),
            ],
            check=True,
            capture_output=True,
            cwd="/",
        )
        made.start()
        with made.administrator() as connection:
            connection.execute(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'".encode())
        yield made
    finally:
        if made._process is not None and made._process.poll() is None:
            made.stop(at_once=True)
        shutil.rmtree(folder, ignore_errors=True)
