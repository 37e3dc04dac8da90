"""What an operator changes at a table in play: the next rules, the time-out, pauses, and the halt of all tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.journal.chain import entries
from api.operations.overview import TableNow
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.control import pause_table, set_table, stop_tables
from api.rounds.reading import status_of_tables
from api.rounds.tables import TableRefusedError, add_table, request_close
from api.settings import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from api.store import statements as sql
from fairness.records.record import BatchRecord, Record, RevealRecord
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.ran import Ran

pytestmark = pytest.mark.both_databases("what stops a table is a row")

CRASH, KENO = "crash-1", "keno-1"
TIGHT = {"cap": 500000, "rtp": 9600, "version": 1}
USUAL = {"cap": 1000000, "rtp": 9700, "version": 1}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with two tables that can be played."""
    made = InProcessService.create(tmp_path / "data", tables=[(CRASH, "crash"), (KENO, "keno-express")])
    yield made
    made.stop()


def refusal(running: InProcessService, table: str, number: int) -> Problem:
    """How the service refuses to open a round."""
    with pytest.raises(Problem) as refused:
        running.service.rounds.open(table, number)
    return refused.value


def told(running: InProcessService) -> list[tuple[str, str, str | None]]:
    """The acts since the tables were added, with their subjects and reasons."""
    return [(row.act, row.subject, row.reason) for row in entries(running.service.database)][3:]


def now(running: InProcessService, table: str) -> TableNow:
    """A table as the operator's page has it."""
    return next(each for each in running.service.observer.overview().tables if each.state.name == table)


def rules_of(records: list[Record]) -> list[tuple[int, dict[str, int]]]:
    """The first round of each batch of `CRASH`, and its rules."""
    batches = [record for record in records if isinstance(record, BatchRecord) and record.table == CRASH]
    return [(batch.first, dict(batch.rules)) for batch in batches]


def audited(running: InProcessService, capsys: pytest.CaptureFixture[str]) -> Ran:
    """An audit of the whole log, with the log's key; it must hold."""
    running.check()
    ran = Ran(capsys, "audit", running.settings.log, "--key", str(running.key), "--json")
    assert ran.status == 0, ran.output
    return ran


# Pauses


@pytest.mark.parametrize("everywhere", [False, True], ids=["pause", "halt"])
def test_a_paused_table_opens_no_round_and_plays_the_running_ones_to_their_end(
    everywhere: bool,
    running: InProcessService,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A locked round and an open one go on, with every repetition; then `open` has a code of its own, and audits
    hold.
    """
    running.open(CRASH, 1)
    running.lock(CRASH, 1)
    running.open(CRASH, 2)
    writer = running.service.writer
    assert stop_tables(writer, stopped=True) if everywhere else pause_table(writer, CRASH, paused=True)
    running.open(CRASH, 2)
    running.reveal(CRASH, 1)
    running.lock(CRASH, 2)
    problem = refusal(running, CRASH, 3)
    assert (problem.code, problem.code.status) == (Code.TABLE_PAUSED, 409)
    assert ("resume --all" if everywhere else f"table resume {CRASH}") in problem.detail
    running.reveal(CRASH, 2)
    assert refusal(running, CRASH, 3).code is Code.TABLE_PAUSED
    assert now(running, CRASH).condition == "paused"
    # A call that was wrong anyway is told what is wrong with it.
    assert refusal(running, CRASH, 7).code is Code.OUT_OF_ORDER
    if everywhere:
        assert refusal(running, KENO, 1).code is Code.TABLE_PAUSED
    else:
        running.play(KENO)
    audited(running, capsys)
    assert stop_tables(writer, stopped=False) if everywhere else pause_table(writer, CRASH, paused=False)
    running.play(CRASH, 3)
    running.play(KENO)
    assert now(running, CRASH).condition == "playing"
    audited(running, capsys)


def test_a_round_that_is_abandoned_during_a_pause_is_revealed_and_batches_are_committed(
    running: InProcessService, capsys: pytest.CaptureFixture[str]
) -> None:
    """The keeper works on; a round may be voided, too."""
    running.play(CRASH, 11)
    running.open(CRASH, 12)
    running.lock(CRASH, 12)
    stop_tables(running.service.writer, stopped=True)
    ahead = running.state(CRASH).committed_through
    running.clock.step(timedelta(seconds=DEFAULT_TIMEOUT + 1).total_seconds())
    running.settle()
    assert running.status(CRASH, 12) == "played"
    assert running.state(CRASH).committed_through >= ahead
    running.void(KENO, 1)
    audited(running, capsys)


def test_a_long_pause_accuses_nobody(running: InProcessService, capsys: pytest.CaptureFixture[str]) -> None:
    """To an audit a paused table is one that nobody plays: with a newer log it says so, and the verdict holds."""
    running.play(CRASH)
    running.play(KENO)
    pause_table(running.service.writer, CRASH, paused=True)
    running.clock.step(timedelta(hours=30).total_seconds())
    running.service.timekeeper.confirm(running.clock.moment())
    running.play(KENO)
    document = audited(running, capsys).json
    assert [table["table"] for table in document["silent"]] == [CRASH]


def test_a_halt_leaves_pauses_of_single_tables_and_holds_new_tables(running: InProcessService) -> None:
    """`resume --all` ends the halt alone; a table that is added meanwhile waits, too."""
    writer = running.service.writer
    assert pause_table(writer, KENO, paused=True)
    assert not pause_table(writer, KENO, paused=True)
    assert stop_tables(writer, stopped=True)
    assert not stop_tables(writer, stopped=True)
    add_table(writer, "late-1", "keno-express")
    running.settle()
    assert {status.state.name for status in status_of_tables(writer.database) if status.paused} == {
        CRASH,
        KENO,
        "late-1",
    }
    assert stop_tables(writer, stopped=False)
    running.play(CRASH)
    running.play("late-1")
    assert refusal(running, KENO, 1).code is Code.TABLE_PAUSED
    assert pause_table(writer, KENO, paused=False)
    running.play(KENO)
    acts = ["table-pause", "halt", "table-add", "resume", "table-resume"]
    assert [act for act, _, _ in told(running)] == acts


def test_a_halt_of_no_table_holds_those_that_are_added(tmp_path: Path) -> None:
    """Also after a rebuild, until `resume --all`."""
    running = InProcessService.create(tmp_path / "data", tables=[])
    assert stop_tables(running.service.writer, stopped=True)
    assert not stop_tables(running.service.writer, stopped=True)
    running.stop()
    assert rebuild(running.settings).lost == []
    running.start()
    add_table(running.service.writer, KENO, "keno-express")
    running.settle()
    assert refusal(running, KENO, 1).code is Code.TABLE_PAUSED
    assert stop_tables(running.service.writer, stopped=False)
    assert not stop_tables(running.service.writer, stopped=False)
    add_table(running.service.writer, CRASH, "crash")
    running.settle()
    running.play(KENO)
    running.play(CRASH)
    running.stop()


def test_a_paused_table_can_be_closed_and_a_closed_one_cannot_be_paused(running: InProcessService) -> None:
    """Closing needs no round to be opened."""
    writer = running.service.writer
    pause_table(writer, KENO, paused=True)
    request_close(writer, KENO)
    running.settle()
    assert running.state(KENO).closed
    assert now(running, KENO).condition == "closed"
    for refused in (lambda: pause_table(writer, KENO, paused=True), lambda: set_table(writer, KENO, timeout=9)):
        with pytest.raises(TableRefusedError, match="takes no more rounds"):
            refused()


@pytest.mark.one_database("tests/api/store/postgres has a rebuild on a server")
def test_pauses_survive_a_rebuild(running: InProcessService) -> None:
    """A rebuilt service opens no round that its operator has paused; a lost setting is named."""
    pause_table(running.service.writer, CRASH, paused=True)
    stop_tables(running.service.writer, stopped=True)
    running.stop()
    assert rebuild(running.settings).lost == []
    running.start()
    stop_tables(running.service.writer, stopped=False)
    assert refusal(running, CRASH, 1).code is Code.TABLE_PAUSED
    running.play(KENO)


# Rules and time-out


def test_rules_hold_from_the_next_batch_on(running: InProcessService, capsys: pytest.CaptureFixture[str]) -> None:
    """Committed rounds keep rules and seeds, the log has both rules, and an audit reports the change and holds."""
    before = rules_of(running.check().records)
    assert [rules for _, rules in before] == [USUAL] * len(before)
    set_table(running.service.writer, CRASH, rules=TIGHT)
    for _ in range(30):
        running.play(CRASH)
        running.settle()
    records = running.check().records
    after = rules_of(records)
    assert after[: len(before)] == before
    assert [rules for _, rules in after[len(before) :]] == [TIGHT] * (len(after) - len(before))
    assert len(after) > len(before)
    assert sum(isinstance(record, RevealRecord) for record in records) == 30
    assert "rules" in audited(running, capsys).output


def test_a_batch_in_the_making_when_rules_are_set_is_not_committed_under_the_old_ones(
    running: InProcessService,
) -> None:
    """Every batch whose record comes after the entry of the journal has the new rules."""
    running.play(CRASH, 12)
    state = running.state(CRASH)
    set_table(running.service.writer, CRASH, rules=TIGHT)
    running.service.batches.commit(state, USUAL)
    assert running.state(CRASH).committed_through == state.committed_through
    running.service.batches.commit(state, TIGHT)
    assert running.state(CRASH).committed_through > state.committed_through
    running.check()


def test_a_time_out_holds_at_once_and_is_not_made_shorter_during_a_flight(running: InProcessService) -> None:
    """A shorter one could reveal a round while it is still shown."""
    writer = running.service.writer
    running.open(CRASH, 1)
    running.lock(CRASH, 1)
    with pytest.raises(TableRefusedError, match="round 1 of crash-1 is locked"):
        set_table(writer, CRASH, timeout=60)
    set_table(writer, CRASH, timeout=600)
    running.clock.step(DEFAULT_TIMEOUT + 1)
    running.settle()
    assert running.status(CRASH, 1) == "locked"
    running.clock.step(300)
    running.settle()
    assert running.status(CRASH, 1) == "played"
    set_table(writer, CRASH, timeout=60)
    assert now(running, CRASH).timeout == 60


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rules": {"version": 1}}, "the rules of crash are"),
        ({"timeout": 0}, "a time-out is 1 to"),
        ({"timeout": LONGEST_TIMEOUT + 1}, "a time-out is 1 to"),
    ],
)
def test_what_no_table_can_have_is_refused(change: dict[str, Any], words: str, running: InProcessService) -> None:
    """With the words of `table add`, and nothing is changed or noted."""
    with pytest.raises(TableRefusedError, match=words):
        set_table(running.service.writer, CRASH, **change)
    with running.service.database.read() as connection:
        row = sql.ONE_TABLE.one(connection, name=CRASH)
    assert (row.timeout, json.loads(row.rules)) == (DEFAULT_TIMEOUT, USUAL)
    assert told(running) == []


# The commands


def test_the_commands_do_this_and_note_the_reason(running: InProcessService) -> None:
    """Each says what it did, or that there was nothing to do; `table list` shows what is paused."""
    folder = running.settings.folder

    def said(*arguments: str) -> str:
        ran = foredraw(folder, *arguments)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert said("table", "pause", KENO, "--reason", "new wheel") == f"Table {KENO} is paused.\n"
    assert said("table", "pause", KENO) == f"Table {KENO} is paused already.\n"
    assert [line.endswith(", paused") for line in said("table", "list").splitlines()] == [False, True]
    assert said("table", "resume", KENO) == f"Table {KENO} is resumed.\n"
    assert said("table", "resume", KENO) == f"Table {KENO} was not paused.\n"
    assert "until `foredraw resume --all`" in said("halt", "--all", "--reason", "an alarm")
    assert said("halt", "--all") == "All tables are halted already.\n"
    assert "but for those paused by name" in said("resume", "--all", "--reason", "it was false")
    assert said("resume", "--all") == "The tables were not halted.\n"
    assert f"Table {CRASH} is set" in said("table", "set", CRASH, "--timeout", "60", "--rules", json.dumps(TIGHT))
    assert told(running) == [
        ("table-pause", KENO, "new wheel"),
        ("table-resume", KENO, None),
        ("halt", "all tables", "an alarm"),
        ("resume", "all tables", "it was false"),
        ("table-set", CRASH, None),
    ]
    (last,) = (row for row in entries(running.service.database) if row.act == "table-set")
    assert json.loads(last.before or "") == {"rules": USUAL, "timeout": DEFAULT_TIMEOUT}
    assert json.loads(last.after or "") == {"rules": TIGHT, "timeout": 60}


@pytest.mark.parametrize(
    "arguments",
    [["table", "set", CRASH], ["halt"], ["resume"], ["halt", "--all", "--reason", ""], ["table", "pause"]],
    ids=" ".join,
)
def test_a_command_without_what_it_needs_does_nothing(arguments: list[str], running: InProcessService) -> None:
    """It says what is missing."""
    assert foredraw(running.settings.folder, *arguments).returncode == 2
    assert told(running) == []
