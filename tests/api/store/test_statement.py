"""Statements run by the driver: rows are typed, and mismatches are refused when a statement is built."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import (
    Boolean,
    Column,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from api.sql.connection import Connection
from api.sql.sqlite import SqliteDatabase
from api.sql.statement import Change, Insertion, Query
from api.world.storage_failures import is_damage


class Colour(StrEnum):
    """An enumeration that the database stores as text."""

    RED = "red"
    BLACK = "black"


class Card(NamedTuple):
    """A row."""

    name: str
    colour: Colour | None
    held: bool = False


class Holder(NamedTuple):
    """A row of another table."""

    card: str
    player: str


class Turned(NamedTuple):
    """The columns of the other table, in another order."""

    player: str
    card: str


class CardAndHolder(NamedTuple):
    """A row of both tables."""

    card: Card
    holder: Holder | None


SCHEMA = MetaData()
CARDS = Table(
    "cards",
    SCHEMA,
    Column("name", String, primary_key=True),
    Column("colour", String),
    Column("held", Boolean, nullable=False),
    Column("note", String),
)
HOLDERS = Table("holders", SCHEMA, Column("card", String, primary_key=True), Column("player", String, nullable=False))
INSERT_CARD = Insertion(insert(CARDS), Card)
INSERT_HOLDER = Insertion(insert(HOLDERS), Holder)
ALL_CARDS = Query(select(CARDS.c.name, CARDS.c.colour, CARDS.c.held).order_by(CARDS.c.name), Card)
ONE_CARD = Query(
    select(CARDS.c.name, CARDS.c.colour, CARDS.c.held).where(CARDS.c.name == bindparam("name")),
    Card,
)
RED_NAMES = Query(select(CARDS.c.name).where(CARDS.c.colour == Colour.RED).order_by(CARDS.c.name), str)
HELD_CARDS = Query(
    select(CARDS.c.name, CARDS.c.colour, CARDS.c.held, HOLDERS)
    .select_from(CARDS.outerjoin(HOLDERS, HOLDERS.c.card == CARDS.c.name))
    .order_by(CARDS.c.name),
    CardAndHolder,
)
PAINT = Change(
    update(CARDS).where(CARDS.c.name == bindparam("where_name")).values(colour=bindparam("new_colour"), held=True)
)
REMOVE_RED = Change(delete(CARDS).where(CARDS.c.colour == Colour.RED))

QUEEN, SEVEN, JOKER = Card("Q", Colour.RED, held=True), Card("7", Colour.BLACK), Card("Joker", None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A database with three cards, one of which somebody holds."""
    made = SqliteDatabase(tmp_path / "cards.db", tmp_path / "write.lock")
    made.alter(SCHEMA.create_all)

    def fill(connection: Connection) -> None:
        INSERT_CARD.run(connection, QUEEN)
        INSERT_CARD.run_many(connection, [SEVEN, JOKER])
        INSERT_HOLDER.run(connection, Holder("Q", "Anna"))

    made.write(fill)
    yield made
    made.dispose()


def test_rows_have_the_types_that_they_say(database: SqliteDatabase) -> None:
    """Booleans and members of enumerations are returned as such, and a single column as bare values."""
    with database.read() as connection:
        found = ALL_CARDS.all(connection)
        assert found == [SEVEN, JOKER, QUEEN]
        assert [type(card.held) for card in found] == [bool] * 3
        assert [type(card.colour) for card in found] == [Colour, type(None), Colour]
        assert RED_NAMES.all(connection) == ["Q"]


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("colour", "UPDATE cards SET colour = 'green'"),
        ("colour", "UPDATE cards SET colour = x'00'"),
        ("held", "UPDATE cards SET held = 7"),
    ],
)
def test_a_value_that_no_row_can_have_is_damage(database: SqliteDatabase, column: str, change: str) -> None:
    """The file was damaged or changed by hand: the same error as for an unreadable page."""
    with database.read() as connection:
        connection.run("PRAGMA ignore_check_constraints = 1")
        connection.run(f"{change} WHERE name = 'Q'")
        with pytest.raises(sqlite3.DatabaseError, match=f"the column {column} holds") as error:
            ALL_CARDS.all(connection)
        assert is_damage(error.value)


def test_a_row_is_found_or_not(database: SqliteDatabase) -> None:
    """`find` returns `None` for a row that is missing, and `one` raises."""
    with database.read() as connection:
        assert ONE_CARD.find(connection, name="Q") == ONE_CARD.one(connection, name="Q") == QUEEN
        assert ONE_CARD.find(connection, name="K") is None
        with pytest.raises(LookupError, match="expected a row"):
            ONE_CARD.one(connection, name="K")


def test_a_join_gives_a_row_of_each_table(database: SqliteDatabase) -> None:
    """`None` for a table without a matching row."""
    with database.read() as connection:
        assert HELD_CARDS.all(connection) == [
            CardAndHolder(SEVEN, None),
            CardAndHolder(JOKER, None),
            CardAndHolder(QUEEN, Holder("Q", "Anna")),
        ]


def test_a_change_says_how_many_rows_it_changed(database: SqliteDatabase) -> None:
    """With one set of parameters; with many sets, each changes its own rows."""
    assert database.write(lambda connection: PAINT.count(connection, where_name="7", new_colour=Colour.RED)) == 1
    assert database.write(lambda connection: PAINT.count(connection, where_name="K", new_colour=Colour.RED)) == 0
    both = [{"where_name": name, "new_colour": Colour.RED} for name in ("7", "Joker")]
    database.write(lambda connection: PAINT.run_many(connection, both))
    with database.read() as connection:
        assert [card.held for card in ALL_CARDS.all(connection)] == [True] * 3
    assert database.write(REMOVE_RED.count) == 3


def test_a_parameter_that_is_missing_is_an_error(database: SqliteDatabase) -> None:
    """It is not silently NULL."""
    with database.read() as connection, pytest.raises(sqlite3.ProgrammingError, match="name"):
        ONE_CARD.find(connection)


def test_a_row_that_does_not_fit_its_statement_is_refused() -> None:
    """It is refused when the statement is built, not when it first runs."""
    with pytest.raises(TypeError, match="expected the columns"):
        Query(select(CARDS.c.colour, CARDS.c.name, CARDS.c.held), Card)
    with pytest.raises(TypeError, match="expected 5 columns"):
        Query(select(CARDS.c.name, CARDS.c.colour, CARDS.c.held, HOLDERS, CARDS.c.note), CardAndHolder)
    with pytest.raises(TypeError, match="expected one column"):
        Query(select(HOLDERS), str)
    with pytest.raises(TypeError, match="expected the columns"):
        Insertion(insert(HOLDERS), Turned)
