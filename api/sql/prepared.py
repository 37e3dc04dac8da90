"""Statements of the hot path: built with SQLAlchemy Core, compiled once, run by the driver itself.

A call of an engine is a handful of small statements, and SQLAlchemy's own work around each costs
several times what SQLite does. Everything that is not in the way of a round goes through it.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from sqlite3 import Connection as DriverConnection
from typing import Any, cast

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.dialects import sqlite

_DIALECT = sqlite.dialect(paramstyle="named")


class Prepared:
    """One statement, with its parameters by name."""

    def __init__(self, statement: Select[Any] | Insert | Update | Delete, keys: Sequence[str] | None = None) -> None:
        """Compile it; ``keys`` are the columns of an insert, where not all are given."""
        compiled = statement.compile(dialect=_DIALECT, column_keys=keys)
        self._sql = str(compiled)
        self._fixed = {name: value for name, value in compiled.params.items() if value is not None}
        names = [column.name for column in statement.selected_columns] if isinstance(statement, Select) else []
        self._row: Any = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024

    def run(self, connection: Connection, parameters: Mapping[str, object]) -> None:
        """Change something."""
        driver_of(connection).execute(self._sql, {**self._fixed, **parameters})

    def one(self, connection: Connection, parameters: Mapping[str, object]) -> Any:  # noqa: ANN401
        """The first row, with its columns as attributes; `None` where there is none."""
        found = driver_of(connection).execute(self._sql, {**self._fixed, **parameters}).fetchall()
        return self._row._make(found[0]) if found else None


def driver_of(connection: Connection) -> DriverConnection:
    """The driver's own connection, for statements that SQLAlchemy has no part in."""
    return cast("DriverConnection", connection.connection.driver_connection)
