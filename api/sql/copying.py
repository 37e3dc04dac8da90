"""All rows of one database into another one, of the same engine or not."""

from __future__ import annotations

from sqlalchemy import Connection as Alchemy
from sqlalchemy import MetaData, Table, insert, select

from api.sql.database import Database

_AT_ONCE = 1000


def copy_rows(source: Database, target: Database, schema: MetaData) -> None:
    """Copy the rows of ``schema``'s tables, as they are at one moment, into the same tables of ``target``, which are
    empty.

    In one transaction: what fails, or a crash, leaves them empty.
    """

    def read(old: Alchemy) -> None:
        if old.dialect.name == "postgresql":
            # SQLite's transactions see one state anyway.
            old.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        target.alter(lambda new: _copy(old, new, schema))

    source.alter(read)


def _copy(old: Alchemy, new: Alchemy, schema: MetaData) -> None:
    for table in schema.sorted_tables:
        rows = old.execution_options(stream_results=True, yield_per=_AT_ONCE).execute(select(table))
        for part in rows.partitions():
            new.execute(insert(table), [dict(zip(table.columns.keys(), row, strict=True)) for row in part])
        if new.dialect.name == "postgresql":
            _continue_numbers(new, table)


def _continue_numbers(new: Alchemy, table: Table) -> None:
    """Have the next row that gets its number from the server get one after those that were copied."""
    column = table.autoincrement_column
    if column is not None:
        last = f'SELECT max("{column.name}") FROM "{table.name}"'  # noqa: S608 -- names of our own schema
        new.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('{table.name}', '{column.name}'), ({last}))")
