"""A table says why its next round cannot be opened: by the codes that `open` refuses it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from api.http.view import list_tables, show_table
from api.problems import KEEP_FROM_OPENING, Code, Problem
from api.rounds.control import pause_table, stop_tables
from api.rounds.tables import add_table, request_close
from api.store import statements as sql
from api.store.contents import LOG_ENDED
from api.world.statuses import write_status
from tests.support.in_process_service import InProcessService

TABLE, NEW = "crash-1", "keno-2"

pytestmark = pytest.mark.both_databases("what stops a table is a row")


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[InProcessService]:
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, "crash")])
    yield made
    made.stop()


@contextmanager
def paused(running: InProcessService) -> Iterator[None]:
    pause_table(running.service.writer, TABLE, paused=True)
    yield
    pause_table(running.service.writer, TABLE, paused=False)


@contextmanager
def stopped(running: InProcessService) -> Iterator[None]:
    stop_tables(running.service.writer, stopped=True)
    yield
    stop_tables(running.service.writer, stopped=False)


@contextmanager
def halted(running: InProcessService, why: str = "a record was refused") -> Iterator[None]:
    def halt(why: str | None) -> None:
        running.service.database.write(
            lambda connection: sql.SET_HALTED.run(connection, where_name=TABLE, new_halted=why)
        )

    halt(why)
    yield
    halt(None)


@contextmanager
def changed(running: InProcessService) -> Iterator[None]:
    write_status(running.settings.software_trouble, running.service.timekeeper, "a file was changed")
    yield
    running.settings.software_trouble.unlink()


@contextmanager
def ahead(running: InProcessService) -> Iterator[None]:
    days = timedelta(days=400).total_seconds()
    running.clock.set_date(days)
    yield
    running.clock.set_date(-days)


WAYS: dict[Code, list[Callable[[InProcessService], AbstractContextManager[None]]]] = {
    Code.TABLE_PAUSED: [paused, stopped],
    Code.TABLE_HALTED: [halted],
    Code.LOG_ENDED: [lambda running: halted(running, LOG_ENDED)],
    Code.SOFTWARE_CHANGED: [changed],
    Code.CLOCK_JUMPED: [ahead],
}
ELSEWHERE = {Code.TABLE_CLOSED, Code.LEAD_NOT_PUBLISHED, Code.WITNESSES_AWAY, Code.NOT_WITNESSED}
"""What the other tests here provoke, and ``tests/api/witnesses``."""


def why_not(running: InProcessService, table: str = TABLE) -> list[str]:
    """The codes that a table has, in the list of tables and alone."""
    service = running.service
    alone = show_table(service.database, service.openings, table)
    tables, _ = list_tables(service.database, service.openings, "", 10)
    (listed,) = [each for each in tables if each.table == table]
    assert (listed.open, listed.why_not) == (alone.open, alone.why_not)
    assert alone.open == (not alone.why_not)
    return alone.why_not


def refused(running: InProcessService, table: str = TABLE) -> str:
    """The code with which the opening of the next round is refused."""
    with pytest.raises(Problem) as found:
        running.service.rounds.open(table, running.state(table).next_round)
    return found.value.code.text


def test_every_code_has_a_way_here() -> None:
    """So that none is promised which never comes."""
    assert WAYS.keys() | ELSEWHERE == set(KEEP_FROM_OPENING)


@pytest.mark.parametrize("code", WAYS, ids=lambda code: code.text)
def test_what_keeps_a_round_from_being_opened_is_the_code_of_the_call(running: InProcessService, code: Code) -> None:
    """As long as it lasts; before and after that the table is open."""
    for way in WAYS[code]:
        assert why_not(running) == []
        with way(running):
            assert why_not(running) == [refused(running)] == [code.text]
    running.open(TABLE, 1)
    assert why_not(running) == [], "the order of rounds is no reason"


def test_of_several_reasons_the_first_is_the_calls(running: InProcessService) -> None:
    """All are named, and they go one by one; of a halted table nothing else counts."""
    with ahead(running), changed(running), paused(running):
        codes = ["table-paused", "software-changed", "clock-jumped"]
        assert why_not(running) == codes
        assert refused(running) == codes[0]
        with halted(running):
            assert why_not(running) == [refused(running)] == ["table-halted"]


def test_a_table_that_closes_takes_no_more_rounds(running: InProcessService) -> None:
    """From the request on, before its end is in the log, and for ever."""
    request_close(running.service.writer, TABLE)
    assert why_not(running) == [refused(running)] == ["table-closed"]
    running.settle()
    assert why_not(running) == [refused(running)] == ["table-closed"]


def test_a_lead_that_is_not_published_is_a_reason(running: InProcessService) -> None:
    """Of a new table, until its first batch is in the published log."""
    with running.background_paused():
        add_table(running.service.writer, NEW, "keno-express")
        assert why_not(running, NEW) == ["lead-not-published"]
    running.settle()
    assert why_not(running, NEW) == []
    running.open(NEW, 1)
