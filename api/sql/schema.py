"""What a database file lacks of a schema, as statements that create it."""

from __future__ import annotations

from sqlite3 import Connection as DriverConnection

from sqlalchemy import MetaData, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

_DIALECT = sqlite.dialect()


def missing(driver: DriverConnection, schema: MetaData) -> list[str]:
    """The statements that create what is missing: tables, indexes, and columns that a newer version brings."""
    present = {str(name) for (name,) in driver.execute("SELECT name FROM sqlite_master")}
    statements: list[str] = []
    for table in schema.tables.values():
        if table.name in present:
            statements += _missing_columns(driver, table)
        else:
            statements.append(str(CreateTable(table).compile(dialect=_DIALECT)))
        indexes = [index for index in table.indexes if index.name not in present]
        statements += [str(CreateIndex(index).compile(dialect=_DIALECT)) for index in indexes]
    return statements


def _missing_columns(driver: DriverConnection, table: Table) -> list[str]:
    present = {str(column[1]) for column in driver.execute(f"PRAGMA table_info({table.name})")}
    return [
        f'ALTER TABLE {table.name} ADD COLUMN "{column.name}" {column.type.compile(_DIALECT)}'
        for column in table.columns
        if column.name not in present
    ]
