"""What happens to the folder of a service that is stopped: bits flip, the database is lost, parts come from a
backup.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from api.log.recovery import RecoveryError
from tests.support.faulty_world import Fault, Faults
from tests.support.in_process_service import InProcessService


def flip_bit(path: Path) -> None:
    """Flip one bit in the middle of a file, in a file of its own: copies of a log share theirs."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()
    path.write_bytes(data)


def smash(database: Path, table: str) -> None:
    """Overwrite the root page of a table in a database that nobody is writing."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchall()
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def lose_database(running: InProcessService) -> None:
    """Delete the database, with SQLite's files beside it."""
    for file in running.settings.folder.glob("foredraw.db*"):
        file.unlink()


def put_back(running: InProcessService, backup: Path, *parts: str) -> None:
    """Replace parts of the folder by those of a backup, which is a copy of the whole folder."""
    for part in parts:
        here = running.settings.folder / part
        if (backup / part).is_dir():
            shutil.rmtree(here)
            shutil.copytree(backup / part, here)
        else:
            shutil.copy2(backup / part, here)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a service, except those that a refused rebuild may leave behind, and locks."""
    files = [file for file in folder.rglob("*") if file.is_file() and "rebuilding" not in str(file)]
    return {str(file): file.read_bytes() for file in files if file.suffix not in {".lock", ".db-shm"}}


def refuses_to_start(running: InProcessService, message: str) -> None:
    """Assert that the service does not start, says why, and signs nothing."""
    signed = list(running.disk.checkpoints)
    with pytest.raises(RecoveryError, match=message):
        running.start()
    assert running.disk.checkpoints == signed


def crash_at_lock(running: InProcessService, table: str, effect: str) -> int:
    """Restart, and crash at the first effect of this name while the next round is locked. Returns the round's
    number.
    """
    faults = Faults(only=effect)
    running.restart(faults)
    faults.arm(1, "before")
    number = running.state(table).next_round
    running.open(table, number)
    with suppress(Fault):
        running.lock(table, number)
    return number
