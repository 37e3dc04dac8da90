"""`foredraw backup` and `restore`: copies that can be started, made while rounds are played; and what an older part
leads to.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from api.log.recovery import RecoveryError
from api.restore import backup as backups
from api.restore import pieces
from api.restore.backup import back_up
from api.restore.put_back import put_back
from api.settings import Settings, SettingsError
from api.sql.files import copy_database
from api.world.clock import Clock
from fairness.log.tiles import WIDTH
from tests.support.commands import foredraw
from tests.support.damage import contents, crash_at_lock, flip_bit, lose_database, refuses_to_start
from tests.support.in_process_service import InProcessService
from tests.support.next_version import next_version, rename_revision
from tests.support.running_service import running_service
from tests.support.small_disk import small_disk

pytestmark = pytest.mark.one_database("test_backup_on_server is about a server's")

FLIGHT, DRAW = "crash-1", "keno-1"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service that has played, stopped."""
    made = InProcessService.create(
        tmp_path_factory.mktemp("base") / "data", batch_size=40, tables=[(FLIGHT, "crash"), (DRAW, "keno-express")]
    )
    made.play(FLIGHT, 3)
    made.settle()
    made.stop()
    return made


@pytest.fixture
def running(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> InProcessService:
    """A copy of it that plays. The clock of the commands goes on where the service's was."""
    running.start()
    monkeypatch.setattr(Clock, "moment", lambda _: running.clock.date)
    return running


def test_an_older_schema_is_upgraded_before_it_is_copied(running: InProcessService, tmp_path: Path) -> None:
    """The refusal says how, and nothing is left where the copy would be."""
    running.stop()
    with (
        next_version(tmp_path / "revisions"),
        pytest.raises(SettingsError, match=r"needs .*foredraw upgrade"),
    ):
        back_up(running.settings, tmp_path / "copies" / "copy", with_keys=False)
    assert not (tmp_path / "copies").exists()


def play_past_a_bundle(running: InProcessService) -> None:
    """Rounds and batches, until full tiles and bundles have come."""
    size = running.size
    while running.size < size + WIDTH + 9:
        running.play(DRAW)
        running.keeper.turn()
    running.settle()


def of_copy(running: InProcessService, folder: Path) -> InProcessService:
    """The service in a folder that was restored, stopped; it remembers what engines were told."""
    return running.with_settings(Settings(folder, running.settings.batch_size))


def plays_on(made: InProcessService) -> None:
    """It starts, plays, and every record of its log holds: an audit passes, and no outcome differs from what was
    told.
    """
    made.start()
    made.settle()
    made.play(FLIGHT)
    made.play(DRAW)
    made.check()
    made.stop()


@pytest.mark.parametrize("played", ["nothing", "some rounds", "more than a bundle"])
def test_a_copy_plays_on(played: str, running: InProcessService, tmp_path: Path) -> None:
    """With its keys it is a whole data folder. It is of the very records that were there, and begins with the
    next.
    """
    if played == "some rounds":
        running.play(DRAW, 5)
    elif played != "nothing":
        play_past_a_bundle(running)
    done = foredraw(running.settings.folder, "backup", str(tmp_path / "copy"), "--with-keys")
    assert done.returncode == 0
    assert f"{running.size} records, {running.size} of them published. A start would accept it." in done.stdout
    assert "It has the secret keys" in done.stdout
    running.stop()
    restored = tmp_path / "restored"
    done = foredraw(restored, "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert "Put back: custodian/, log/, foredraw.db." in done.stdout
    assert Settings(restored).signing_key.stat().st_mode & 0o777 == 0o600
    assert re.search(r" account \S+ .*restore +custodian/, log/, foredraw.db", foredraw(restored, "journal").stdout)
    plays_on(of_copy(running, restored))


def test_a_copy_of_an_older_version_is_upgraded(running: InProcessService, tmp_path: Path) -> None:
    """When it is put back; the copy itself stays as it is."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    older = Settings(tmp_path / "copy").database
    before = older.read_bytes()
    running.stop()
    with next_version(tmp_path / "revisions"):
        done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
        assert "Put back: custodian/, log/, foredraw.db." in done.stdout
        plays_on(of_copy(running, tmp_path / "restored"))
    assert older.read_bytes() == before


def test_a_copy_of_a_newer_version_is_not_put_back(running: InProcessService, tmp_path: Path) -> None:
    """A start would refuse it, so nothing is left of it."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    rename_revision(Settings(tmp_path / "copy").database)
    running.stop()
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert done.returncode == 1
    assert "install the version that it is of" in done.stderr
    assert not Settings(tmp_path / "restored").database.exists()


def test_a_copy_of_a_log_before_its_first_record_can_be_started(tmp_path: Path) -> None:
    """There is no checkpoint yet."""
    assert foredraw(tmp_path / "data", "init").returncode == 0
    assert foredraw(tmp_path / "data", "backup", str(tmp_path / "copy")).returncode == 0


@pytest.mark.nightly("makes copies while rounds are played")
def test_a_copy_that_is_made_while_everything_moves_can_be_started(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between all its steps hundreds of records and new batches come: it begins again once, and what came after stays
    out.
    """
    play_past_a_bundle(running)
    copied: list[str] = []

    def copy_and_move(source: Path, target: Path) -> None:
        copy_database(source, target)
        copied.append(source.name)
        if len(copied) < 5:
            play_past_a_bundle(running)

    monkeypatch.setattr(backups, "copy_database", copy_and_move)
    made = back_up(running.settings, tmp_path / "copy", with_keys=True)
    assert copied == ["seeds.db", "foredraw.db"] * 3
    assert made.size >= made.published > WIDTH
    running.stop()
    put_back(Settings(tmp_path / "restored"), tmp_path / "copy", has_not_grown=True)
    restored = of_copy(running, tmp_path / "restored")
    restored.told = {}
    plays_on(restored)


@pytest.mark.nightly("a service of its own")
def test_a_checkpoint_that_is_outgrown_while_it_is_copied_keeps_its_files(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its partial tile and bundle are removed by then; they are the beginning of the full ones."""

    def copy_and_move(source: Path, target: Path) -> None:
        if source.name == "foredraw.db":
            running.play(DRAW, 100)
        copy_database(source, target)

    monkeypatch.setattr(backups, "copy_database", copy_and_move)
    running.stop()
    running = running.with_settings(replace(running.settings, batch_size=400))
    running.start()
    running.settle()
    while running.size % WIDTH < WIDTH - 50:
        running.play(DRAW)
    made = back_up(running.settings, tmp_path / "copy", with_keys=True)
    assert made.published // WIDTH < made.size // WIDTH
    running.stop()
    plays_on(of_copy(running, tmp_path / "copy"))


def test_batches_that_are_committed_faster_than_they_are_copied_are_an_error(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left that looks like a copy."""
    monkeypatch.setattr(backups, "_lacks_seeds", lambda *_: True)
    with pytest.raises(SettingsError, match="committed faster than they can be copied"):
        back_up(running.settings, tmp_path / "copy", with_keys=False)
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_a_copy_that_could_not_be_started_is_none(running: InProcessService, tmp_path: Path) -> None:
    """A damaged log is not copied as if it were whole; nor is anything put where something is."""
    play_past_a_bundle(running)
    flip_bit(running.settings.log / "tile/entries/000")
    done = foredraw(running.settings.folder, "backup", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert "no back-up was made, because the copy could not be started" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data"}
    assert "exists already" in foredraw(running.settings.folder, "backup", str(tmp_path)).stderr


def test_a_copy_that_is_interrupted_at_its_end_leaves_nothing(
    running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the disk is written, which may take long."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "sync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        back_up(running.settings, tmp_path / "copy", with_keys=False)
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


@pytest.mark.parametrize("place", ["copy", "log/copy"])
def test_a_copy_does_not_lie_in_what_it_copies(place: str, running: InProcessService) -> None:
    """It would be lost with it; and in log/ everybody could fetch the sealed seeds."""
    target = running.settings.folder / place
    done = foredraw(running.settings.folder, "backup", str(target))
    assert done.returncode == 1
    assert f"{target} is inside {running.settings.folder}" in done.stderr
    assert not target.exists()


def test_keys_are_copied_only_on_demand(running: InProcessService, tmp_path: Path) -> None:
    """And a folder without them gets nothing back; the sealed seeds alone open nothing."""
    assert (
        "The secret keys are not in it" in foredraw(running.settings.folder, "backup", str(tmp_path / "copy")).stdout
    )
    assert [path.name for path in (tmp_path / "copy/keys").iterdir()] == ["log.vkey"]
    secret = running.settings.seeds_key.read_text().strip()
    assert not [path for path, data in contents(tmp_path / "copy").items() if secret.encode() in data]
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert done.returncode == 1
    assert "log-signing.key is missing, and the back-up has no secret keys" in done.stderr
    assert contents(tmp_path / "restored") == {}


def test_a_folder_that_is_gone_is_not_restored_without_the_operators_word(
    running: InProcessService, tmp_path: Path
) -> None:
    """Nothing shows whether the log has grown; with the newest log in place, that is seen."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.play(FLIGHT, 2)
    running.stop()
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert re.search(
        "nothing shows whether the log has grown.*newest copy of the log.*--the-log-has-not-grown", done.stderr
    )
    assert contents(tmp_path / "restored") == {}
    shutil.copytree(running.settings.log, tmp_path / "restored" / "log")
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"))
    assert done.returncode == 0, done.stderr
    assert "The database of the back-up was older than the log." in done.stdout
    assert "its store is an older state" in done.stdout
    plays_on(of_copy(running, tmp_path / "restored"))


def lose_log(running: InProcessService) -> None:
    shutil.rmtree(running.settings.log)


def lose_custodian(running: InProcessService) -> None:
    shutil.rmtree(running.settings.secrets.parent)


@pytest.mark.parametrize("lose", [lose_database, lose_log, lose_custodian])
def test_each_part_from_an_older_state_is_rolled_forward(
    lose: Callable[[InProcessService], None], running: InProcessService, tmp_path: Path
) -> None:
    """The database from the log; the log from the queue, which keeps the newest records; the custodian by its next
    release.
    """
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    running.play(FLIGHT, 4)
    running.settle()
    running.stop()
    lose(running)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 0, (done.stdout, done.stderr)
    said = {
        lose_database: "; the old one was kept as foredraw.db.before-rebuild-1.",
        lose_log: "the next start publishes the newest head",
        lose_custodian: "its store is an older state",
    }
    assert [other for other, words in said.items() if words in done.stdout] == [lose]
    plays_on(running)


def test_an_old_log_is_refused(running: InProcessService, tmp_path: Path) -> None:
    """The queue does not have all that it lacks. With the newest copy of the log in its place, all is well."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    play_past_a_bundle(running)
    running.stop()
    shutil.copytree(running.settings.log, tmp_path / "newest")
    lose_log(running)
    before = contents(running.settings.folder)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert re.search("older than the database: .*Put the newest copy of the log's folder back", done.stderr)
    assert contents(running.settings.folder) == before
    shutil.copytree(tmp_path / "newest", running.settings.log)
    plays_on(running)


def test_an_old_log_with_an_old_database_is_refused(running: InProcessService, tmp_path: Path) -> None:
    """The custodian's marks show it: nothing is put back, and the log is not forked."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    running.play(FLIGHT, 2)
    running.stop()
    lose_database(running)
    lose_log(running)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert re.search("custodian has released .*from a backup.*newest copy of the log's folder", done.stderr)
    assert not running.settings.database.exists()
    assert not running.settings.log.exists()


def test_an_old_custodian_without_newer_seeds_is_named(running: InProcessService, tmp_path: Path) -> None:
    """The restore tells which committed rounds can never be revealed; the newest copy mends it."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    play_past_a_bundle(running)
    running.stop()
    shutil.copytree(running.settings.secrets.parent, tmp_path / "custodian")
    lose_custodian(running)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert re.search(r"lacks the seeds of rounds \d+ to \d+ of keno-1", done.stdout)
    lose_custodian(running)
    shutil.copytree(tmp_path / "custodian", running.settings.secrets.parent)
    plays_on(running)


def test_nothing_is_replaced(running: InProcessService, tmp_path: Path) -> None:
    """Neither a part that is there, nor the folder of another log; and what is no copy is refused."""
    back_up(running.settings, tmp_path / "copy", with_keys=False)
    running.stop()
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert "a part that is there is never replaced" in done.stderr
    foredraw(tmp_path / "other", "init")
    (tmp_path / "other" / "foredraw.db").unlink()
    assert "the back-up is of" in foredraw(tmp_path / "other", "restore", str(tmp_path / "copy")).stderr
    assert "is no back-up" in foredraw(running.settings.folder, "restore", str(tmp_path)).stderr


def test_records_that_were_not_published_are_published_by_the_copy(running: InProcessService, tmp_path: Path) -> None:
    """After the commit point they are part of the log, and the copy's database has them."""
    number = crash_at_lock(running, DRAW, "write checkpoint")
    running.stop()
    made = back_up(running.settings, tmp_path / "copy", with_keys=True)
    assert made.size == made.published + 1
    restored = of_copy(running, tmp_path / "copy")
    restored.start()
    assert restored.size == made.size
    restored.lock(DRAW, number)
    restored.reveal(DRAW, number)
    restored.check()
    restored.stop()


def test_a_copy_older_than_the_custodian_does_not_start(running: InProcessService, tmp_path: Path) -> None:
    """By hand in place, without `restore`: the start refuses as ever."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.play(FLIGHT, 2)
    running.stop()
    shutil.rmtree(tmp_path / "copy" / "custodian")
    shutil.copytree(running.settings.secrets.parent, tmp_path / "copy" / "custodian")
    refuses_to_start(of_copy(running, tmp_path / "copy"), "from a backup")
    with pytest.raises(RecoveryError):
        of_copy(running, tmp_path / "copy").start()


@pytest.mark.nightly("a service of its own")
def test_a_service_is_copied_while_rounds_are_played(tmp_path: Path) -> None:
    """By real processes: the copy is a part of what the log has in the end, and an audit of it passes."""
    with running_service(tmp_path / "data", {DRAW: "keno-express"}) as service:
        stop, played = threading.Event(), list[int]()

        def play() -> None:
            while not stop.is_set():
                played.append(service.next_round(DRAW))
                service.play(DRAW, played[-1])

        player = threading.Thread(target=play)
        player.start()
        try:
            for number in range(3):
                before = len(played)
                assert (
                    foredraw(
                        service.settings.folder, "backup", str(tmp_path / f"copy-{number}"), "--with-keys"
                    ).returncode
                    == 0
                )
                while len(played) <= before:
                    assert player.is_alive()
                    stop.wait(0.01)
        finally:
            stop.set()
            player.join()
    copy = InProcessService(tmp_path / "copy-2")
    copy.start()
    assert copy.check().records
    copy.stop()


def only(running: InProcessService, *parts: str) -> None:
    """The folder keeps its keys and these parts."""
    for part in {"foredraw.db", "log", "custodian"} - set(parts):
        if part == "foredraw.db":
            lose_database(running)
        else:
            shutil.rmtree(running.settings.folder / part)


@pytest.mark.parametrize("part", ["foredraw.db", "log", "custodian"])
def test_a_part_that_knows_no_more_than_the_back_up_shows_nothing(
    part: str, running: InProcessService, tmp_path: Path
) -> None:
    """An old part may come from a copy itself, so it does not stand for the operator's word: the log is not
    forked.
    """
    copy = tmp_path / "copy"
    back_up(running.settings, copy, with_keys=True)
    running.play(FLIGHT, 2)
    running.stop()
    only(running)
    old, here = copy / part, running.settings.folder / part
    if old.is_dir():
        shutil.copytree(old, here, dirs_exist_ok=True)
    else:
        shutil.copy2(old, here)
    done = foredraw(running.settings.folder, "restore", str(copy))
    assert done.returncode == 1
    assert re.search(r"no part in .* knows more than the \d+ records.*--the-log-has-not-grown", done.stderr)
    found = {path.name for path in running.settings.folder.iterdir()}
    assert found & {"foredraw.db", "log", "custodian"} == {part}
    assert [path.name for path in copy.rglob("*.lock")] == []
    assert foredraw(running.settings.folder, "restore", str(copy), "--the-log-has-not-grown").returncode == 0


@pytest.mark.parametrize("part", ["foredraw.db", "log", "custodian"])
def test_a_part_that_knows_more_needs_no_word_of_the_operator(
    part: str, running: InProcessService, tmp_path: Path
) -> None:
    """It shows that the log has grown: what the back-up lacks is completed, or refused."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.play(FLIGHT, 2)
    running.stop()
    only(running, part)
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"))
    assert "has not grown" not in done.stderr
    assert "knows more" not in done.stderr
    if part == "custodian":
        assert "the custodian has released" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        plays_on(running)


@pytest.mark.parametrize("part", ["foredraw.db", "custodian/seeds.db"])
def test_an_empty_file_is_not_taken_for_a_part(part: str, running: InProcessService, tmp_path: Path) -> None:
    """A crash can leave one. Without it, the same command goes on."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.play(FLIGHT, 2)
    running.stop()
    path = running.settings.folder / part
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    shutil.rmtree(running.settings.log / "find")
    newest = shutil.copytree(running.settings.log, tmp_path / "newest")
    lose_log(running)
    path.touch()
    done = foredraw(running.settings.folder, "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert done.returncode == 1
    assert re.search(f"{part} is an empty file, which a crash may have left. Move it out", done.stderr)
    path.unlink()
    shutil.copytree(newest, running.settings.log)
    assert foredraw(running.settings.folder, "restore", str(tmp_path / "copy")).returncode == 0
    plays_on(running)


def test_a_store_that_is_older_than_the_back_up_is_refused(running: InProcessService, tmp_path: Path) -> None:
    """It lacks seeds that the back-up has, or marks only; the newest store is taken."""
    custodian = running.settings.secrets.parent
    back_up(running.settings, tmp_path / "first", with_keys=True)
    running.play(FLIGHT)
    back_up(running.settings, tmp_path / "marks", with_keys=True)
    play_past_a_bundle(running)
    back_up(running.settings, tmp_path / "seeds", with_keys=True)
    running.stop()
    newest = shutil.copytree(custodian, tmp_path / "newest")
    lose_database(running)
    shutil.rmtree(custodian)
    shutil.copytree(tmp_path / "first" / "custodian", custodian)
    for lacking in ("marks", "seeds"):
        done = foredraw(running.settings.folder, "restore", str(tmp_path / lacking), "--the-log-has-not-grown")
        assert done.returncode == 1
        assert f"lacks {lacking} that the back-up's store has" in done.stderr
    shutil.rmtree(custodian)
    shutil.copytree(newest, custodian)
    assert (
        foredraw(running.settings.folder, "restore", str(tmp_path / "seeds"), "--the-log-has-not-grown").returncode
        == 0
    )
    plays_on(running)


@pytest.mark.lattice
@pytest.mark.parametrize("name", ["seeds.db", "log", "foredraw.db", "log-signing.key"])
def test_a_restore_that_is_cut_short_can_be_run_again(
    name: str, running: InProcessService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At no moment does a part have its name before all of it is on the disk; leftovers of a copy are in nobody's
    way.
    """
    copy, restored = tmp_path / "copy", tmp_path / "restored"
    back_up(running.settings, copy, with_keys=True)
    running.stop()
    events: list[str] = []
    rename = Path.rename

    def noted(path: Path, target: Path) -> Path:
        events.append(target.name)
        if target.name == name:
            raise SystemExit
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "sync", lambda: events.append("sync"))
        patched.setattr(Path, "rename", noted)
        # The power fails: nothing is cleaned up.
        patched.setattr(pieces, "_remove", lambda _: None)
        with pytest.raises(SystemExit):
            put_back(Settings(restored), copy, has_not_grown=True)
    # Nothing is named before a sync.
    assert events[0] == "sync"
    assert events[-1] == name
    left = list(restored.rglob("*.restoring"))
    assert left
    torn = next(path for path in left if path.name == f"{name}.restoring")
    if torn.is_dir():
        (torn / "checkpoint").unlink()
    else:
        torn.write_bytes(b"")
    put_back(Settings(restored), copy, has_not_grown=True)
    assert not list(restored.rglob("*.restoring*"))
    plays_on(of_copy(running, restored))


@pytest.mark.lattice
@pytest.mark.parametrize("room", [0, 40_000, 200_000])
def test_a_back_up_that_finds_no_room_is_none(room: int, running: InProcessService, tmp_path: Path) -> None:
    """Whichever file finds the disk full: the words name the target, nothing is left there, and rounds go on."""
    target = tmp_path / "copies"
    target.mkdir()
    with small_disk(target) as disk:
        disk.fill(spare=room)
        done = foredraw(running.settings.folder, "backup", str(target / "copy"))
        disk.make_room()
        assert (done.returncode, list(target.iterdir())) == (1, [])
        assert f"no back-up was made: the disk of {target} is full. Make room there" in done.stderr
        assert foredraw(running.settings.folder, "backup", str(target / "copy")).returncode == 0
    running.play(DRAW)
    running.check()
