"""A file that somebody names for a program's output: a new one, an old one, a link, or something that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from verifier.durable_file import write_durably


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


@pytest.mark.parametrize("name", ["", "folder", "/"])
def test_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    """With the system's words."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_durably(tmp_path / name, b"new")
