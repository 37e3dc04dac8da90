"""Files of the log as the service reads and writes them."""

from __future__ import annotations

from pathlib import Path

from api.world.published.log_folder import LogFolder


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
