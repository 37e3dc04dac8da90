"""A back-up and a restore follow nothing that leads elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.programs.doctor.examine import examine
from api.restore.backup import back_up
from api.world.clock import Clock
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService

pytestmark = pytest.mark.one_database("of folders")
TABLE, NAME = "keno-1", "0" * 64
SECRET = b"a key of this machine"


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessService]:
    """A service that has played, and a file outside of it."""
    made = InProcessService.create(tmp_path / "data", tables=[(TABLE, "keno-express")])
    made.play(TABLE, 3)
    made.settle()
    (tmp_path / "secret").write_bytes(SECRET)
    monkeypatch.setattr(Clock, "moment", lambda _: made.clock.date)
    yield made
    made.stop()


def plant(log: Path, outside: Path) -> list[Path]:
    """A link and a pipe beside the files of a log; returns where they are."""
    made = [
        log / "commitments" / NAME[:2] / NAME,
        log / "witnessed" / NAME[:2] / NAME,
        log / "find/tables/00/00000000",
    ]
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
    made[0].symlink_to(outside)
    os.mkfifo(made[1])
    made[2].symlink_to(outside)
    return made


def test_a_back_up_has_none_of_it(running: InProcessService, tmp_path: Path) -> None:
    """Neither the link nor what it leads to; and it does not wait for the pipe. The doctor names all of them."""
    planted = plant(running.settings.log, tmp_path / "secret")
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    copied = [path for path in (tmp_path / "copy").rglob("*") if not path.is_dir()]
    assert not [path for path in copied if path.is_symlink() or not path.is_file() or path.read_bytes() == SECRET]
    running.stop()
    [found] = [each for each in examine(running.settings).findings if "leads elsewhere" in each.says]
    assert found.level == "problem"
    for path in planted:
        assert str(path.relative_to(running.settings.folder)) in found.says


def test_a_restore_brings_none_of_it(running: InProcessService, tmp_path: Path) -> None:
    """From a back-up in which somebody has planted it."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    plant(tmp_path / "copy" / "log", tmp_path / "secret")
    running.stop()
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert done.returncode == 0, done.stderr
    restored = [path for path in (tmp_path / "restored").rglob("*") if not path.is_dir()]
    assert not [path for path in restored if path.is_symlink() or not path.is_file() or path.read_bytes() == SECRET]


def test_a_log_that_is_a_link_is_restored_where_it_leads(running: InProcessService, tmp_path: Path) -> None:
    """To a folder that machines share, which is empty."""
    back_up(running.settings, tmp_path / "copy", with_keys=True)
    running.stop()
    (tmp_path / "shared").mkdir()
    (tmp_path / "restored").mkdir()
    (tmp_path / "restored" / "log").symlink_to(tmp_path / "shared")
    done = foredraw(tmp_path / "restored", "restore", str(tmp_path / "copy"), "--the-log-has-not-grown")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "restored" / "log").is_symlink()
    assert (tmp_path / "shared" / "checkpoint").exists()
