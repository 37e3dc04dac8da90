"""What a database has, and lacks of a schema, as statements that create it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import MetaData, Table
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from api.sql.connection import Connection, Engine
from api.sql.dialects import dialect_of

_NAMES = {
    Engine.SQLITE: "SELECT name FROM sqlite_master",
    Engine.POSTGRESQL: (
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
        " UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        " WHERE relnamespace = current_schema()::regnamespace"
        " UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"
    ),
}
_COLUMNS = {
    Engine.SQLITE: "SELECT name FROM pragma_table_info('{}')",
    Engine.POSTGRESQL: "SELECT attname FROM pg_attribute WHERE attrelid = '{}'::regclass AND attnum > 0 AND NOT attisdropped",
}


def names(connection: Connection) -> set[str]:
    """The names of everything in a database: tables, indexes, and PostgreSQL's triggers and functions."""
    return {str(name) for (name,) in connection.rows(_NAMES[connection.engine], ())}


def missing_guards(connection: Connection, guards: Mapping[str, str], present: set[str]) -> list[str]:
    """The statements that create those of PostgreSQL's triggers that are not ``present``."""
    if connection.engine is not Engine.POSTGRESQL:
        return []
    return [statement for name, statement in guards.items() if name not in present]


def missing(connection: Connection, schema: MetaData, guards: Mapping[str, str]) -> list[str]:
    """The statements that create what is missing: tables, indexes, columns that a newer version brings, and guards."""
    dialect = dialect_of(connection.engine)
    present = names(connection)
    statements: list[str] = []
    for table in schema.tables.values():
        if table.name in present:
            statements += _missing_columns(connection, dialect, table)
        else:
            statements.append(str(CreateTable(table).compile(dialect=dialect)))
        indexes = [index for index in table.indexes if index.name not in present]
        statements += [str(CreateIndex(index).compile(dialect=dialect)) for index in indexes]
    return statements + missing_guards(connection, guards, present)


def _missing_columns(connection: Connection, dialect: Dialect, table: Table) -> list[str]:
    present = {str(name) for (name,) in connection.rows(_COLUMNS[connection.engine].format(table.name), ())}
    return [
        f'ALTER TABLE {table.name} ADD COLUMN "{column.name}" {column.type.compile(dialect)}'
        for column in table.columns
        if column.name not in present
    ]
