"""The custodian's marks: how far each table's seeds were released, durable before each release."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from api.custody.mark import Mark
from api.custody.seed_store import SeedStore, SeedsUnavailableError
from api.rounds.tables import request_close
from api.sql.sqlite import SqliteDatabase
from api.world.file_lock import FileLock
from fairness.hashing import leaf_hash
from fairness.log.tiles import bundles_of, read_bundle
from fairness.records.record import EndRecord, LockRecord, parse_record
from tests.support.faulty_world import Fault, Faults, When
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("marks are rows that are only raised")

CRASH, KENO = "crash-1", "keno-1"
TABLES = ((CRASH, "crash"), (KENO, "keno-express"))
MANY = [f"table-{number}" for number in range(8)]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with some rounds."""
    made = InProcessService.create(tmp_path / "data", tables=TABLES)
    made.play(CRASH, 3)
    made.play(KENO, 2)
    made.settle()
    yield made
    made.stop()


def test_a_store_of_another_version_is_no_damaged_one(tmp_path: Path) -> None:
    """One from before the first release, whose column has another name: the sentence names another folder."""
    path = tmp_path / "custodian" / "seeds.db"
    SeedStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('ALTER TABLE marks RENAME COLUMN "table" TO name')
    with (
        closing(SeedStore(path)) as store,
        pytest.raises(SeedsUnavailableError, match=r"seeds\.db is of another version .*another folder .*DATA=other"),
    ):
        store.marks()


def marks(running: InProcessService) -> dict[str, Mark]:
    """The marks in the store, read from the file as by another process."""
    with closing(SeedStore(running.settings.secrets)) as store:
        return {mark.table: mark for mark in store.marks()}


def records(running: InProcessService) -> list[bytes]:
    """The published log."""
    read = running.service.log.read
    return [data for number, width in bundles_of(0, running.size) for data in read_bundle(read, number, width)]


def test_a_mark_names_the_lock_that_freed_the_last_seed(running: InProcessService) -> None:
    """By its index and its hash, under the table's id; for played, void and given-up rounds alike."""
    number = running.state(KENO).next_round
    running.void(KENO, number)
    running.settle()
    data = records(running)
    for name, last in ((CRASH, 3), (KENO, number)):
        mark = marks(running)[name]
        assert (mark.table_id, mark.round) == (running.state(name).table_id, last)
        record = parse_record(data[mark.position])
        assert isinstance(record, LockRecord)
        assert (record.table, record.round, leaf_hash(data[mark.position])) == (name, last, mark.leaf)


def test_the_mark_of_a_closed_table_is_its_end(running: InProcessService) -> None:
    """Because its last seeds give all seeds of its committed rounds."""
    request_close(running.service.writer, KENO)
    running.settle()
    state, mark = running.state(KENO), marks(running)[KENO]
    assert state.closed
    assert mark.round == state.committed_through
    record = parse_record(records(running)[mark.position])
    assert isinstance(record, EndRecord)
    running.restart()


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_seed_leaves_without_a_durable_mark(when: When, running: InProcessService) -> None:
    """If its commit fails, the engine gets no outcome; a repeated call, also after a restart, gets the same
    outcome.
    """
    faults = Faults(only="seal")
    running.restart(faults)
    number = running.state(CRASH).next_round
    running.open(CRASH, number)
    faults.arm(1, when)
    with pytest.raises(Fault):
        running.lock(CRASH, number)
    assert (CRASH, number) not in running.told
    assert marks(running)[CRASH].round == (number if when == "after" else number - 1)
    running.restart()
    running.lock(CRASH, number)
    assert marks(running)[CRASH].round == number
    running.reveal(CRASH, number)


def test_a_mark_is_never_lowered(running: InProcessService) -> None:
    """Even if a process writes a lower round later, the highest one stays."""
    mark = marks(running)[CRASH]
    with closing(SeedStore(running.settings.secrets)) as store:
        store.raise_mark(Mark(mark.table_id, CRASH, mark.round - 1, 1, bytes(32)))
        store.raise_mark(Mark(mark.table_id, CRASH, mark.round, 1, bytes(32)))
    assert marks(running)[CRASH] == mark


def test_a_store_of_an_older_version_gets_its_marks(running: InProcessService) -> None:
    """A service without marks starts, plays, and has them from the next release on."""
    running.stop()
    with closing(sqlite3.connect(running.settings.secrets)) as connection:
        connection.execute("DROP TABLE marks")
    running.start()
    assert marks(running) == {}
    running.play(CRASH)
    assert {name: mark.round for name, mark in marks(running).items()} == {CRASH: 4}
    running.restart()
    running.play(KENO)


def test_releases_that_wait_share_one_commit(tmp_path: Path) -> None:
    """Group commit: all tables that are locked at the same time wait for the disk once."""
    running = InProcessService.create(tmp_path / "data", tables=[(name, "crash") for name in MANY])
    faults = Faults(only="seal")
    running.restart(faults)
    with running.background_paused():
        for name in MANY:
            running.service.rounds.open(name, 1)
            running.locking(name, 1)
    running.turn()
    custodian, states = running.service.custodian, running.states()
    store = custodian._store._database
    assert isinstance(store, SqliteDatabase)
    seeds: dict[str, bytes] = {}

    def release_first(name: str) -> None:
        state = states[name]
        lock = running.service.publication.lock(state.table_id, 1)
        assert lock is not None
        (seeds[name],) = running.service.seeds.release(state, state.batches[0], 1, lock)

    threads = [threading.Thread(target=release_first, args=[name]) for name in MANY]
    before = len(faults.seen)
    # Another process holds the lock until all are waiting.
    with closing(FileLock(running.settings.secrets.with_name("write.lock"))) as other, other.held():
        for thread in threads:
            thread.start()
        while len(store._waiting) < len(MANY):
            assert all(thread.is_alive() for thread in threads)
        assert seeds == {}
    for thread in threads:
        thread.join()
    assert len(seeds) == len(MANY)
    assert len(faults.seen) - before == 1
    assert {mark.round for mark in marks(running).values()} == {1}
    running.stop()
