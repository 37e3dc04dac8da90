"""A refused restore removes all that it has made, and nothing else."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from api.restore import pieces, put_back
from api.restore.backup import back_up
from api.settings import Settings, SettingsError
from api.world.clock import Clock
from api.world.file_lock import FileLock, is_held
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService
from tests.support.next_version import next_version

pytestmark = pytest.mark.one_database("of folders")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A back-up of a service that has played, and is stopped."""
    running = InProcessService.create(tmp_path / "data", tables=[("keno-1", "keno-express")])
    running.play("keno-1", 3)
    running.settle()
    monkeypatch.setattr(Clock, "moment", lambda _: running.clock.date)
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.stop()
    return tmp_path / "copy"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where it is restored: nothing is there yet, and nothing else around it."""
    (tmp_path / "around").mkdir()
    return tmp_path / "around" / "restored"


def tree(folder: Path) -> dict[str, tuple[int, int, bytes | None]]:
    """Everything below a folder's parent: which file it is, its mode, and what it holds."""
    found = [folder.parent, *folder.parent.rglob("*")]
    statuses = [path.lstat() for path in found]
    return {
        str(path): (status.st_ino, status.st_mode, path.read_bytes() if path.is_file() else None)
        for path, status in zip(found, statuses, strict=True)
    }


def nothing(_: Path) -> None:
    """No folder yet, nor the one around it."""


def things_of_others(folder: Path) -> None:
    """Files that are none of ours, and an empty log, which a group may read."""
    folder.mkdir()
    (folder / "log").mkdir(mode=0o750)
    (folder / "notes.txt").write_text("keep", "ascii")
    (folder / "keys").mkdir()


def a_lock(folder: Path) -> None:
    """What an earlier run has left."""
    (folder / "custodian").mkdir(parents=True)
    (folder / "background.lock").touch()


def beside_lost_files(folder: Path) -> None:
    """What SQLite has left beside databases that are gone."""
    folder.mkdir()
    (folder / "custodian").mkdir(mode=0o700)
    for name in ("foredraw.db-wal", "foredraw.db-shm", "custodian/seeds.db-wal"):
        (folder / name).write_bytes(b"of a lost file")


def a_shared_log(folder: Path) -> None:
    """A link to an empty folder, which belongs to a group."""
    shared = folder.parent / "shared"
    shared.mkdir()
    shared.chmod(0o2770)
    folder.mkdir()
    (folder / "log").symlink_to(shared)


def fail_after_log(patch: pytest.MonkeyPatch) -> None:
    """The disk fails right after the log has its name."""
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        renamed = rename(path, target)
        if path.name == "log.restoring":
            raise OSError(errno.EIO, "the disk fails", str(target))
        return renamed

    patch.setattr(Path, "rename", failing)


def refuse(*_: object) -> None:
    """A check that does not hold."""
    raise SettingsError("no")


def interrupt(*_: object) -> None:
    """Ctrl-C."""
    raise KeyboardInterrupt


FAILURES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "before anything": lambda _: None,
    "while it is put in place": fail_after_log,
    "in the middle": lambda patch: patch.setattr(put_back, "check_opens", refuse),
    "at an interrupt": lambda patch: patch.setattr(put_back, "check_opens", interrupt),
    "at its end": lambda patch: patch.setattr(put_back, "note", refuse),
}


@pytest.mark.lattice
@pytest.mark.parametrize("before", [nothing, things_of_others, a_lock, beside_lost_files, a_shared_log])
@pytest.mark.parametrize("fails", FAILURES)
def test_a_refused_restore_leaves_what_was_there(
    before: Callable[[Path], None], fails: str, copy: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that it has made is gone, and everything else is as it was: the same files, with their modes."""
    before(folder)
    was, of_copy = tree(folder), tree(copy)
    FAILURES[fails](monkeypatch)
    # Without the operator's word it is refused by itself.
    word = [] if fails == "before anything" else ["--the-log-has-not-grown"]
    assert foredraw(folder, "restore", str(copy), *word).returncode != 0
    assert tree(folder) == was
    assert tree(copy).keys() == of_copy.keys()


def test_what_lay_beside_a_lost_database_is_gone_when_it_is_restored(copy: Path, folder: Path) -> None:
    """SQLite would read it into the new one."""
    beside_lost_files(folder)
    done = foredraw(folder, "restore", str(copy), "--the-log-has-not-grown")
    assert done.returncode == 0, done.stderr
    assert not [*folder.rglob("*.restoring"), *folder.rglob("*-wal")]


def test_what_lay_there_before_may_stay(copy: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When all is in place, a failure to remove it takes no piece away."""
    things_of_others(folder)
    remove = pieces._remove

    def failing(path: Path) -> None:
        if path.name == "log.before.restoring":
            raise OSError(errno.EIO, "the disk fails", str(path))
        remove(path)

    monkeypatch.setattr(pieces, "_remove", failing)
    put_back.put_back(Settings(folder), copy, has_not_grown=True)
    assert (folder / "log" / "checkpoint").exists()
    assert (folder / "log.before.restoring").exists()
    assert (folder / "custodian" / "seeds.db").exists()


def test_a_lock_that_another_program_holds_stays(copy: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two begin at once in a folder without locks: the one that is refused does not take the other's lock away."""
    lock = Settings(folder).background_lock

    def too_late(_: Settings) -> None:
        other.append(FileLock(lock))
        assert other[0].try_to_hold()
        raise SettingsError("another service runs")

    other: list[FileLock] = []
    monkeypatch.setattr(put_back, "hold_service", too_late)
    with pytest.raises(SettingsError, match="another service runs"):
        put_back.put_back(Settings(folder), copy, has_not_grown=True)
    with closing(other[0]):
        assert is_held(lock)


def test_locks_of_the_back_up_stay(copy: Path, folder: Path) -> None:
    """It may be a data folder that is used itself."""
    for name in ("write.lock", "custodian/write.lock"):
        (copy / name).touch()
    was = tree(copy).keys()
    assert foredraw(folder, "restore", str(copy)).returncode == 1
    assert tree(copy).keys() == was


def test_nobody_starts_before_what_was_refused_is_gone(
    copy: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service is held until then, so parts are removed under no other program."""
    held, remove = {}, pieces._remove

    def removed(path: Path) -> None:
        if path.exists():
            held[path.name] = is_held(Settings(folder).background_lock)
        remove(path)

    monkeypatch.setattr(put_back, "check_opens", refuse)
    monkeypatch.setattr(pieces, "_remove", removed)
    with pytest.raises(SettingsError, match="no"):
        put_back.put_back(Settings(folder), copy, has_not_grown=True)
    assert held == dict.fromkeys(
        ("foredraw.db", "log", "seeds.db", "seed-encryption.key", "log-signing.key", "log.vkey"), True
    )


def test_a_part_that_cannot_be_removed_keeps_no_other(
    copy: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can be removed, is."""

    def stuck(path: Path) -> None:
        if path.name == "log":
            raise OSError(errno.EBUSY, "Device or resource busy", "log")
        remove(path)

    remove = pieces._remove
    monkeypatch.setattr(put_back, "check_opens", refuse)
    monkeypatch.setattr(pieces, "_remove", stuck)
    assert foredraw(folder, "restore", str(copy), "--the-log-has-not-grown").returncode == 1
    assert [path.name for path in folder.iterdir()] == ["log"]


def test_a_database_that_is_there_keeps_its_schema(copy: Path, folder: Path, tmp_path: Path) -> None:
    """An older one is neither upgraded nor changed: `foredraw upgrade` would keep a copy."""
    folder.mkdir()
    shutil.copy2(copy / "foredraw.db", folder)
    was = tree(folder)
    with next_version(tmp_path / "revisions"):
        done = foredraw(folder, "restore", str(copy), "--the-log-has-not-grown")
    assert done.returncode == 1
    assert "foredraw upgrade" in done.stderr
    assert tree(folder) == was
