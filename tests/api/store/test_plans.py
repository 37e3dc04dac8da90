"""How the databases find rows: what a round, the background program and a page ask reads no whole table, however
long.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.settings import Server, Settings
from api.sql.connection import Engine
from api.sql.pipeline import numbered
from api.sql.sqlite import SqliteConnection
from api.sql.statement import Change, Insertion, Lock, Query
from api.store import statements as sql
from api.store.schema import disposed, new_database
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.both_databases("plans and indexes are the database's")

FREQUENT = (
    *("TAKE_TABLE", "TABLE_AND_ROUND", "SET_QUEUED_STATE", "SET_LOCKED", "SET_ENDED", "ONE_TOKEN", "SET_USED"),
    *("WAITING", "SET_POSITIONS", "SET_APPENDED", "FORGET_KEPT", "KEPT", "LOCKED_ROUNDS", "ROUNDS_BETWEEN"),
    *("BATCH_AND_ROUND", "BATCHES_AND_ROUNDS", "BATCHES_BETWEEN", "SALTS_BETWEEN", "REACHED"),
    *("PLAYED_BEFORE", "LAST_VOIDS", "TABLES_AFTER", "NEWEST_ROUNDS_OF_TABLE"),
    *("ENDED_UPWARDS", "ENDED_DOWNWARDS"),
)
ALL = [name for name, it in vars(sql).items() if isinstance(it, Query | Change | Insertion | Lock)]
SHORT = {"rounds_locked", "rounds_void", "queue_position"}
"""Indexes of some rows only, which may be read from one end to the other."""


def text_of(name: str, engine: Engine) -> str:
    """A statement of the service, as an engine spells it."""
    text: str = getattr(sql, name)._spelled[engine][0]
    return text


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All steps of a plan of PostgreSQL's."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def reads_everything(node: dict[str, Any]) -> bool:
    """Whether a step reads a table, or the whole of a long index."""
    if "Scan" not in node["Node Type"] or node["Node Type"] == "Bitmap Heap Scan":
        return False
    return "Index Cond" not in node and node.get("Index Name") not in SHORT


@pytest.fixture(scope="module")
def made(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """An empty log in PostgreSQL, whose statistics say nothing."""
    server = postgres.new_database()
    with disposed(new_database(Settings(tmp_path_factory.mktemp("plans"), server=server), "plans.example/log")):
        return server


@pytest.mark.parametrize("name", ALL)
def test_postgresql_reads_every_statement(name: str, made: Server, postgres: PostgresServer) -> None:
    """It accepts the words and the types, whoever uses the statement; an insertion's also for many rows."""
    statement, texts = getattr(sql, name), [text_of(name, Engine.POSTGRESQL)]
    if isinstance(statement, Insertion):
        texts.append(statement._together[Engine.POSTGRESQL][0])
    with postgres.administrator(made.name) as connection:
        for number, text in enumerate(texts):
            connection.execute(b"PREPARE asked%d AS " % number + numbered(text)[0])


@pytest.mark.parametrize("name", FREQUENT)
def test_postgresql_finds_rows_by_an_index(name: str, made: Server, postgres: PostgresServer) -> None:
    """With scans of tables priced out, as a long table prices them, there is a plan without one for any
    parameters.
    """
    text, _ = numbered(text_of(name, Engine.POSTGRESQL))
    values = ", ".join(["NULL"] * len({*re.findall(rb"\$[0-9]+", text)}))
    with postgres.administrator(made.name) as connection:
        connection.execute("SET enable_seqscan = off")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute(b"PREPARE asked AS " + text)
        call = f"asked({values})" if values else "asked"
        found = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {call}".encode()).fetchone()
    assert found is not None
    assert not [node for node in nodes(found[0][0]["Plan"]) if reads_everything(node)], found


@pytest.mark.parametrize("name", [name for name in FREQUENT if name != "TAKE_TABLE"])
def test_sqlite_finds_rows_by_an_index(name: str, tmp_path: Path) -> None:
    """Its plan searches, or reads a short index."""
    with (
        disposed(new_database(Settings(tmp_path / "data"), "plans.example/log")) as database,
        database.read() as connection,
    ):
        assert isinstance(connection, SqliteConnection)
        asked = f"EXPLAIN QUERY PLAN {text_of(name, Engine.SQLITE)}"
        steps = [row[3] for row in connection.driver.execute(asked, defaultdict(lambda: None))]
    scans = [step for step in steps if step.startswith("SCAN") and not any(index in step for index in SHORT)]
    assert not [step for step in scans if step != "SCAN CONSTANT ROW"], steps
