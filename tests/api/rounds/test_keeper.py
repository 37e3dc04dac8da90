"""The keeper: batches are committed long before they are needed, every round ends, and no table waits for another's
trouble.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.answers.rounds import Ended, Pending
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.batches import needs_batch, size_of_batch
from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from api.rounds.tables import add_table, request_close
from api.server.app import create_app
from api.settings import DEFAULT_TIMEOUT
from api.store import statements as sql
from fairness.limits import MOST_PENDING_BATCHES
from fairness.records.table_state import PendingBatch, TableState
from tests.oracles.whole_log import WholeLog
from tests.support.in_process_service import VOID_REASON, InProcessService
from tests.support.postgres import PostgresServer
from tests.support.scenarios import TABLES

pytestmark = pytest.mark.both_databases("what it commits are rows")

LEADS = (2, 3, 10, 11, 100, 999, 1000)
BATCH_SIZES = (1, 2, 9, 10, 64, 1000, 5000)


@pytest.fixture
def running(tmp_path: Path, server: PostgresServer | None) -> Iterator[InProcessService]:
    """Two tables that can be played."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES, server=server)
    yield made
    made.stop()


@pytest.fixture
def on_a_file(tmp_path: Path) -> Iterator[InProcessService]:
    """The same, with the embedded database, which a rebuild makes again."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES)
    yield made
    made.stop()


def commit(state: TableState, batch_size: int) -> bool:
    """Apply a turn of the keeper to a table's state; returns whether it committed anything."""
    if not needs_batch(state, batch_size):
        return False
    first, count = state.committed_through + 1, size_of_batch(state, batch_size)
    state.batches.append(PendingBatch(0, b"", first, count, [], [], {}, b"", "", 0))
    state.committed_through += count
    return True


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("batch_size", BATCH_SIZES)
def test_a_batch_is_due_long_before_the_lead_needs_it(lead: int, batch_size: int) -> None:
    """An engine may play a whole batch between two turns of the keeper; never more than 64 batches are pending."""
    state = TableState("x", b"", "x", lead, [], "", "", b"")
    while commit(state, batch_size):
        pass
    most, count = len(state.batches), size_of_batch(state, batch_size)
    for _ in range(20):
        for _ in range(count):
            assert state.next_round + lead <= state.committed_through, "the lead blocks the engine"
            state.next_round += 1
            if state.next_round > state.batches[0].last:
                state.batches.pop(0)
        commit(state, batch_size)
        most = max(most, len(state.batches))
    assert most <= min(MOST_PENDING_BATCHES, 5)
    assert state.committed_through - state.next_round <= 2 * lead + 3 * count


@pytest.mark.lattice
@pytest.mark.parametrize("batch_size", [1, 3, 10, 500])
@pytest.mark.parametrize("lead", [2, 10, 200])
def test_an_engine_at_full_speed_is_never_blocked(batch_size: int, lead: int, tmp_path: Path) -> None:
    """While the keeper takes its turns, a table can always open the next round after the last one."""
    running = InProcessService.create(tmp_path / "data", batch_size=batch_size)
    add_table(running.service.writer, "keno", "keno-express", lead=lead)
    running.settle()
    for _ in range(30):
        running.keeper.turn()
        running.play("keno", 2)
    whole = running.check()
    assert whole.tables["keno"].smallest_distance is None or whole.tables["keno"].smallest_distance >= lead
    assert len(whole.tables["keno"].batches) <= MOST_PENDING_BATCHES
    running.stop()


def test_a_smaller_batch_size_is_taken_over_by_a_restart(running: InProcessService) -> None:
    """The setting may change between two starts; the next batches have the new size."""
    running.stop()
    later = running.with_settings(replace(running.settings, batch_size=30))
    later.disk = running.disk
    later.start()
    later.settle()
    later.play("keno-1", 40)
    counts = [batch.count for batch in later.check().tables["keno-1"].batches]
    assert counts[-1] == 30
    later.stop()


def test_an_abandoned_round_is_revealed_as_played_after_the_time_out(running: InProcessService) -> None:
    """Never earlier, and not as void, whatever the engine does later; other tables continue meanwhile."""
    running.open("crash-1", 1)
    outcome = running.lock("crash-1", 1)
    running.open("crash-1", 2)
    running.clock.step(DEFAULT_TIMEOUT - 2)
    running.settle()
    assert running.status("crash-1", 1) == "locked"
    running.play("keno-1")
    running.clock.step(2)
    running.settle()
    assert running.status("crash-1", 1) == "played"
    assert running.reveal("crash-1", 1).outcome == outcome
    with pytest.raises(Problem) as refused:
        running.void("crash-1", 1)
    assert refused.value.code is Code.OUT_OF_ORDER
    running.lock("crash-1", 2)
    running.reveal("crash-1", 2)
    assert running.check().tables["crash-1"].counts.played == 2


def test_each_table_has_its_own_time_out(running: InProcessService) -> None:
    """A table with short flights need not wait as long as another."""
    add_table(running.service.writer, "fast", "keno-express", timeout=5)
    running.settle()
    for name in ("fast", "keno-1"):
        running.open(name, 1)
        running.lock(name, 1)
    running.clock.step(6)
    running.settle()
    assert (running.status("fast", 1), running.status("keno-1", 1)) == ("played", "locked")


@pytest.mark.parametrize("opened", [False, True])
def test_a_round_that_was_given_up_halfway_is_finished(opened: bool, running: InProcessService) -> None:
    """A round that its engine gave up and left ends as void, with its reason."""
    if opened:
        running.open("keno-1", 1)
    with running.background_paused():
        assert isinstance(running.service.rounds.void("keno-1", 1, "gone"), Pending)
    assert running.status("keno-1", 1) == "locked"
    running.settle()
    assert running.status("keno-1", 1) == "locked"
    running.clock.step(GIVEN_UP_GRACE_SECONDS)
    running.settle()
    assert running.void("keno-1", 1, "gone").reason == "gone"
    counts = running.check().tables["keno-1"].counts
    assert (counts.void_opened, counts.void_never_opened) == ((1, 0) if opened else (0, 1))


def test_a_void_that_has_locked_its_round_is_pending_when_its_table_is_halted(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has changed something, so it is no refusal below 500; its repetition changes nothing, and is one."""
    rounds = running.service.rounds
    end = rounds.end

    def end_of_a_halted_table(state: TableState, number: int, *, reason: str | None) -> Ended | Pending:
        running.service.database.write(
            lambda connection: sql.SET_HALTED.run(connection, where_name="keno-1", new_halted="for a test")
        )
        return end(state, number, reason=reason)

    monkeypatch.setattr(rounds, "end", end_of_a_halted_table)
    assert isinstance(rounds.void("keno-1", 1, "gone"), Pending)
    assert running.status("keno-1", 1) == "locked"
    with pytest.raises(Problem) as refused:
        rounds.void("keno-1", 1, "gone")
    assert refused.value.code is Code.TABLE_HALTED


@pytest.mark.parametrize("voided", [False, True])
def test_a_round_has_one_end(voided: bool, running: InProcessService) -> None:
    """A call to reveal or void a round that has ended otherwise meanwhile is refused."""
    running.open("keno-1", 1)
    running.lock("keno-1", 1)
    before = running.state("keno-1")
    answer = running.void("keno-1", 1) if voided else running.reveal("keno-1", 1)
    assert running.service.rounds.end(before, 1, reason=VOID_REASON if voided else None) == answer
    with pytest.raises(Problem) as refused:
        running.service.rounds.end(before, 1, reason=None if voided else VOID_REASON)
    assert refused.value.code is Code.OUT_OF_ORDER


def close(running: InProcessService, table: str) -> WholeLog:
    """Request the end of a table, and give the keeper time for it."""
    request_close(running.service.writer, table)
    for _ in range(6):
        running.settle()
        running.clock.step(GIVEN_UP_GRACE_SECONDS)
    assert running.state(table).closed
    with pytest.raises(Problem) as refused:
        running.open(table, running.state(table).next_round)
    assert refused.value.code is Code.TABLE_CLOSED
    return running.check()


def test_a_table_that_was_never_committed_closes(running: InProcessService) -> None:
    """A table can be closed before its first batch: nothing was promised."""
    add_table(running.service.writer, "dice", "sic-bo")
    request_close(running.service.writer, "dice")
    assert close(running, "dice").tables["dice"].counts.unused == 0


def test_a_table_that_was_never_played_closes(running: InProcessService) -> None:
    """All its rounds are unused, and their seeds public."""
    committed = running.state("crash-1").committed_through
    assert close(running, "crash-1").tables["crash-1"].counts.unused == committed


@pytest.mark.parametrize("rounds", [1, 11, 12, 13, 24])
def test_a_table_closes_in_the_middle_of_a_batch_and_at_its_end(rounds: int, running: InProcessService) -> None:
    """Played and unused rounds add up to all committed ones."""
    for _ in range(rounds):
        running.play("keno-1")
        running.keeper.turn()
    running.settle()
    state = close(running, "keno-1").tables["keno-1"]
    assert (state.counts.played, state.counts.unused) == (rounds, state.committed_through - rounds)


def test_a_table_with_an_open_round_closes(running: InProcessService) -> None:
    """The open round is given up: it is void, in the class of opened rounds."""
    running.open("keno-1", 1)
    counts = close(running, "keno-1").tables["keno-1"].counts
    assert (counts.void_opened, counts.void, counts.played) == (1, 1, 0)


def test_a_table_with_a_locked_round_closes(running: InProcessService) -> None:
    """After the flight the round ends as played, and the open next round is given up."""
    running.open("crash-1", 1)
    running.lock("crash-1", 1)
    running.open("crash-1", 2)
    request_close(running.service.writer, "crash-1")
    running.clock.step(DEFAULT_TIMEOUT - 2)
    running.settle()
    assert running.status("crash-1", 1) == "locked"
    running.clock.step(2)
    counts = close(running, "crash-1").tables["crash-1"].counts
    assert (counts.played, counts.void_opened) == (1, 1)


def test_an_engine_may_finish_its_round_while_the_table_closes(running: InProcessService) -> None:
    """Closing does not affect a locked round: its engine reveals it, or learns that the keeper did."""
    running.open("crash-1", 1)
    running.lock("crash-1", 1)
    request_close(running.service.writer, "crash-1")
    running.settle()
    running.reveal("crash-1", 1)
    assert close(running, "crash-1").tables["crash-1"].counts.played == 1


def test_a_close_waits_for_its_published_end(running: InProcessService) -> None:
    """The last seeds leave the custodian only when the log says that the table takes no more rounds."""
    request_close(running.service.writer, "keno-1")
    running.keeper.turn()
    assert running.state("keno-1").ended
    for _ in range(3):
        running.keeper.turn()
        assert not running.state("keno-1").closed
    running.turn()
    running.keeper.turn()
    assert running.state("keno-1").closed


def test_a_table_without_its_seeds_does_not_stop_the_others(
    running: InProcessService, caplog: pytest.LogCaptureFixture
) -> None:
    """Its trouble is logged once, and its locked round visibly hangs; the other table continues."""
    running.open("crash-1", 1)
    running.lock("crash-1", 1)
    anchors = [anchor for batch in running.state("crash-1").batches for anchor in batch.anchors]
    running.stop()
    with closing(sqlite3.connect(running.settings.secrets)) as store, store:
        for anchor in anchors:
            assert store.execute("DELETE FROM chains WHERE anchor = ?", (anchor,)).rowcount == 1
    running.start()
    running.clock.step(DEFAULT_TIMEOUT)
    with caplog.at_level(logging.ERROR, "foredraw.keeper"):
        running.settle()
        running.settle()
    assert [record.getMessage().split(":")[0] for record in caplog.records] == ["table crash-1"]
    with pytest.raises(Problem) as refused:
        running.reveal("crash-1", 1)
    assert refused.value.code is Code.SEEDS_UNAVAILABLE
    for _ in range(20):
        running.play("keno-1")
        running.keeper.turn()
    whole = running.check()
    assert whole.tables["crash-1"].locked is not None
    assert whole.tables["keno-1"].counts.played == 20


@pytest.mark.parametrize(
    "damage",
    [b"\0", "[]", '{"version":2}', '{"version":"1"}'],
    ids=["no JSON", "no rules", "unknown", "no number"],
)
def test_damaged_rules_stop_the_batches_of_their_own_table_only(
    on_a_file: InProcessService, damage: bytes | str, caplog: pytest.LogCaptureFixture
) -> None:
    """Committed rounds are played, by the rules in the log; a rebuild repairs the row."""
    client = create_app(on_a_file.service).test_client()
    assert on_a_file.tamper("UPDATE tables SET rules = ? WHERE name = 'keno-1'", damage) == 1
    through = {name: on_a_file.state(name).committed_through for name in ("crash-1", "keno-1")}
    told = "table keno-1: its rules in the database are damaged"
    while on_a_file.state("crash-1").committed_through == through["crash-1"] or told not in caplog.text:
        on_a_file.play("crash-1")
        on_a_file.play("keno-1")
        on_a_file.settle()
    assert on_a_file.state("keno-1").committed_through == through["keno-1"]
    assert caplog.text.count(told) == 1
    for path in ("", "/bets"):
        answer = client.get(f"/v1/tables/keno-1{path}")
        assert (answer.status_code, answer.get_json()["code"]) == (409, "table-halted")
    on_a_file.stop()
    rebuild(on_a_file.settings)
    on_a_file.start()
    on_a_file.settle()
    assert on_a_file.state("keno-1").committed_through > through["keno-1"]
    on_a_file.play("keno-1")
    on_a_file.check()


@pytest.mark.parametrize(
    "damage", ["x'00'", "'{}'", "x'7b226e616d65223a22ff227d'"], ids=["no JSON", "no state", "no text"]
)
@pytest.mark.parametrize(
    "column",
    ["tables SET queued_state = {} WHERE name", 'appended SET state = {} WHERE "table"'],
    ids=["queued", "appended"],
)
def test_a_damaged_row_stops_its_own_table_only(
    on_a_file: InProcessService, column: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither keeper nor sequencer ends: the other table is played and gets committed rounds; a rebuild repairs the
    row.
    """
    assert on_a_file.tamper(f"UPDATE {column.format(damage)} = 'keno-1'") == 1
    on_a_file.restart()
    through = on_a_file.state("crash-1").committed_through
    while on_a_file.state("crash-1").committed_through == through:
        on_a_file.play("crash-1")
        on_a_file.settle()
    with pytest.raises(Problem) as caught:
        on_a_file.open("keno-1", 1)
    assert caught.value.code is Code.TABLE_HALTED
    assert "run `foredraw rebuild`" in caught.value.detail
    assert "keno-1" in caplog.text
    on_a_file.stop()
    rebuild(on_a_file.settings)
    on_a_file.start()
    on_a_file.play("keno-1")
    on_a_file.check()
