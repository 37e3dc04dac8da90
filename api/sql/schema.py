"""Schemas: tables that are named tuples, whose fields SQLModel makes columns of; and what a database has of one."""

from __future__ import annotations

from enum import EnumType
from types import new_class
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

from sqlalchemy import MetaData, Table
from sqlalchemy.schema import SchemaItem
from sqlmodel import Field, SQLModel

from api.sql.columns import Column
from api.sql.connection import Connection, Engine
from api.sql.dialects import portable

_NAMES = {
    Engine.SQLITE: "SELECT name FROM sqlite_master",
    Engine.POSTGRESQL: (
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
        " UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        " WHERE relnamespace = current_schema()::regnamespace"
        " UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"
    ),
}


def table(schema: MetaData, name: str, row: type[tuple[Any, ...]], *more: SchemaItem, by_key: bool = False) -> Table:
    """Add a table to ``schema``: its columns are the fields of ``row``, a named tuple, as their types say.

    ``more`` are its constraints and indexes. ``by_key``: the primary key is the table, and a row is found and written
    in one place, without SQLite's rowid.
    """
    fields = {
        "__annotations__": {name: _field(hint) for name, hint in get_type_hints(row, include_extras=True).items()},
        "__doc__": row.__doc__,
        "__module__": row.__module__,
        "__table_args__": (*more, {"sqlite_with_rowid": not by_key}),
        "__tablename__": name,
        "metadata": schema,
        **cast("Any", row)._field_defaults,
    }
    made: Table = cast(
        "Any", new_class(row.__name__, (SQLModel,), {"table": True}, lambda own: own.update(fields))
    ).__table__
    for column in made.columns:
        column.type = portable(column.type)
    return made


def _field(hint: Any) -> Any:  # noqa: ANN401 -- type hints
    """Say in SQLModel's words what a column is. A text with few meanings is a text."""
    kind, column = get_args(hint) if get_origin(hint) is Annotated else (hint, Column())
    field = Field(
        primary_key=column.primary_key,
        index=column.indexed,
        unique=column.unique,
        sa_column_kwargs={"autoincrement": column.autoincrement},
    )
    return Annotated[str if isinstance(kind, EnumType) else kind, field]


def names(connection: Connection) -> set[str]:
    """Ask for the names of everything in a database: tables, indexes, and PostgreSQL's triggers and functions."""
    return {str(name) for (name,) in connection.rows(_NAMES[connection.engine], ())}
