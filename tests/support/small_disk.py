"""A folder on a disk of its own, in memory, which a test fills to its last byte, and play on it. Mounting needs
root.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from api.world.storage_failures import LEAST_FREE
from tests.support.running_service import RunningService

_BALLAST = "ballast"
_BLOCK = 65_536
_MANY = 100_000
_MOST_ROUNDS = 200
"""A service that plays so many on a full disk stores nothing there."""


class SmallDisk:
    """The disk below a folder."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / _BALLAST

    def fill(self, spare: int = 0) -> None:
        """Leave not a byte, or ``spare`` ones; call it again after somebody has removed a file."""
        with self._ballast.open("ab", buffering=0) as file:
            size = _BLOCK
            while size:
                try:
                    file.write(bytes(size))
                except OSError as error:
                    assert error.errno == errno.ENOSPC  # noqa: PT017 -- it is raised until nothing fits
                    size //= 2
            file.truncate(file.tell() - spare)

    def fill_with_files(self) -> None:
        """Leave no inode, but room; call it again after somebody has removed a file."""
        self._ballast.mkdir(exist_ok=True)
        try:
            for number in count():
                (self._ballast / str(number)).touch()
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 -- it is raised until none fits

    def make_room(self) -> None:
        """What filled it is gone."""
        if self._ballast.is_dir():
            shutil.rmtree(self._ballast)
        else:
            self._ballast.unlink()


@contextmanager
def small_disk(
    folder: Path, size: int = 2 * LEAST_FREE, without: Iterable[str] = (), *, inodes: int = _MANY
) -> Iterator[SmallDisk]:
    """Move a folder with all that is in it to a disk of its own, of so many bytes and inodes; it is gone at the end.

    What is in it ``without`` being moved stays on the disk of before.
    """
    assert os.geteuid() == 0, "mounting a disk needs root here: run this test as root"
    before = folder.with_name(f"{folder.name}-before")
    subprocess.run(["cp", "--archive", folder, before], check=True)
    options = f"size={size},nr_inodes={inodes},mode={folder.stat().st_mode & 0o777:o}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "foredraw-tests", folder], check=True)
    try:
        subprocess.run(["cp", "--archive", f"{before}/.", folder], check=True)
        for name in without:
            subprocess.run(["mount", "--bind", before / name, folder / name], check=True)
        yield SmallDisk(folder)
    finally:
        # Whatever still runs there may have files open, so it is detached now, with what is mounted below, and gone
        # when they are closed.
        subprocess.run(["umount", "--lazy", folder], check=True)
        shutil.rmtree(before)


def play_until_refused(service: RunningService, table: str, disk: SmallDisk) -> int:
    """Play on a disk that is full again before each call; returns the round that was refused, or has to wait."""
    first = service.next_round(table)
    for number in range(first, first + _MOST_ROUNDS):
        for action in ("open", "lock", "reveal"):
            disk.fill()
            answer = service.post(f"/v1/engine/tables/{table}/rounds/{number}/{action}")
            if answer.status != 200:
                assert (answer.status, "Retry-After" in answer.headers) in {(503, True), (202, True)}, answer
                assert "outcome" not in answer.document
                return number
    raise AssertionError(f"{_MOST_ROUNDS} rounds were played on a full disk")


def play_on(service: RunningService, table: str, refused: int) -> None:
    """Finish the round that was refused, whose calls may have been stored all the same, and play the next one."""
    for action in ("open", "lock", "reveal"):
        assert service.act(table, refused, action).status in {200, 409}
    service.play(table, refused + 1)
