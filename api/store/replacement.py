"""A fresh database in the place of another one, which is kept: what ``foredraw rebuild`` needs of each engine.

Whatever fails before the last step leaves the old database in place. A crash in that step leaves one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from shutil import copy2

from api.settings import Server, Settings, SettingsError
from api.sql.connection import Connection
from api.sql.database import Database
from api.sql.sqlite import SqliteConnection, SqliteDatabase
from api.store.guards import GUARD
from api.store.revisions import VERSION_TABLE
from api.store.schema import begun, database_on, disposed
from api.store.tables import SCHEMA
from api.store.upgrade import refusal, schema_of
from api.world.storage_failures import DatabaseFailure, is_another_programs

_ENDINGS = ("", "-wal", "-shm")
_FRESH = "foredraw_rebuilding"
"""The schema in which a server's fresh tables are made."""


class UnreadableError(Exception):
    """There is no database to be replaced; the message says why."""


class _OldFile(SqliteDatabase):
    """A file whose texts may be damaged: one that is no text comes as its bytes."""

    def _connect(self) -> SqliteConnection:
        connection = super()._connect()
        connection.driver.text_factory = _text
        return connection


class Replacement:
    """Replaces the database file of a folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._fresh = settings.database.with_name("rebuilding.db")

    @contextmanager
    def old(self) -> Iterator[Connection]:
        """Connect to the old database. Raises `UnreadableError`, and `SettingsError` if it is of another version."""
        with disposed(self._old()) as database:
            try:
                found = schema_of(database)
            except DatabaseFailure as error:
                if is_another_programs(error):
                    raise UnreadableError(str(error)) from error
                raise
            if found.is_empty:
                raise UnreadableError("it is empty, or another program's")
            # Damage can take the revision alone; statements find out whether the rest is this version's.
            if found.revision is not None and (why := refusal(found, self._settings)) is not None:
                raise SettingsError(why)
            with database.read() as connection:
                yield connection

    def _old(self) -> Database:
        path = self._settings.database
        if not path.exists():
            raise UnreadableError("it is missing")
        if not path.stat().st_size:
            # To open it would make a database of it.
            raise UnreadableError("it is empty")
        return _OldFile(path, self._settings.write_lock)

    def begin(self, origin: str) -> Database:
        """Return a fresh database with an empty log, beside the old one; what an earlier attempt left is removed."""
        self.discard()
        return begun(SqliteDatabase(self._fresh, self._settings.write_lock), origin)

    def discard(self) -> None:
        """Remove the fresh database, which is not wanted any more."""
        for ending in _ENDINGS:
            self._fresh.with_name(self._fresh.name + ending).unlink(missing_ok=True)

    def take_place(self) -> str | None:
        """Put the fresh database in the old one's place; the old one stays under the first free name, which is
        returned.

        A crash in between leaves one of the two in place, so that tokens and settings are found again.
        """
        database, number = self._settings.database, 1
        while (kept := database.with_name(f"{database.name}.before-rebuild-{number}")).exists():
            number += 1
        if there := database.exists():
            copy2(database, kept)
        for ending in _ENDINGS[1:]:
            # The fresh database must not find the old one's.
            old = database.with_name(database.name + ending)
            if old.exists():
                old.rename(kept.with_name(kept.name + ending))
        self._fresh.rename(database)
        return kept.name if there else None


class ServerReplacement(Replacement):
    """Replaces the tables on a server: fresh ones are made in a schema of their own, and change places with the old
    ones at once.
    """

    def __init__(self, settings: Settings, server: Server) -> None:
        super().__init__(settings)
        self._server = server

    def _old(self) -> Database:
        return database_on(self._server)

    def begin(self, origin: str) -> Database:
        """Make fresh tables with an empty log."""
        self.discard()
        with disposed(database_on(self._server)) as database:
            database.write(lambda connection: connection.run(f"CREATE SCHEMA {_FRESH}"))
        return begun(database_on(self._server, _FRESH), origin)

    def discard(self) -> None:
        """Remove the fresh tables."""
        with disposed(database_on(self._server)) as database:
            database.write(lambda connection: connection.run(f"DROP SCHEMA IF EXISTS {_FRESH} CASCADE"))

    def take_place(self) -> str | None:
        """Take it in one transaction; the old tables stay in a schema with the first free name."""
        with disposed(database_on(self._server)) as database:
            return database.write(_change_places)


def replacement(settings: Settings) -> Replacement:
    """Return what replaces the database of these settings."""
    return Replacement(settings) if settings.server is None else ServerReplacement(settings, settings.server)


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _present(connection: Connection) -> list[str]:
    """Return which of the service's tables there are."""
    found = connection.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", ())
    return sorted({str(name) for (name,) in found} & {*SCHEMA.tables, VERSION_TABLE})


def _change_places(connection: Connection) -> str | None:
    ((place,),) = connection.rows("SELECT quote_ident(current_schema())", ())
    taken = {str(name) for (name,) in connection.rows("SELECT nspname FROM pg_namespace", ())}
    kept = next(name for number in count(1) if (name := f"foredraw_before_rebuild_{number}") not in taken)
    connection.run(f"CREATE SCHEMA {kept}")
    if present := _present(connection):
        connection.run(f"ALTER FUNCTION {place}.{GUARD}() SET SCHEMA {kept}")
    for name in present:
        connection.run(f"ALTER TABLE {place}.{name} SET SCHEMA {kept}")
    for name in (*SCHEMA.tables, VERSION_TABLE):
        connection.run(f"ALTER TABLE {_FRESH}.{name} SET SCHEMA {place}")
    connection.run(f"ALTER FUNCTION {_FRESH}.{GUARD}() SET SCHEMA {place}")
    connection.run(f"DROP SCHEMA {_FRESH}")
    return kept if present else None
