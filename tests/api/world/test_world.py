"""Files of the log as the service reads and writes them."""

from __future__ import annotations

import errno
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from api.world.durable import sync_folder, write_durably
from api.world.published.log_folder import LogFolder
from api.world.published.web_files import WebFiles
from tests.support.log_server import answering
from tests.support.unsynced import folders_answer


def descriptors() -> int:
    """The number of files that this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_part_that_is_written_is_read_at_once(tmp_path: Path) -> None:
    """A file that was missing, grew, or was overwritten in place: its current bytes, through one descriptor."""
    log = LogFolder(tmp_path)
    assert log.read_part("find/a", 0, 8) == b""
    for part, whole in (((0, b"abcd"), b"abcd"), ((4, b"ef"), b"abcdef"), ((1, b"XY"), b"aXYdef")):
        log.write_parts("find/a", [part])
        assert log.read_part("find/a", 0, 8) == whole
    assert log.read_part("find/a", 2, 3) == b"Yde"
    assert log.read_part("find/a", 6, 3) == b""


def test_the_files_that_are_kept_open_have_a_limit(tmp_path: Path) -> None:
    """However many tables there are, descriptors do not run out; closed files are opened again."""
    log = LogFolder(tmp_path)
    for number in range(600):
        log.write_parts(f"find/{number}", [(0, str(number).encode())])
    before = descriptors()
    for _ in range(2):
        assert all(log.read_part(f"find/{number}", 0, 9) == str(number).encode() for number in range(600))
    assert 0 < descriptors() - before <= 256


def test_aids_that_are_replaced_are_read_again(tmp_path: Path) -> None:
    """`rebuild` replaces them."""
    log, fresh = LogFolder(tmp_path / "log"), LogFolder(tmp_path / "fresh")
    log.write_parts("find/a", [(0, b"old")])
    assert log.read_part("find/a", 0, 3) == b"old"
    fresh.write_parts("find/a", [(0, b"new")])
    log.replace_aids(fresh.folder)
    assert log.read_part("find/a", 0, 3) == b"new"


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_a_folder_that_cannot_be_synced_is_no_failure(
    error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a network's file system: files, a leader's folder, parts and aids are there, and nothing is called not
    written.
    """
    log, fresh = LogFolder(tmp_path / "log"), LogFolder(tmp_path / "fresh")
    fresh.write_parts("find/a", [(0, b"new")])
    folders_answer(monkeypatch, "fsync", error)
    write_durably(tmp_path / "key", b"key")
    log.write_as("leader")
    log.write("checkpoint", b"text")
    log.write_parts("find/a", [(0, b"old")])
    log.sync("find/a")
    log.replace_aids(fresh.folder)
    assert (log.read("checkpoint"), log.read("find/a"), (tmp_path / "key").read_bytes()) == (b"text", b"new", b"key")


def test_a_folder_that_cannot_be_opened_to_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its account may not list it; what was renamed there is there."""
    folders_answer(monkeypatch, "open", errno.EACCES)
    sync_folder(tmp_path)


def test_a_folder_whose_disk_fails_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EIO means that a name may be lost."""
    folders_answer(monkeypatch, "fsync", errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        write_durably(tmp_path / "key", b"key")
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)


@pytest.mark.parametrize("value", ["", "identity", " , Identity"])
def test_an_encoding_that_changes_nothing_is_none(value: str) -> None:
    """Some web servers in front of a log send the header without a value."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Encoding", value)
        request.send_header("Content-Length", "4")
        request.end_headers()
        request.wfile.write(b"text")

    with answering(answer) as address:
        files = WebFiles(address)
        assert files.get("checkpoint", 9) == b"text"
        files.close()
