"""Waiting for publication: woken once, never too early, never forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.log.publication import Publication
from api.world.published.log_folder import LogFolder
from fairness.errors import CheckFailed
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.round.authentic_log import AuthenticLog
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.both_databases("positions are rows that several processes change")

KEY = SigningKey("fore.example/log", sha256(b"a key for these tests"))
PATIENCE = 30.0


class Log:
    """A log of meaningless records."""

    def __init__(self, folder: Path) -> None:
        self.folder = LogFolder(folder)
        self.edge = LogEdge()
        self.publication = Publication(self.folder, KEY.verifier_key)

    def publish(self) -> None:
        """Append a record, and publish it."""
        files = [*self.edge.append(f"record {self.edge.size}".encode()), *self.edge.partial_files()]
        for path, data in files:
            self.folder.write_soon(path, data)
        checkpoint = Checkpoint(KEY.name, self.edge.size, self.edge.root)
        self.folder.write("checkpoint", checkpoint.sign(KEY))

    def has(self, size: int) -> Callable[[AuthenticLog], bool | None]:
        """A query whether this many records are published."""
        return lambda log: log.size >= size or None


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log with one record."""
    made = Log(tmp_path)
    made.publish()
    return made


def test_what_holds_already_is_answered_at_once(log: Log) -> None:
    """A wait for something published returns immediately."""
    assert log.publication.wait_for(log.has(1), PATIENCE)


def test_a_wait_ends_with_its_publication(log: Log) -> None:
    """A waiter is woken by the checkpoint that satisfies its condition, not by an earlier one."""
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(log.publication.wait_for, log.has(3), PATIENCE)
        log.publish()
        assert log.publication.wait_for(log.has(2), PATIENCE)
        assert not waiting.done()
        log.publish()
        assert waiting.result(PATIENCE)


def test_a_wait_ends_with_its_patience(log: Log) -> None:
    """If nothing is published in time, the result is `None`, neither early nor much later."""
    begun = time.monotonic()
    assert not log.publication.wait_for(log.has(2), 0.1)
    assert 0.1 <= time.monotonic() - begun < PATIENCE / 3
    assert not log.publication.wait_for(log.has(2), 0)


def test_an_error_reaches_the_one_who_asked_and_nobody_else(log: Log) -> None:
    """A condition that raises does so in its own caller; other waiters continue to wait."""

    def raises(_log: AuthenticLog) -> bool:
        raise LookupError("this question has no answer")

    with ThreadPoolExecutor() as pool:
        beside = pool.submit(log.publication.wait_for, log.has(2), PATIENCE)
        with pytest.raises(LookupError, match="no answer"):
            log.publication.wait_for(raises, PATIENCE)
        log.publish()
        assert beside.result(PATIENCE)


def test_a_forged_checkpoint_publishes_nothing(log: Log) -> None:
    """A checkpoint signed by another key is an error, never a result."""
    other = SigningKey(KEY.name, sha256(b"another key"))
    log.edge.append(b"record 1")
    log.folder.write("checkpoint", Checkpoint(KEY.name, log.edge.size, log.edge.root).sign(other))
    with pytest.raises(CheckFailed):
        log.publication.wait_for(log.has(2), PATIENCE)


def test_many_wait_for_different_things(log: Log) -> None:
    """A hundred waits, each for another size, end in the order of publication, each exactly when its size is
    published.
    """
    seen: list[tuple[int, int]] = []

    def wait(size: int) -> bool:
        answer = log.publication.wait_for(log.has(size), PATIENCE)
        seen.append((size, log.publication.size))
        return bool(answer)

    with ThreadPoolExecutor(100) as pool:
        waits = [pool.submit(wait, size) for size in range(2, 102)]
        for _ in range(100):
            log.publish()
        assert all(waiting.result(PATIENCE) for waiting in waits)
    assert len(seen) == 100
    assert all(published >= size for size, published in seen)


def test_no_wake_up_is_lost(log: Log) -> None:
    """However waits begin and end around a publication, none misses it."""
    most, stop, ready = 150, threading.Event(), threading.Barrier(7)

    def follow() -> int:
        waits = 0
        ready.wait(PATIENCE)
        while (size := log.publication.size) < most and not stop.is_set():
            assert log.publication.wait_for(log.has(size + 1), PATIENCE)
            waits += 1
        return waits

    def come_and_go() -> None:
        while not stop.is_set():
            assert log.publication.wait_for(log.has(1), PATIENCE)
            log.publication.wait_for(log.has(most + 1), 0.001)

    with ThreadPoolExecutor(8) as pool:
        others = [pool.submit(come_and_go) for _ in range(2)]
        followers = [pool.submit(follow) for _ in range(6)]
        ready.wait(PATIENCE)
        try:
            while log.edge.size < most:
                log.publish()
            assert all(follower.result(PATIENCE) for follower in followers)
        finally:
            stop.set()
        for other in others:
            other.result(PATIENCE)


def test_who_watches_outlasts_a_folder_that_cannot_be_read(log: Log) -> None:
    """While the folder is missing nothing is published; when it is back, waits continue as before."""
    away = log.folder.folder.with_name("away")
    log.folder.folder.rename(away)
    log.folder.folder.write_text("not a folder", encoding="ascii")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(log.publication.wait_for, log.has(2), PATIENCE)
        assert not log.publication.wait_for(log.has(2), 0.05)
        log.folder.folder.unlink()
        away.rename(log.folder.folder)
        log.publish()
        assert waiting.result(PATIENCE)


def test_locks_and_batches_are_published_with_their_checkpoint(tmp_path: Path) -> None:
    """A lock or a batch counts from the checkpoint that contains it, not from the queue."""
    running = InProcessService.create(tmp_path / "data", tables=[("keno-1", "keno-express")])
    log = LogFolder(running.settings.log)
    seen = Publication(log, running.key)
    state = running.state("keno-1")
    last, table_id = state.committed_through, state.table_id
    first = state.batches[0].batch_id
    assert seen.has_batch(first, table_id, 1)
    assert seen.has_batch(state.batches[-1].batch_id, table_id, last)
    seen = Publication(log, running.key)
    assert not seen.has_batch(sha256(b"another batch"), table_id, 1)
    assert not seen.has_batch(first, table_id, last + 1)
    assert not seen.has_batch(first, sha256(b"no table"), 1)
    running.open("keno-1", 1)
    assert seen.lock(table_id, 1) is None
    running.lock("keno-1", 1)
    assert seen.lock(table_id, 1) is not None
    running.reveal("keno-1", 1)
    while running.state("keno-1").committed_through == last:
        with running.background_paused():
            running.keeper.turn()
            newest = running.state("keno-1").batches[-1].batch_id
            assert not seen.has_batch(newest, table_id, last + 1)
        running.settle()
        if running.state("keno-1").committed_through == last:
            running.play("keno-1")
    assert seen.has_batch(running.state("keno-1").batches[-1].batch_id, table_id, last + 1)
    running.stop()
