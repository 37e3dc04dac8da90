"""A file that somebody names for a program's output: a new one, an old one, a link, or something that is no file."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

import pytest

from tests.support.running_service import PATIENCE_SECONDS
from tests.support.unsynced import folders_answer
from verifier.durable_file import write_durably
from verifier.file_lock import holding


def test_a_link_stays(tmp_path: Path) -> None:
    """What it leads to is replaced, and nothing unfinished is left."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_durably(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert {each.name for each in tmp_path.iterdir()} == {"target", "link"}


def test_a_pipe_takes_the_bytes(tmp_path: Path) -> None:
    """It is not replaced by a file, as ``/dev/null`` would be by root."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_durably(pipe, b"new")
        assert os.read(reader, 9) == b"new"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_two_may_write_one_file_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither takes the other's unfinished file: both are written whole, and one of them stays. The name may be a
    long one.
    """
    file, texts, both, sync = tmp_path / ("f" * 255), [b"a" * 5000, b"b" * 5000], Barrier(2), os.fsync

    def synced(descriptor: int) -> None:
        both.wait(PATIENCE_SECONDS)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", synced)
    with ThreadPoolExecutor(2) as writers:
        list(writers.map(lambda data: write_durably(file, data), texts))
    assert file.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [file]


def test_one_at_a_time_holds_a_lock(tmp_path: Path) -> None:
    """Although its file comes and goes: a run that opened the one that is gone does not hold it beside the next."""
    lock, inside, most, rounds = tmp_path / "lock", [0], [0], 200

    def run(_: int) -> None:
        done = 0
        while done < rounds:
            with suppress(BlockingIOError), holding(lock):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                os.sched_yield()
                inside[0] -= 1
                done += 1

    with ThreadPoolExecutor(4) as runs:
        list(runs.map(run, range(4)))
    assert most == [1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["open", "fsync"])
@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP, errno.EACCES])
def test_a_folder_that_cannot_be_synced_is_no_failure(
    call: str, error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a network's file system, or without the right to list the folder: the file is whole, and in its place."""
    folders_answer(monkeypatch, call, error)
    write_durably(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("call", ["open", "fsync"])
def test_a_folder_whose_disk_fails_is_a_failure(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EIO means that a name may be lost."""
    folders_answer(monkeypatch, call, errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        write_durably(tmp_path / "file", b"new")


@pytest.mark.parametrize("name", ["", "folder", "/"])
def test_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    """With the system's words."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_durably(tmp_path / name, b"new")
