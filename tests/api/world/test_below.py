"""Nothing below the log's folder leads elsewhere: neither for who reads, nor for who writes, nor for who copies
it.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from api.world.published.log_folder import LogFolder
from fairness.errors import Missing

SECRET = b"a key"
COMMITMENTS = f"commitments/00/{'0' * 64}"
PATHS = (COMMITMENTS, "tile/0/000", "tile/entries/x001/000.p/7", "find/rounds/aa/000", "witnessed/bb", "checkpoint")

Plant = Callable[[Path, Path], None]
"""Puts something at a path of the log, so that it leads to a file outside."""


def a_link(at: Path, outside: Path) -> None:
    """At the file's own name."""
    at.symlink_to(outside)


def a_relative_link(at: Path, outside: Path) -> None:
    """The same, by a path from there."""
    at.symlink_to(os.path.relpath(outside, at.parent))


def a_linked_folder(at: Path, outside: Path) -> None:
    """In the place of its folder."""
    elsewhere = outside.with_name("elsewhere")
    elsewhere.mkdir(exist_ok=True)
    (elsewhere / at.name).write_bytes(outside.read_bytes())
    at.parent.rmdir()
    at.parent.symlink_to(elsewhere)


def a_loop(at: Path, _: Path) -> None:
    """A link to itself."""
    at.symlink_to(at.name)


def a_pipe(at: Path, _: Path) -> None:
    """Which nobody writes to."""
    os.mkfifo(at)


def a_socket(at: Path, _: Path) -> None:
    """At which nobody listens."""
    here = Path.cwd()
    try:
        # The path of a socket may have a hundred characters only.
        os.chdir(at.parent)
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(at.name)
    finally:
        os.chdir(here)


def a_folder(at: Path, _: Path) -> None:
    """An empty one."""
    at.mkdir()


def a_link_inside(at: Path, outside: Path) -> None:
    """A link among the files of a folder."""
    (at / "7").symlink_to(outside)


def a_folder_inside(at: Path, _: Path) -> None:
    """Among the files of a folder, with a file in it."""
    (at / "7").mkdir()
    (at / "7" / "x").touch()


PLANTS = (a_link, a_relative_link, a_linked_folder, a_loop, a_pipe, a_socket, a_folder)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that is none of the log's."""
    (tmp_path / "outside").write_bytes(SECRET)
    return tmp_path / "outside"


def planted(tmp_path: Path, path: str, plant: Plant, outside: Path) -> LogFolder | None:
    """A log with something planted; `None` if it cannot be there."""
    if plant is a_linked_folder and "/" not in path:
        return None
    at = tmp_path / "log" / path
    at.parent.mkdir(parents=True)
    plant(at, outside)
    return LogFolder(tmp_path / "log")


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_read_that_is_elsewhere(path: str, plant: Plant, tmp_path: Path, outside: Path) -> None:
    """By whichever call, and nobody waits for a pipe."""
    log = planted(tmp_path, path, plant, outside)
    if log is None:
        return
    for call in (log.read, log.open):
        with pytest.raises(Missing, match="it is a link, or no "):
            call(path)
    assert log.read_part(path, 0, 5) == b""
    if plant is not a_linked_folder:
        assert log.size(path) is None
        assert log.stamp(path) == (0, 0)
        folder = path.partition("/")[0]
        assert folder == path or log.files(folder) == []


@pytest.mark.parametrize("plant", [each for each in PLANTS if each is not a_folder])
@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_written_elsewhere(path: str, plant: Plant, tmp_path: Path, outside: Path) -> None:
    """What was planted is replaced, at its name and at the name of the unfinished file; a link to a whole folder is
    refused.
    """
    log = planted(tmp_path, path, plant, outside)
    if log is None:
        return
    writes: list[Callable[[], None]] = [
        lambda: log.write_parts(path, [(0, b"true")]),
        lambda: log.write_soon(path, b"true"),
        lambda: log.write(path, b"true"),
    ]
    for number, write in enumerate(writes):
        if plant is a_linked_folder and path.startswith("witnessed/"):
            with pytest.raises(OSError, match="nothing follows it"):
                write()
        else:
            write()
            assert log.read(path) == b"true"
        if number < len(writes) - 1 and plant is not a_linked_folder:
            at = tmp_path / "log" / path
            at.unlink()
            plant(at, outside)
            plant(at.with_name(f"{at.name}.new"), outside)
            plant(at.with_name(f".{at.name}.{os.getpid()}.new"), outside) if number else None
    assert outside.read_bytes() == SECRET
    assert [each.read_bytes() for each in tmp_path.glob("elsewhere/*")] in ([], [SECRET])


def test_a_hard_link_at_an_unfinished_name_is_not_written_through(tmp_path: Path, outside: Path) -> None:
    """It is removed, and the file is made new."""
    log = LogFolder(tmp_path / "log")
    log.write("tile/0/000", b"old")
    for name in (".000.new", f".000.{os.getpid()}.new", "000.new"):
        (tmp_path / "log/tile/0" / name).hardlink_to(outside)
    log.write("tile/0/000", b"true")
    log.write_soon("tile/0/000", b"true")
    assert outside.read_bytes() == SECRET


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    """As it is on machines that share one."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "log").symlink_to(tmp_path / "shared")
    for folder in (tmp_path / "log", Path(f"{tmp_path}/log/")):
        log = LogFolder(folder)
        log.write("tile/0/000", b"true")
        log.write_soon("checkpoint", b"head")
        assert log.read("tile/0/000") == b"true"
        assert log.stamp("checkpoint") != (0, 0)
        assert log.files("tile") == ["tile/0/000"]
    assert (tmp_path / "shared/tile/0/000").read_bytes() == b"true"


def test_a_leaders_folder_is_made_in_the_log(tmp_path: Path, outside: Path) -> None:
    """Whatever was planted in its place."""
    log = LogFolder(tmp_path / "log")
    log.write("checkpoint", b"head")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "log/.unfinished").symlink_to(elsewhere)
    log.write_as("leader")
    log.write("tile/0/000", b"true")
    assert list(elsewhere.iterdir()) == []
    assert log.may_write_as("leader")
    (elsewhere / "kept").touch()
    (tmp_path / "log/.unfinished/another").symlink_to(elsewhere)
    (tmp_path / "log/.unfinished/pipe.ended").touch()
    log.write_as("next")
    assert [each.name for each in (tmp_path / "log/.unfinished").iterdir()] == ["next"]
    assert (elsewhere / "kept").exists()
    assert outside.read_bytes() == SECRET


def test_a_leaders_folders_are_those_that_were_opened(
    tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that takes their folder's place before they are listed has nothing elsewhere renamed or removed."""
    log = LogFolder(tmp_path / "log")
    log.write_as("first")
    elsewhere, listdir = tmp_path / "elsewhere", os.listdir
    elsewhere.mkdir()
    (elsewhere / "kept").write_bytes(SECRET)

    def late(folder: int | str) -> list[str]:
        if not (tmp_path / "moved").exists():
            (tmp_path / "log/.unfinished").rename(tmp_path / "moved")
            (tmp_path / "log/.unfinished").symlink_to(elsewhere)
        return listdir(folder)

    monkeypatch.setattr(os, "listdir", late)
    log.write_as("second")
    assert listdir(elsewhere) == ["kept"]
    assert listdir(tmp_path / "moved") == ["second"]
    # The next term is led from the log's own folder again.
    assert not log.may_write_as("second")
    log.write_as("third")
    log.write("tile/0/000", b"true")
    assert log.read("tile/0/000") == b"true"
    assert outside.read_bytes() == SECRET


@pytest.mark.parametrize("name", ["a" * 255, "first.ended", "a.b"])
@pytest.mark.parametrize("plant", [a_link, a_pipe, a_folder])
def test_no_name_among_the_leaders_keeps_one_from_beginning(
    plant: Plant, name: str, tmp_path: Path, outside: Path
) -> None:
    """Whatever has it, a folder with something in it as well."""
    log = LogFolder(tmp_path / "log")
    log.write_as("first")
    at = tmp_path / "log/.unfinished" / name
    plant(at, outside)
    if plant is a_folder:
        (at / "full").touch()
    log.write_as("second")
    assert [each.name for each in at.parent.iterdir()] == ["second"]
    assert outside.read_bytes() == SECRET


@pytest.mark.parametrize("plant", [a_link, a_linked_folder, a_pipe, a_link_inside, a_folder_inside])
def test_partial_files_are_dropped_with_what_is_among_them(plant: Plant, tmp_path: Path, outside: Path) -> None:
    """Or in their place: the publisher goes on, and what a link leads to stays."""
    log = LogFolder(tmp_path / "log")
    log.write("tile/0/000.p/5", b"old")
    at = tmp_path / "log/tile/0/000.p"
    if plant in {a_link_inside, a_folder_inside}:
        plant(at, outside)
    else:
        shutil.rmtree(at)
        at.mkdir() if plant is a_linked_folder else None
        plant(at / "5" if plant is a_linked_folder else at, outside)
    log.remove_partials("tile/0/000")
    assert not os.path.lexists(at)
    assert log.partial_widths("tile/0/000") == set()
    assert [outside.read_bytes(), *(each.read_bytes() for each in tmp_path.glob("elsewhere/*"))] in (
        [SECRET],
        [SECRET, SECRET],
    )


def test_files_are_listed_from_any_folder_on(tmp_path: Path) -> None:
    """From the log's own as well; one that leads elsewhere is refused if it is asked for."""
    log = LogFolder(tmp_path / "log")
    paths = ["checkpoint", "tile/0/000", "tile/entries/000.p/7"]
    for path in paths:
        log.write(path, b"data")
    assert (log.files(""), log.files("tile"), log.files("tile/entries/")) == (paths, paths[1:], paths[2:])
    (tmp_path / "log/commitments").symlink_to(tmp_path / "log/tile")
    assert log.files("") == paths
    with pytest.raises(OSError, match="nothing follows it"):
        log.files("commitments")
