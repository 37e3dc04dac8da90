"""Voiding by two people: who may confirm what, until when, and what the journal has of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.journal.chain import entries, verify
from api.programs.cli import main
from api.rounds.second_person import NotConfirmedError, ask_to_void, confirm_void
from tests.support.databases import variables_of
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("what waits for a second person is a row")

TABLE, WITHIN = "keno-1", timedelta(minutes=15)
ANI, ARAM = "account foredraw (sudo ani)", "account foredraw (sudo aram)"
REASON = "the wheel stuck"


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table, and two open rounds to be voided, one after the other."""
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express"), ("keno-2", "keno-express")])
    made.open(TABLE, 1)
    yield made
    made.stop()


def ask(inside: InProcessService, number: int = 1, *, by: str = ANI, table: str = TABLE) -> str:
    return ask_to_void(inside.service.writer, table, number, REASON, by=by, within=WITHIN)


def confirm(inside: InProcessService, number: int = 1, *, by: str = ARAM) -> object:
    return confirm_void(inside.service.writer, inside.service.rounds, TABLE, number, by=by)


def test_one_asks_and_another_one_voids(inside: InProcessService) -> None:
    """Until then the round is as it was; the journal names both, and its chain is whole."""
    ask(inside)
    assert inside.status(TABLE, 1) == "open"
    confirm(inside)
    assert inside.status(TABLE, 1) == "void"
    *_, asked, voided = entries(inside.service.database)
    assert (asked.who, asked.act, asked.subject, asked.reason) == (ANI, "round-void-ask", TABLE, REASON)
    assert (voided.who, voided.act, voided.subject, voided.reason) == (ARAM, "round-void", TABLE, REASON)
    assert json.loads(voided.after or "") == {"asked_by": ANI, "round": 1, "status": "void"}
    verify(inside.service.database)
    inside.check()


@pytest.mark.parametrize("by", [ANI, "account root (sudo ani)", "account ani"])
def test_whoever_asked_does_not_confirm(inside: InProcessService, by: str) -> None:
    """Nothing happens to the round, under whichever account the same person runs the command."""
    ask(inside)
    with pytest.raises(NotConfirmedError, match="somebody else has to confirm"):
        confirm(inside, by=by)
    assert inside.status(TABLE, 1) == "open"


def test_a_request_that_expired_is_not_confirmed(inside: InProcessService) -> None:
    """A new one is good again, until its last second."""
    until = ask(inside)
    inside.clock.step(WITHIN.total_seconds() + 1)
    with pytest.raises(NotConfirmedError, match=f"until {until}: ask again"):
        confirm(inside)
    assert inside.status(TABLE, 1) == "open"
    ask(inside)
    inside.clock.step(WITHIN.total_seconds() - 1)
    confirm(inside)
    assert inside.status(TABLE, 1) == "void"


@pytest.mark.parametrize("case", ["none", "another round", "another table", "replaced"])
def test_only_what_was_asked_is_confirmed(inside: InProcessService, case: str) -> None:
    """Of a table the last request counts."""
    if case == "another table":
        ask(inside, table="keno-2")
    elif case != "none":
        ask(inside)
    if case == "replaced":
        ask(inside, 2)
    with pytest.raises(NotConfirmedError, match="nobody has asked"):
        confirm(inside, 2 if case == "another round" else 1)
    assert inside.status(TABLE, 1) == "open"


def test_the_program_asks_if_the_setting_wants_it(inside: InProcessService) -> None:
    """The person is whom sudo acts for; nobody confirms alone, and another one does."""
    # The program uses the machine's clock.
    inside.clock.step((datetime.now(UTC) - inside.clock.date).total_seconds())
    inside.settle()
    folder = inside.settings.folder

    def run(person: str, *arguments: str) -> tuple[int, str]:
        environment = {"FOREDRAW_VOID_CONFIRMED_WITHIN": "900", "SUDO_USER": person, **variables_of(folder)}
        words = ["--data", str(folder), "round", *arguments]
        done = CliRunner(env=environment).invoke(main, words)
        return done.exit_code, done.output

    status, said = run("ani", "void", TABLE, "1", "--reason", REASON)
    assert (status, f"foredraw round confirm {TABLE} 1" in said) == (0, True)
    status, said = run("ani", "confirm", TABLE, "1")
    assert (status, "somebody else" in said) == (1, True)
    assert inside.status(TABLE, 1) == "open"
    status, said = run("aram", "confirm", TABLE, "1")
    # Nobody publishes between two turns of the sequencer in this test; the command is repeated after it.
    assert (status, "is locked as given up, but not published" in said) == (1, True)
    inside.settle()
    status, said = run("aram", "confirm", TABLE, "1")
    assert (status, f"{TABLE} round 1 is void. Its code: " in said) == (0, True), said
    assert inside.status(TABLE, 1) == "void"


def test_the_setting_is_a_number_of_seconds() -> None:
    """Of a day at most."""
    for text in ("0", "x", "86401"):
        done = CliRunner(env={"FOREDRAW_VOID_CONFIRMED_WITHIN": text}).invoke(main, ["key", "show"])
        assert done.exit_code == 1
        assert "expected 1 to 86400 seconds" in done.output
