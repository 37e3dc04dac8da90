"""Where the services of tests have their database, and how tests read and change it behind their backs.

It is in the file of their folder, or on a server in a run ``--database postgresql``. Such a run leaves out what runs
on both anyway, because its fixtures take `server`, and files with the mark ``one_database``, which says why. Each
service has a database of its own there; programs that a test starts on its folder learn of it here.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from api.settings import Server, Settings

if TYPE_CHECKING:
    from tests.support.postgres import PostgresServer

_start: Callable[[], PostgresServer] | None = None
_server: PostgresServer | None = None
_of_folder: dict[Path, Server] = {}


def use(start: Callable[[], PostgresServer] | None) -> None:
    """From now on services have their database on the server that this starts, once, or in their folder."""
    global _start, _server
    _start, _server = start, None


def default_server() -> PostgresServer | None:
    """The server for a service whose test does not say where its database is."""
    global _server  # noqa: PLW0603 -- one server for all tests of a process
    if _server is None and _start is not None:
        _server = _start()
    return _server


def remember(folder: Path, server: Server | None) -> Server | None:
    """The folder's service has its database there."""
    if server is not None:
        _of_folder[folder] = server
    return server


def variables_of(folder: Path) -> dict[str, str]:
    """The environment of programs on a folder's service."""
    return {"FOREDRAW_DATABASE": _of_folder[folder].secret_address} if folder in _of_folder else {}


def drop_all() -> None:
    """Delete the databases that were made so far, each of which takes megabytes of memory."""
    if _server is not None:
        _server.drop_all()
    _of_folder.clear()


def query(settings: Settings, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """Read a service's database; ``values`` are those of the parameters (``?``)."""
    if settings.server is not None:
        with psycopg.connect(settings.server.secret_address) as server:
            return server.execute(_in_servers_words(statement), values or None).fetchall()
    with closing(sqlite3.connect(f"file:{settings.database}?mode=ro", uri=True)) as connection:
        return connection.execute(statement, values).fetchall()


def tamper(settings: Settings, statement: str, *values: object) -> int:
    """Change a service's database, against triggers and most constraints; returns the number of rows."""
    if settings.server is not None:
        with psycopg.connect(_as_administrator(settings.server)) as server:
            # Without triggers.
            server.execute("SET session_replication_role = replica")
            return server.execute(_in_servers_words(statement), values or None).rowcount
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        return connection.execute(statement, values).rowcount


def _in_servers_words(statement: str) -> bytes:
    """A statement in SQLite's words for bytes (``X'00'``) and parameters (``?``), as PostgreSQL reads it."""
    bytes_spelled = re.sub(r"(?i)\bx'([0-9a-f]*)'", r"'\\x\1'::bytea", statement)
    return bytes_spelled.replace("?", "%s").encode()


def _as_administrator(server: Server) -> str:
    """The address of a database for who may do everything there."""
    return server.secret_address.replace("//foredraw:", "//postgres:")
