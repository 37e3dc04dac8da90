"""Statements: built with SQLAlchemy Core, compiled once for each engine, run by the driver itself, with typed rows.

A call of an engine is a handful of small statements, and SQLAlchemy's own work around each would cost several times
what the database does. Nothing outside this package sees the driver, or how it spells a value or a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import chain, islice
from sqlite3 import SQLITE_CORRUPT, DatabaseError
from sqlite3 import Error as DriverError
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from sqlalchemy import Delete, Insert, Select, Update

from api.sql.connection import Connection, Engine
from api.sql.dialects import dialect_of
from fairness.errors import quote

Row = TypeVar("Row")
Inserted = TypeVar("Inserted", bound=tuple[Any, ...])

_TOGETHER = 50
"""Rows that one statement inserts on PostgreSQL, where a statement costs both sides several times what its row
does.
"""

_Spelling = tuple[str, dict[str, object]]
"""A statement's text, and the parameters that are always the same."""


class _Spellings(dict[Engine, _Spelling]):
    """A statement as each engine spells it, compiled when an engine first needs it."""

    def __init__(self, spell: Callable[[Engine], _Spelling]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, engine: Engine) -> _Spelling:
        spelled = self[engine] = self._spell(engine)
        return spelled


class Query(Generic[Row]):
    """A statement that reads rows of one type: a named tuple of the columns, or of such tuples, or a column's own
    type.
    """

    def __init__(self, statement: Select[Any], row: type[Row]) -> None:
        self._spelled = _Spellings(lambda engine: _compiled(statement, engine))
        self._row = _reader([str(column.key) for column in statement.selected_columns], row)

    def all(self, connection: Connection, **parameters: object) -> list[Row]:
        """Return all rows."""
        return [self._row(values) for values in self.stored(connection, **parameters)]

    def stored(self, connection: Connection, **parameters: object) -> list[tuple[Any, ...]]:
        """Return the values of all rows as the database has them, whether they mean anything or not."""
        sql, fixed = self._spelled[connection.engine]
        return connection.rows(sql, fixed | parameters)

    def find(self, connection: Connection, **parameters: object) -> Row | None:
        """Return the first row; `None` if there is none."""
        found = self.stored(connection, **parameters)
        return self._row(found[0]) if found else None

    def one(self, connection: Connection, **parameters: object) -> Row:
        """Return the row that is always there. Raises `LookupError` if it is not."""
        found = self.find(connection, **parameters)
        if found is None:
            raise LookupError(f"expected a row, found none: {self._spelled[connection.engine][0]}")
        return found


class Insertion(Generic[Inserted]):
    """A statement that inserts rows of one type, a named tuple of the table's columns in their order."""

    def __init__(self, statement: Insert, row: type[Inserted]) -> None:
        """Columns that the row lacks get the database's own value."""
        self._spelled = _Spellings(lambda engine: (_insertion(statement, _fields(row), engine), {}))
        self._together = _Spellings(lambda engine: (_insertion(statement, _fields(row), engine, _TOGETHER), {}))
        columns = [column.key for column in statement.table.columns if column.key in _fields(row)]
        if columns != list(_fields(row)):
            raise TypeError(f"expected the columns {columns}, found {_fields(row)} in {row.__name__}")

    def run(self, connection: Connection, row: Inserted) -> None:
        """Insert a row."""
        connection.run(self._spelled[connection.engine][0], row)

    def run_many(self, connection: Connection, rows: Iterable[Inserted]) -> None:
        """Insert many rows, in their order."""
        if connection.engine is Engine.POSTGRESQL:
            rows = self._insert_together(connection, iter(rows))
        connection.run_many(self._spelled[connection.engine][0], rows)

    def _insert_together(self, connection: Connection, rows: Iterator[Inserted]) -> list[Inserted]:
        """Insert as many as fill whole statements; returns the rest."""
        sql, _ = self._together[connection.engine]
        while len(several := list(islice(rows, _TOGETHER))) == _TOGETHER:
            connection.run_many(sql, [tuple(chain.from_iterable(several))])
        return several


class Change:
    """A statement that updates or deletes rows."""

    def __init__(self, statement: Update | Delete) -> None:
        self._spelled = _Spellings(lambda engine: _compiled(statement, engine))

    def run(self, connection: Connection, **parameters: object) -> None:
        """Change rows."""
        sql, fixed = self._spelled[connection.engine]
        connection.run(sql, fixed | parameters)

    def count(self, connection: Connection, **parameters: object) -> int:
        """Change rows; returns how many, for which PostgreSQL has to be waited for."""
        sql, fixed = self._spelled[connection.engine]
        return connection.changed(sql, fixed | parameters)

    def run_many(self, connection: Connection, each: Iterable[Mapping[str, object]]) -> None:
        """Run it with many sets of parameters."""
        sql, fixed = self._spelled[connection.engine]
        connection.run_many(sql, ({**fixed, **parameters} for parameters in each))


class Lock:
    """A statement after which other writers that run the same wait until this transaction ends.

    On SQLite all writers wait for one another anyway.
    """

    def __init__(self, statement: Select[Any]) -> None:
        self._spelled = _Spellings(lambda engine: _compiled(statement, engine))

    def run(self, connection: Connection, **parameters: object) -> None:
        """Have the lock, before the next statement of this connection runs."""
        if connection.engine is Engine.POSTGRESQL:
            sql, fixed = self._spelled[connection.engine]
            connection.run(sql, fixed | parameters)


def _compiled(statement: Select[Any] | Update | Delete, engine: Engine) -> _Spelling:
    compiled = statement.compile(dialect=dialect_of(engine))
    fixed = {name: _plain(bind.value) for bind, name in compiled.bind_names.items() if not bind.required}
    return str(compiled), fixed


def _insertion(statement: Insert, columns: tuple[str, ...], engine: Engine, rows: int = 1) -> str:
    """Return an insertion's text, whose parameters are the columns of each row in their order; what it made is not
    asked for.
    """
    compiled = statement.inline().compile(dialect=dialect_of(engine, by_position=True), column_keys=list(columns))
    into, values, row = str(compiled).partition(" VALUES ")
    return into + values + ", ".join([row] * rows)


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _fields(row: type[Any]) -> tuple[str, ...]:
    fields: tuple[str, ...] = getattr(row, "_fields", ())
    return fields


def _reader(columns: list[str], row: type[Row]) -> Callable[[tuple[Any, ...]], Row]:
    """Return what makes a row of the driver's values."""
    if not (fields := _fields(row)):
        if len(columns) != 1:
            raise TypeError(f"expected one column for {row}, found {columns}")
        return lambda values: values[0]
    kinds = [_kind(hint) for hint in get_type_hints(row).values()]
    make: Callable[[Iterable[Any]], Row] = row._make  # type: ignore[attr-defined]  # a NamedTuple, as it has fields
    if all(_fields(kind) for kind in kinds):
        return _joined_reader(columns, kinds, make)
    if columns != list(fields):
        raise TypeError(f"expected the columns {fields} for {row.__name__}, found {columns}")
    meanings = [(place, known) for place, kind in enumerate(kinds) if (known := _meanings(kind)) is not None]

    def read(values: tuple[Any, ...]) -> Row:
        meant = list(values)
        for place, known in meanings:
            try:
                meant[place] = known[meant[place]]
            except (KeyError, TypeError):
                raise _damaged(columns[place], meant[place]) from None
        return make(meant)

    return read if meanings else make


def _joined_reader(
    columns: list[str], rows: list[type[Any]], make: Callable[[Iterable[Any]], Row]
) -> Callable[[tuple[Any, ...]], Row]:
    """Return what makes a row of rows, one for each table of a join; `None` for one whose key, its first column, is
    NULL.
    """
    parts: list[tuple[int, int, Callable[[tuple[Any, ...]], Any]]] = []
    end = 0
    for row in rows:
        start, end = end, end + len(_fields(row))
        parts.append((start, end, _reader(columns[start:end], row)))
    if end != len(columns):
        raise TypeError(f"expected {end} columns, found {columns}")
    return lambda values: make(
        [None if values[start] is None else read(values[start:end]) for start, end, read in parts]
    )


def _kind(hint: Any) -> type[Any]:  # noqa: ANN401 -- a type hint
    """Return a type without its `None`."""
    kind: type[Any] = next((each for each in get_args(hint) if each is not type(None)), hint)
    return kind


def _damaged(column: str, found: object) -> DriverError:
    """Return what the driver raises for a damaged page: the file has a value that no statement of ours writes."""
    error = DatabaseError(f"the column {column} holds {quote(str(found))}")
    error.sqlite_errorcode = SQLITE_CORRUPT
    return error


def _meanings(kind: type[Any]) -> Mapping[Any, object] | None:
    """Return what stored values mean, for a type that the database has no values of: `bool`, or an enumeration."""
    if kind is bool:
        return {None: None, 0: False, 1: True}
    if issubclass(kind, Enum):
        return {None: None, **{member.value: member for member in kind}}
    return None
