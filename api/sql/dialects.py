"""How each engine spells what SQLAlchemy builds, and what else has to be set for each."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from sqlalchemy import ColumnElement, Integer, Text
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import BigInteger, TypeEngine
from sqlmodel.sql.sqltypes import AutoString

from api.sql.connection import Engine


@cache
def dialect_of(engine: Engine, *, by_position: bool = False) -> Dialect:
    """Return the dialect of an engine, with the parameters of statements by name or by position."""
    if engine is Engine.SQLITE:
        return sqlite.dialect(paramstyle="qmark" if by_position else "named")
    # Only who uses PostgreSQL waits for its dialect to be imported.
    from sqlalchemy.dialects.postgresql import psycopg  # noqa: PLC0415 -- as said above

    made: Dialect = cast("Any", psycopg.dialect)(paramstyle="format" if by_position else "pyformat")
    return made


def portable(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    """Return a column's type, so that both engines keep and compare the same values.

    PostgreSQL's own INTEGER ends at 2^31, and its text is compared as people of some country sort words. SQLite's
    INTEGER ends at 2^63, and its text is compared byte by byte.
    """
    if isinstance(kind, Integer):
        return kind.with_variant(BigInteger(), "postgresql")
    if isinstance(kind, AutoString):
        return kind.with_variant(Text(collation="C"), "postgresql")
    return kind


def for_both_engines(statement: sqlite.Insert) -> sqlite.Insert:
    """Return an insertion or update in SQLite's words, whose ON CONFLICT PostgreSQL spells alike: its compiler asks
    for one thing more.
    """
    # SQLAlchemy has no public name for the clause.
    cast("Any", statement)._post_values_clause.constraint_target = None  # noqa: SLF001 -- as said above
    return statement


class JsonNumber(ColumnElement[float]):
    """The number that a text of JSON has under a key, which may be spelled as a string; NULL if it has none."""

    inherit_cache = False

    def __init__(self, text: ColumnElement[Any], key: str) -> None:
        self.text, self.key = text, key


@compiles(JsonNumber, "sqlite")
def _sqlite_number(element: JsonNumber, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 -- SQLAlchemy passes what it likes
    return f"json_extract({compiler.process(element.text, **options)}, '$.{element.key}')"


@compiles(JsonNumber, "postgresql")
def _postgresql_number(element: JsonNumber, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 -- SQLAlchemy passes what it likes
    return f"(({compiler.process(element.text, **options)})::jsonb ->> '{element.key}')::numeric"


class LooksLike(ColumnElement[bool]):
    """Whether a text is like a pattern of SQLite's GLOB, with ``*`` and ``[…]``."""

    inherit_cache = False

    def __init__(self, text: ColumnElement[Any], pattern: ColumnElement[Any]) -> None:
        self.text, self.pattern = text, pattern


@compiles(LooksLike, "sqlite")
def _sqlite_like(element: LooksLike, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 -- SQLAlchemy passes what it likes
    text, pattern = (compiler.process(each, **options) for each in (element.text, element.pattern))
    return f"({text} GLOB {pattern})"


@compiles(LooksLike, "postgresql")
def _postgresql_like(element: LooksLike, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 -- SQLAlchemy passes what it likes
    text, pattern = (compiler.process(each, **options) for each in (element.text, element.pattern))
    # A regular expression is not bound to the ends, and gives other characters a meaning.
    return f"({text} ~ regexp_replace(trim(both '*' from {pattern}), '[.+(){{}}^$|]', '\\\\\\&', 'g'))"
