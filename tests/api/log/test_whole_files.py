"""A log with a missing file is not continued: audits would fail and accuse the operator."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from api.log import whole_files
from api.log.recovery import RecoveryError
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, Unreadable
from fairness.log.tiles import WIDTH
from fairness.round.finding_aids import rounds_path
from tests.support.damage import flip_bit
from tests.support.in_process_service import InProcessService
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

TABLE, IDLE = "crash-1", "keno-1"
COUNT = 60


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service with two full bundles, and batches that have ended, are in play, or have not begun."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("whole") / "data",
        batch_size=COUNT,
        tables=[(TABLE, "crash"), (IDLE, "keno-express")],
    )
    while made.size < 2 * WIDTH + 20:
        made.play(TABLE, 5)
        made.settle()
    # Now the finding aids of all records are durable, so no start reads old bundles for them.
    made.restart()
    made.stop()
    return made


def cut(path: Path) -> None:
    """Cut off a file's end."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: len(data) // 3])


def empty(path: Path) -> None:
    """Remove a file's content."""
    path.unlink()
    path.touch()


@pytest.mark.parametrize("spoil", [Path.unlink, flip_bit, cut, empty])
@pytest.mark.parametrize("file", ["tile/entries/000", "tile/entries/001", "tile/0/000", "tile/0/001"])
def test_a_start_finds_a_file_that_is_missing_or_damaged(
    file: str, spoil: Callable[[Path], object], running: InProcessService
) -> None:
    """The error names the file and where to get another copy; nothing is signed, and nothing else is changed."""
    spoil(running.settings.log / file)
    with pytest.raises((CheckFailed, Unreadable)):
        audit_log(FolderSource(running.settings.log), running.key)
    signed = list(running.disk.checkpoints)
    with pytest.raises(RecoveryError, match=rf"not whole: .*{file}.*Put the file back from a copy of the log"):
        running.start()
    assert running.disk.checkpoints == signed


@pytest.mark.parametrize("spoil", [Path.unlink, empty])
def test_of_bundles_from_long_ago_the_size_is_looked_at(
    spoil: Callable[[Path], object], running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the log is, a start checks that all files exist; only of the newest it reads every byte."""
    monkeypatch.setattr(whole_files, "READ_WHOLE", 1)
    spoil(running.settings.log / "tile/entries/001")
    with pytest.raises(RecoveryError, match="tile/entries/001"):
        running.start()


def test_what_was_put_back_is_played_on(running: InProcessService) -> None:
    """Restoring the file is the remedy that the refusal names."""
    bundle = running.settings.log / "tile/entries/001"
    data = bundle.read_bytes()
    bundle.unlink()
    with pytest.raises(RecoveryError):
        running.start()
    bundle.write_bytes(data)
    running.start()
    running.play(TABLE)
    running.check()
    running.stop()


def commitments(running: InProcessService) -> dict[Path, bytes]:
    """All files of commitments."""
    return {file: file.read_bytes() for file in (running.settings.log / "commitments").glob("*/*")}


@pytest.mark.parametrize("spoil", [Path.unlink, cut, empty])
def test_a_start_makes_commitments_again(spoil: Callable[[Path], object], running: InProcessService) -> None:
    """From the seeds, byte for byte: for batches that have not begun, are in play, or ended long ago."""
    before = commitments(running)
    assert len(before) >= 7
    for file in before:
        spoil(file)
    running.start()
    assert commitments(running) == before
    running.stop()


def test_a_start_finds_changed_commitments_of_rounds_to_come(running: InProcessService) -> None:
    """A file of the right size is hashed as long as its rounds can be bet on."""
    before = commitments(running)
    running.start_without_sequencer()
    pending = [batch.batch_id for state in running.states().values() for batch in state.batches]
    running.stop()
    for batch_id in pending:
        flip_bit(running.settings.log / commitments_path(batch_id))
    running.start()
    assert commitments(running) == before
    audit_log(FolderSource(running.settings.log), running.key)
    running.stop()


@pytest.mark.parametrize("spoil", [Path.unlink, flip_bit, cut])
def test_commitments_are_looked_at_before_the_first_bet(
    spoil: Callable[[Path], object], running: InProcessService
) -> None:
    """A file that is lost or changed while the service runs is restored when its batch begins."""
    running.start()
    state = running.state(TABLE)
    last = state.batches[0].last
    running.play(TABLE, last + 1 - state.next_round)
    file = running.settings.log / commitments_path(running.state(TABLE).batches[0].batch_id)
    data = file.read_bytes()
    spoil(file)
    running.open(TABLE, last + 1)
    assert file.read_bytes() == data
    running.stop()


def test_commitments_without_seeds_stop_nobody_else(
    running: InProcessService, caplog: pytest.LogCaptureFixture
) -> None:
    """They cannot be made again: the messages name the file and the remedy, and only this table does not open."""
    running.start_without_sequencer()
    (batch, *_) = running.state(IDLE).batches
    lost = batch.anchors[0]
    running.service.custodian._store._write(
        lambda connection: connection.run("DELETE FROM chains WHERE anchor = ?", (lost,))
    )
    running.stop()
    path = commitments_path(batch.batch_id)
    (running.settings.log / path).unlink()
    running.start()
    assert f"table {IDLE}: {path} is missing or damaged, and cannot be made again" in caplog.text
    assert "Put the file back from a copy of the log" in caplog.text
    running.play(TABLE, 2)
    running.stop()


def test_lost_finding_aids_are_no_reason_to_stop(running: InProcessService, caplog: pytest.LogCaptureFixture) -> None:
    """For a batch that has ended they point at its record; without them a missing file is still detected and
    named.
    """
    running.start_without_sequencer()
    table_id, over = running.state(TABLE).table_id, running.state(TABLE).batches[0].number > 1
    running.stop()
    assert over
    running.tamper("UPDATE head SET noted = size")
    before = commitments(running)
    for file in before:
        file.unlink()
    os.truncate(running.settings.log / rounds_path(table_id, 1), 0)
    running.start()
    assert "finding aids do not lead to the record of batch 1" in caplog.text
    running.play(TABLE)
    running.stop()
