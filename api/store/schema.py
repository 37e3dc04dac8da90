"""The service's database: where it is, and a new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from api.settings import Server, Settings, SettingsError
from api.sql.connection import Connection
from api.sql.database import Database
from api.sql.schema import names
from api.sql.sqlite import SqliteDatabase
from api.store import statements as sql
from api.store.guards import GUARD
from api.store.models import HeadRow
from api.store.present import check_present
from api.store.revisions import VERSION_TABLE
from api.store.tables import SCHEMA
from api.store.upgrade import schema_of, upgrade
from api.world.cooperation import Offload, inline
from fairness.log.merkle import EMPTY_ROOT


def open_database(settings: Settings, offload: Offload = inline) -> Database:
    """Return the database of these settings, which must be there. Raises `SettingsError`."""
    check_present(settings)
    if settings.server is not None:
        return database_on(settings.server)
    return SqliteDatabase(settings.database, settings.write_lock, offload)


def database_on(server: Server, schema: str = "") -> Database:
    """Return a database on a server; its tables are in the schema that the server chooses, or in this one. Raises
    `SettingsError`.
    """
    try:
        # Only who uses PostgreSQL needs its driver.
        from api.sql.postgres import PostgresDatabase  # noqa: PLC0415 -- an extra, and slow to import
    except ImportError as error:
        raise no_driver() from error
    return PostgresDatabase(server, schema)


def no_driver() -> SettingsError:
    """Return what is wrong if PostgreSQL is wanted, and its driver cannot be imported."""
    return SettingsError(
        "FOREDRAW_DATABASE names a PostgreSQL database, and its driver is not installed: install foredraw[postgres]"
    )


def check_unused(settings: Settings) -> None:
    """Check that a database on a server can be reached, and that no log has begun in it. Raises `SettingsError`."""
    if settings.server is None:
        return
    with disposed(database_on(settings.server)) as database:
        if schema_of(database).is_empty:
            upgrade(database)
        with database.read() as connection:
            origin = sql.ORIGIN.find(connection)
    if origin is not None:
        raise SettingsError(
            f"the database {settings.server.place} holds the log {origin} already: a service is initialised once, in an"
            " empty database"
        )


def is_unused(database: Database) -> bool:
    """Return whether it has none of the service's tables, or only empty ones. Tables of another program with these
    names are used.
    """
    with database.read() as connection:
        present = names(connection)
        tables = present & SCHEMA.tables.keys()
        if VERSION_TABLE not in present:
            return not tables
        return not any(connection.rows(f"SELECT 1 FROM {name} LIMIT 1", ()) for name in tables)  # noqa: S608 -- names of our own schema


def clear(database: Database) -> None:
    """Remove everything that is the service's from a database on a server, which has just been filled by mistake."""

    def drop(connection: Connection) -> None:
        for name in (*SCHEMA.tables, VERSION_TABLE):
            connection.run(f"DROP TABLE IF EXISTS {name}")
        connection.run(f"DROP FUNCTION IF EXISTS {GUARD}()")

    database.write(drop)


def new_database(settings: Settings, origin: str) -> Database:
    """Return the database of these settings, made with an empty log."""
    server = settings.server
    new = SqliteDatabase(settings.database, settings.write_lock) if server is None else database_on(server)
    return begun(new, origin)


def begun(database: Database, origin: str) -> Database:
    """Return the same database, with an empty log; it is closed if that fails."""
    head = HeadRow(id=1, origin=origin, size=0, root=EMPTY_ROOT.hex(), noted=0)
    try:
        upgrade(database)
        database.write(lambda connection: sql.INSERT_HEAD.run(connection, head))
    except BaseException:
        database.dispose()
        raise
    return database


@contextmanager
def disposed(database: Database) -> Iterator[Database]:
    """Close the database at the end of this context."""
    try:
        yield database
    finally:
        database.dispose()
