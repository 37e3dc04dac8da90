"""A worker's share of an audit: what it reads and when, what it keeps, and what it returns."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed, Unreadable
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import bundle_path, tile_path
from games import GAMES
from tests.lies import history, started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.logs import audited, long_log
from verifier.audit import audit, processes
from verifier.audit import partition as shares
from verifier.audit.audit import audit_log, replay_log
from verifier.audit.partition import Partition, PartResult, ReportDone, run_partition
from verifier.audit.processes import jobs_for
from verifier.caveats import report_caveats
from verifier.failures import Failure, Obstacle
from verifier.sentences import NotChecked
from verifier.sources.limits import FILES_AHEAD
from verifier.sources.read_ahead import ReadAhead, paths_of_partition
from verifier.sources.source import FolderSource

PATIENCE = 30.0


class Reading:
    """A source that remembers what was read, in order."""

    def __init__(self, folder: Path) -> None:
        self._source, self.paths = FolderSource(folder), list[str]()

    @property
    def address(self) -> str:
        """Where the files come from."""
        return self._source.address

    def read(self, path: str) -> bytes:
        """Read the file, and remember that it was read."""
        self.paths.append(path)
        return self._source.read(path)


def share_of(
    folder: Path, number: int = 0, workers: int = 1, *, start: int = 0, shares_hashes: bool = True
) -> Partition:
    """One worker's share of the audit of a folder."""
    checkpoint = Checkpoint.open((folder / "checkpoint").read_bytes(), KEY.verifier_key)
    size, root = checkpoint.size, checkpoint.root
    return Partition(checkpoint.origin, size, root, start, size, number, workers, shares_hashes, {}, {}, {})


def run(folder: Path, number: int = 0, workers: int = 1) -> PartResult:
    """What that worker finds."""
    return run_partition(share_of(folder, number, workers), FolderSource(folder), GAMES, lambda _: None)


def test_an_error_passes_between_processes_whole() -> None:
    """Serialised and read again, it is the same error."""
    failed = CheckFailed(Check.BUNDLE, expected="a hash", found="another", index=7, where="tile/entries/000")
    again = Failure.of(failed).error()
    assert (again.check, again.expected, again.found) == (Check.BUNDLE, "a hash", "another")
    assert (again.index, again.where, str(again)) == (7, "tile/entries/000", str(failed))
    unreadable = Obstacle("tile/0/000", "no such file").error()
    assert (unreadable.path, unreadable.why) == ("tile/0/000", "no such file")
    assert str(unreadable) == str(Unreadable("tile/0/000", "no such file"))


@pytest.mark.parametrize("shares_hashes", [True, False])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_is_foreseen_is_what_is_read(workers: int, shares_hashes: bool, tmp_path: Path) -> None:
    """After the tiles of the log's edge, which prove the checkpoint: each bundle, and the tiles of those that the
    worker checks.
    """
    folder = long_log().write(tmp_path)
    for number in range(workers):
        share, reading = share_of(folder, number, workers, shares_hashes=shares_hashes), Reading(folder)
        run_partition(share, reading, GAMES, lambda _: None)
        foreseen = list(paths_of_partition(0, share.size, share.is_hashed))
        assert shares_hashes or "tile/0/000" in foreseen
        assert len(foreseen) >= 3
        assert reading.paths[-len(foreseen) :] == foreseen
        assert all(path.startswith("tile/") for path in reading.paths[: -len(foreseen)])


def test_a_share_that_begins_later_foresees_what_is_new(tmp_path: Path) -> None:
    """It begins with the bundle that holds the first new record."""
    share = share_of(long_log().write(tmp_path))
    every = list(paths_of_partition(0, share.size, share.is_hashed))
    assert list(paths_of_partition(300, share.size, share.is_hashed)) == every[2:]


class Slow:
    """A source that returns files only as the test allows."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._allowed = threading.Semaphore(0)
        self.asked = threading.Semaphore(0)

    def allow(self, files: int) -> None:
        """Allow this many more files."""
        self._allowed.release(files)

    def read(self, path: str) -> bytes:
        """Return the file once the test allows it."""
        self.begun.append(path)
        self.asked.release()
        assert self._allowed.acquire(timeout=PATIENCE)
        if path == "bad":
            raise Unreadable(path, "is bad")
        return path.encode()


def wait_for(slow: Slow, files: int) -> None:
    for _ in range(files):
        assert slow.asked.acquire(timeout=PATIENCE)


def test_files_are_fetched_before_they_are_asked_for() -> None:
    """A limited number at a time; a file that is requested out of turn is read, and the order is kept."""
    slow, names = Slow(), [f"file {number}" for number in range(3 * FILES_AHEAD)]
    with ReadAhead(slow.read, iter(names)) as ahead:
        wait_for(slow, FILES_AHEAD)
        assert sorted(slow.begun) == sorted(names[:FILES_AHEAD])
        slow.allow(FILES_AHEAD)
        assert ahead.read(names[0]) == names[0].encode()
        # Taking one file starts the fetch of the next.
        wait_for(slow, 1)
        assert slow.begun[FILES_AHEAD:] == [names[FILES_AHEAD]]
        slow.allow(2)
        assert ahead.read("unforeseen") == b"unforeseen"
        slow.allow(2 * FILES_AHEAD)
        assert [ahead.read(name) for name in names[1:]] == [name.encode() for name in names[1:]]
        assert sorted(slow.begun) == sorted([*names, "unforeseen"])
        slow.allow(1)
        assert ahead.read("after the end") == b"after the end"


def test_an_error_comes_when_its_file_is_asked_for() -> None:
    """Not earlier, and the next file can still be read."""
    slow = Slow()
    slow.allow(3)
    with ReadAhead(slow.read, iter(["good", "bad", "next"])) as ahead:
        assert ahead.read("good") == b"good"
        with pytest.raises(Unreadable, match="is bad"):
            ahead.read("bad")
        assert ahead.read("next") == b"next"


def test_who_stops_reading_waits_for_nothing() -> None:
    """It does not wait for fetches in progress, and starts no others."""
    slow, stop = Slow(), threading.Event()

    def names() -> Iterator[str]:
        yield from (f"file {number}" for number in range(100))

    def leave() -> None:
        with ReadAhead(slow.read, names()):
            wait_for(slow, FILES_AHEAD)
        stop.set()

    leaving = threading.Thread(target=leave, daemon=True)
    leaving.start()
    try:
        assert stop.wait(PATIENCE)
        assert len(slow.begun) == FILES_AHEAD
    finally:
        slow.allow(1000)
        leaving.join(PATIENCE)


def test_records_that_wait_are_replayed_before_they_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each bundle that exceeds the number that may wait; the result is the same."""
    operator = Operator()
    operator.table("one", "hi-lo")
    operator.batch("one", 300)
    folder = operator.play("one", 280).write(tmp_path)
    expected, times = run(folder), [0]
    replay = shares._PartitionAudit._replay_runs

    def counted(audit: shares._PartitionAudit) -> None:
        times[0] += 1
        replay(audit)

    monkeypatch.setattr(shares._PartitionAudit, "_replay_runs", counted)
    for most, replays in ((1, 4), (60_000, 2), (1 << 20, 1)):
        monkeypatch.setattr(shares, "_REPLAY_AT", most)
        times[0] = 0
        assert run(folder) == expected
        assert times[0] == replays, most


def test_what_is_no_record_is_refused_by_one_worker(tmp_path: Path) -> None:
    """Only the first worker refuses it."""
    operator = started()
    at = operator.append(b"{}")
    folder = operator.write(tmp_path)
    refused = [run(folder, number, 3).refused for number in range(3)]
    assert refused[0] is not None
    assert (refused[0].check, refused[0].index) == (Check.RECORD_FORM, at)
    assert refused[1:] == [None, None]


def test_a_false_file_of_commitments_is_named(tmp_path: Path) -> None:
    """The error names its table and batch."""
    folder = history().write(tmp_path)
    false = next(path for path in sorted((folder / "commitments").rglob("*")) if path.is_file())
    data = false.read_bytes()
    false.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises(CheckFailed) as refused:
        audited(folder)
    assert refused.value.check is Check.COMMITMENTS_FILE
    assert re.fullmatch(r"table [a-z0-9-]+, batch [12]", refused.value.where or "")


def test_games_with_a_flight_are_named_together(tmp_path: Path) -> None:
    """One sentence for all of them."""
    report = audit_log(FolderSource(history().write(tmp_path)), KEY.verifier_key)
    assert NotChecked.FLIGHT.fill(games="crash and rocketon") in report_caveats(report, GAMES)


@pytest.mark.parametrize("most", [1, 60_000, 1 << 20])
def test_a_refusal_is_kept_to_the_end(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was replayed before it, and whatever follows."""
    operator = long_log()
    at = len(operator.records) - 1
    folder = operator.play("one", 150).write(tmp_path)
    monkeypatch.setattr(shares, "_REPLAY_AT", most)
    refused = run(folder).refused
    assert refused is not None
    assert (refused.check, refused.index) == (Check.LOCK_NEXT, at)


def test_where_a_share_stops_is_reported(tmp_path: Path) -> None:
    """At the bundle whose bytes are not the log's or whose files are missing; at the first if there is no log."""
    folder = long_log().write(tmp_path)
    bundle, tile = folder / bundle_path(1), folder / tile_path(0, 1)
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
    stop = run(folder).stop
    assert stop is not None
    assert isinstance(stop.found, Failure)
    assert (stop.bundle, stop.found.check, stop.found.where) == (1, Check.BUNDLE, bundle_path(1))
    bundle.write_bytes(whole)
    tile.unlink()
    stop = run(folder).stop
    assert stop is not None
    assert isinstance(stop.found, Obstacle)
    assert (stop.bundle, stop.found.path, stop.found.why) == (1, tile_path(0, 1), f"no such file in {folder}")
    for file in (folder / "tile" / "1").rglob("*"):
        if file.is_file():
            file.unlink()
    share = share_of(folder, start=300)
    stop = run_partition(share, FolderSource(folder), GAMES, lambda _: None).stop
    assert stop is not None
    assert stop.bundle == 1


@pytest.mark.parametrize("at", [256, 257, 300])
def test_a_broken_rule_behind_a_missing_file_is_no_verdict(at: int, tmp_path: Path) -> None:
    """One worker finds that the file is missing; another, which does not need it, finds the broken rule after it."""
    operator = Operator()
    for name in ("one", "two"):
        operator.table(name, "hi-lo")
        operator.batch(name, 300)
    while len(operator.records) < at - 1:
        operator.play("two")
    if len(operator.records) < at:
        operator.table("three", "hi-lo")
    assert operator.lock("one", round=7) == at
    folder = operator.play("two", 150).write(tmp_path)
    with pytest.raises(CheckFailed) as refused:
        audited(folder, jobs=2)
    assert (refused.value.check, refused.value.index) == (Check.LOCK_NEXT, at)
    (folder / tile_path(0, 1)).unlink()
    with pytest.raises(Unreadable, match=tile_path(0, 1)):
        audited(folder, jobs=2)


@pytest.mark.parametrize(
    ("records", "cores", "jobs"),
    [(0, 2, 1), (39_999, 2, 1), (40_000, 2, 2), (10**9, 2, 2), (10**9, 1, 1), (10**9, 99, 64)],
)
def test_small_logs_are_audited_in_one_process(
    records: int, cores: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is at most one process for each core, and each has at least 20,000 records."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert jobs_for(records) == jobs


@pytest.mark.parametrize(("enough", "jobs"), [(262, 1), (261, 2)])
def test_the_new_records_decide_how_many_processes_audit_them(
    enough: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were replayed before do not count."""
    operator = Operator()
    operator.table("one", "hi-lo")
    operator.batch("one", 300)
    state = audited(operator.write(tmp_path)).state
    folder = operator.play("one", 261).write(tmp_path)
    started: list[int] = []

    def run(partitions: list[Partition], _address: str, report_done: ReportDone) -> list[PartResult]:
        started.append(len(partitions))
        return [run_partition(each, FolderSource(folder), GAMES, report_done) for each in partitions]

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(processes, "RECORDS_PER_JOB", enough)
    monkeypatch.setattr(audit, "run_in_processes", run)
    expected = audited(folder, previous=state)
    assert audit_log(FolderSource(folder), KEY.verifier_key, jobs=None, previous=state) == expected
    assert started == ([2] if jobs == 2 else [])


def test_an_audit_is_of_the_checkpoint_that_it_was_given(tmp_path: Path) -> None:
    """Not of a newer one; and the state that it returns is for the key that it was given."""
    operator = started()
    folder = operator.write(tmp_path)
    note, size = (folder / "checkpoint").read_bytes(), len(operator.records)
    operator.play("keno-1").write(tmp_path)
    report = replay_log(FolderSource(folder), KEY.verifier_key, note=note)
    assert (report.checkpoint.size, report.state.checkpoint) == (size, note.decode())
    assert report.state.key == str(KEY.verifier_key)


@pytest.mark.parametrize(("every", "told"), [(1, [212, 468, 478, 478]), (2, [212, 478, 478]), (32, [212, 478])])
def test_progress_counts_the_new_records(
    every: int, told: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first new record on, after a fixed number of bundles, and at the end."""
    operator = Operator()
    operator.table("one", "hi-lo")
    operator.batch("one", 300)
    folder = operator.play("one", 260).write(tmp_path)
    assert len(operator.records) == 522
    monkeypatch.setattr(shares, "_TELL_EVERY", every)
    heard: list[int] = []
    run_partition(share_of(folder, start=44), FolderSource(folder), GAMES, heard.append)
    assert heard == told
