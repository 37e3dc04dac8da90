"""A disk without a byte left, below each folder in which the service keeps files: it says so, waits, and goes on by
itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_service import RunningService, initialised, wait_until
from tests.support.small_disk import play_on, play_until_refused, small_disk
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.one_database("a disk with the folder's file")

TABLE = "keno-1"
CASES = {
    "everything": ("", (), "log/"),
    "the database, its WAL and the files of state": ("", ("log", "custodian"), "foredraw.db"),
    "tiles, checkpoint, commitments and finding aids": ("log", (), "log/"),
    "the sealed seeds": ("custodian", (), "custodian/"),
}
"""What is on a small disk of its own: the folder, what of it is not, and where the service says that it is full."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """A service, not started yet, whose batches last for two rounds."""
    made = initialised(tmp_path / "data", {TABLE: "keno-express"}, batch_size=2, options=("--workers", "1"))
    try:
        yield made
    finally:
        made.clean_up()


@pytest.mark.lattice
@pytest.mark.parametrize("case", CASES)
def test_a_full_disk_stops_rounds_until_there_is_room(case: str, service: RunningService) -> None:
    """No call is answered with success that was not stored, no outcome is told, and the audit passes at once and at
    the end.
    """
    folder, without, named = CASES[case]
    with small_disk(service.folder / folder, without=without) as disk:
        service.start()
        service.settle()
        service.play(TABLE, 1)
        refused = play_until_refused(service, TABLE, disk)
        audit_log(FolderSource(service.settings.log), service.key)
        service.says(named)
        service.says("full", "Make room")
        disk.make_room()
        wait_until(lambda: service.wrong == [], "the service to go on")
        play_on(service, TABLE, refused)
        service.settle()
        assert service.stop() == 0, service.output
        assert "Traceback" not in service.output
        states = service.replay()
        assert states[TABLE].next_round == refused + 2
        audit_log(FolderSource(service.settings.log), service.key)
