"""A log from a backup, with or without other parts: it is never forked, and nobody can bet on a released outcome."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.tables import add_table
from api.settings import SettingsError
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import WIDTH
from tests.support.commands import foredraw
from tests.support.damage import contents, crash_at_lock, lose_database, put_back, refuses_to_start
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.one_database("older files in their place; test_older_database has one of a server")

PLAYED, QUIET = "crash-1", "keno-1"
OLD, NEW = 30, 3 * WIDTH + 40


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A stopped service whose queue no longer has its first records; its state long before is in ``old``."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("older") / "data", batch_size=600, tables=[(PLAYED, "crash"), (QUIET, "keno-express")]
    )
    made.play(QUIET)
    while made.size < OLD:
        made.play(PLAYED)
    made.stop()
    shutil.copytree(made.settings.folder, made.settings.folder.with_name("old"))
    made.start()
    while made.size < NEW:
        made.play(PLAYED)
    made.settle()
    made.stop()
    return made


def old_of(base: InProcessService) -> Path:
    """The folder as it was long before."""
    return base.settings.folder.with_name("old")


def refused_for_a_backup(call: Callable[[str, int], object], number: int) -> None:
    """Check that this call is refused, because the log is older than the seeds that were released."""
    with pytest.raises(Problem, match="from a backup") as refused:
        call(PLAYED, number)
    assert refused.value.code is Code.SEEDS_UNAVAILABLE


def sizes(running: InProcessService) -> list[int]:
    """The sizes of all checkpoints that were ever signed."""
    return [Checkpoint.open(note, running.key).size for note in running.disk.checkpoints]


@pytest.mark.nightly("starts the service several times")
def test_an_old_checkpoint_alone_is_published_again(running: InProcessService, base: InProcessService) -> None:
    """All tiles exist, so the start proves that they extend it, however far it is behind the queue."""
    put_back(running, old_of(base), "log/checkpoint")
    running.start()
    assert running.size == sizes(running)[-1] >= NEW
    running.play(PLAYED)
    running.play(QUIET)
    running.check()
    running.stop()


def test_an_old_checkpoint_of_another_history_is_not_published_over(
    running: InProcessService, base: InProcessService
) -> None:
    """A checkpoint of our own key that these tiles do not extend is evidence of a fork, and stays."""
    fork = base.copy(running.settings.folder.with_name("fork"))
    lose_database(fork)
    put_back(fork, old_of(base), "log", "foredraw.db", "custodian")
    fork.start()
    fork.play(PLAYED)
    fork.stop()
    shutil.copy2(fork.settings.log / "checkpoint", running.settings.log / "checkpoint")
    refuses_to_start(running, "not the same log")


def test_a_rebuild_from_an_old_checkpoint_goes_as_far_as_the_folder(
    running: InProcessService, base: InProcessService
) -> None:
    """The database is also lost: records in the folder after the checkpoint are included, and nothing forks."""
    put_back(running, old_of(base), "log/checkpoint")
    lose_database(running)
    done = foredraw(running.settings.folder, "rebuild")
    assert done.returncode == 0
    old, new = sizes(base)[-1], sizes(running)[-1]
    assert f"rebuilt from {new} records; there was no old one." in done.stdout
    assert re.search(r"checkpoint is of \d+ of them; the next start publishes the others", done.stdout)
    assert "could not be compared with:\n  the old database: it is missing" in done.stdout
    running.start()
    assert running.size == new >= old
    running.play(PLAYED)
    running.play(QUIET)
    running.check()
    running.stop()


@pytest.mark.parametrize("database", ["present", "lost"])
def test_a_rebuild_from_an_old_folder_is_refused(
    database: str, running: InProcessService, base: InProcessService
) -> None:
    """The database or the custodian knows of more records: both sizes are named, and nothing is replaced."""
    put_back(running, old_of(base), "log")
    if database == "lost":
        lose_database(running)
    kept, found = (
        contents(running.settings.folder),
        Checkpoint.open((running.settings.log / "checkpoint").read_bytes(), running.key).size,
    )
    done = foredraw(running.settings.folder, "rebuild")
    assert done.returncode == 1
    says = "the database to be replaced has" if database == "present" else "so it had at least"
    named = re.search(rf"the log has {found} records, but .*{says} (\d+)", done.stderr)
    assert named is not None, done.stderr
    assert int(named[1]) == (sizes(running)[-1] if database == "present" else sizes(running)[-1] - 1)
    assert "--fork" not in done.stderr
    missing = int(named[1]) - found
    for wrong in (missing - 1, missing + 1):
        assert foredraw(running.settings.folder, "rebuild", "--fork-the-log-discarding", str(wrong)).returncode == 1
    assert contents(running.settings.folder) == kept


def test_a_fork_on_purpose_offers_no_known_outcome(
    running: InProcessService, base: InProcessService, tmp_path: Path
) -> None:
    """The option states how many records are lost; tables with released rounds among them are halted permanently."""
    put_back(running, old_of(base), "log")
    size = Checkpoint.open((running.settings.log / "checkpoint").read_bytes(), running.key).size
    rebuild(running.settings, discard=sizes(running)[-1] - size)
    shutil.copytree(running.settings.secrets.parent, tmp_path / "custodian")
    for _ in range(2):
        running.start()
        number = running.state(PLAYED).next_round
        with pytest.raises(Problem) as refused:
            running.open(PLAYED, number)
        assert refused.value.code is Code.TABLE_HALTED
        running.play(QUIET, 2)
        running.settle()
        running.stop()
    # A process that does not know of the halt does not play them either.
    running.start_without_sequencer()
    running.tamper("UPDATE tables SET halted = NULL")
    refused_for_a_backup(running.open, number)
    running.stop()
    # If the true history is found before anything was played on the other, it is continued, and protected again.
    found = base.copy(tmp_path / "found")
    shutil.rmtree(found.settings.secrets.parent)
    shutil.copytree(tmp_path / "custodian", found.settings.secrets.parent)
    found.start()
    assert {mark.table: mark.abandoned for mark in found.service.custodian.marks()} == {
        PLAYED: True,
        QUIET: False,
    }
    found.play(PLAYED)
    assert not any(mark.abandoned for mark in found.service.custodian.marks())
    found.stop()


def test_a_folder_older_than_the_database_is_named_so(running: InProcessService, base: InProcessService) -> None:
    """The error names both sizes, not a missing file."""
    put_back(running, old_of(base), "log")
    size = Checkpoint.open((running.settings.log / "checkpoint").read_bytes(), running.key).size
    message = (
        f"checkpoint is of {size} records, the database has {sizes(running)[-1]}.*newest copy of the log's folder"
    )
    refuses_to_start(running, message)


def test_a_rebuild_that_lacks_nothing_discards_nothing(running: InProcessService) -> None:
    """The option cannot be used to drop what the log has."""
    with pytest.raises(SettingsError, match="lacks no record, so 3 cannot be discarded"):
        rebuild(running.settings, discard=3)


@pytest.mark.nightly("starts the service several times")
def test_an_old_database_with_a_log_as_old_is_noticed(running: InProcessService, base: InProcessService) -> None:
    """The custodian's marks show that seeds were released since: nothing starts, opens, locks or is rebuilt."""
    lose_database(running)
    put_back(running, old_of(base), "log", "foredraw.db")
    refuses_to_start(running, r"released the seed of round \d+ of crash-1.*from a backup.*newest copy")
    done = subprocess.run(
        [sys.executable, "-m", "api.programs.background"],
        env={**os.environ, "FOREDRAW_DATA": str(running.settings.folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert re.search(r"CRITICAL nothing was signed: .*from a backup", done.stderr)
    assert "Traceback" not in done.stderr
    with pytest.raises(SettingsError, match="from a backup"):
        rebuild(running.settings)
    # The processes of the API do not depend on the start of the sequencer.
    running.start_without_sequencer()
    number = running.state(PLAYED).next_round
    for call in (running.open, running.void):
        refused_for_a_backup(call, number)
    running.stop()


def test_an_old_log_frees_no_seed(running: InProcessService, tmp_path: Path) -> None:
    """A round that the old log has locked is not continued: its outcome and later ones are known."""
    running.start()
    number = running.state(PLAYED).next_round
    running.open(PLAYED, number)
    running.lock(PLAYED, number)
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "locked")
    running.start()
    # A repeated call for the same lock in the same log is answered again.
    assert running.lock(PLAYED, number) == running.told[PLAYED, number]
    running.play(PLAYED, 2)
    running.stop()
    lose_database(running)
    put_back(running, tmp_path / "locked", "log", "foredraw.db")
    running.start_without_sequencer()
    for call in (running.lock, running.reveal):
        refused_for_a_backup(call, number)
    running.stop()


def test_a_table_that_an_old_log_does_not_know_is_noticed(running: InProcessService, tmp_path: Path) -> None:
    """Its seeds were released, but the log has no record of it, so the log is too old."""
    running.start()
    running.stop()
    shutil.copytree(running.settings.folder, tmp_path / "before")
    running.start()
    add_table(running.service.writer, "dice", "sic-bo")
    running.settle()
    running.play("dice")
    running.settle()
    running.stop()
    lose_database(running)
    put_back(running, tmp_path / "before", "log", "foredraw.db")
    refuses_to_start(running, "released the seed of round 1 of dice")


@pytest.mark.parametrize("lost", ["the last bundle", "nothing"])
def test_a_folder_that_ends_before_a_mark_is_refused(
    lost: str, running: InProcessService, base: InProcessService
) -> None:
    """With an old checkpoint and without the database, only the custodian knows where the log ended."""
    put_back(running, old_of(base), "log/checkpoint")
    lose_database(running)
    if lost == "nothing":
        assert rebuild(running.settings).size == sizes(running)[-1]
        return
    shutil.rmtree(running.settings.log / f"tile/entries/{NEW // WIDTH:03}.p")
    with pytest.raises(SettingsError, match=f"the log has {NEW // WIDTH * WIDTH} records, but the custodian"):
        rebuild(running.settings)


def test_a_changed_record_after_the_checkpoint_is_refused(running: InProcessService, base: InProcessService) -> None:
    """No signature covers it, but its leaf hash is in the tile that was written with it."""
    put_back(running, old_of(base), "log/checkpoint")
    lose_database(running)
    bundle = running.settings.log / "tile/entries/001"
    bundle.unlink()
    data = (base.settings.log / "tile/entries/001").read_bytes()
    at = data.index(b'"locked":"2026') + 30
    bundle.write_bytes(data[:at] + (b"7" if data[at : at + 1] != b"7" else b"8") + data[at + 1 :])
    with pytest.raises(SettingsError, match="nothing was rebuilt: record"):
        rebuild(running.settings)


def test_a_queue_that_was_never_published_is_rolled_forward(running: InProcessService) -> None:
    """After a crash following the commit, and a rebuild, the records keep the positions of the old database."""
    number = crash_at_lock(running, QUIET, "write_soon tile/0")
    published = running.size
    running.stop()
    made = rebuild(running.settings)
    assert (made.size, made.published) == (published + 1, published)
    running.start()
    assert running.size == published + 1
    running.lock(QUIET, number)
    running.reveal(QUIET, number)
    running.check()
    running.stop()
