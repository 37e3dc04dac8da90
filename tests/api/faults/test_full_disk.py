"""A disk without a byte left, below each folder in which the service keeps files: it says so, waits, and goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_service import RunningService, initialised, wait_until
from tests.support.small_disk import SmallDisk, small_disk
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


def is_refused(service: RunningService, disk: SmallDisk, number: int) -> bool:
    """Play on, on a disk that is full again each time; whether a call was refused, or told to come back."""
    for action in ("open", "lock", "reveal"):
        disk.fill()
        answer = service.post(f"/v1/tables/{TABLE}/rounds/{number}/{action}")
        if answer.status != 200:
            assert (answer.status, "Retry-After" in answer.headers) in {(503, True), (202, True)}, answer
            assert "outcome" not in answer.document
            return True
    return False


@pytest.mark.parametrize("case", CASES)
def test_a_full_disk_stops_rounds_until_there_is_room(case: str, service: RunningService) -> None:
    """No call is answered with success that was not stored, no outcome is told, and the audit passes at once and at the end."""
    folder, without, named = CASES[case]
    with small_disk(service.folder / folder, without=without) as disk:
        service.start()
        service.settle()
        service.play(TABLE, 1)
        numbers = iter(range(2, 200))
        wait_until(lambda: is_refused(service, disk, next(numbers)), "a call to be refused")
        stopped = next(numbers) - 1
        audit_log(FolderSource(service.settings.log), service.key)
        wait_until(lambda: any(named in why for why in wrong(service)), f"the service to say it: {wrong(service)}")
        assert any("full" in why and "Make room" in why for why in wrong(service)), wrong(service)
        disk.make_room()
        wait_until(lambda: wrong(service) == [], "the service to go on")
        for action in ("open", "lock", "reveal"):
            # The one that was refused may have been stored all the same.
            assert service.act(TABLE, stopped, action).status in {200, 409}
        service.play(TABLE, stopped + 1)
        service.settle()
        assert service.stop() == 0, service.output
        assert "Traceback" not in service.output
        states = service.replay()
        assert states[TABLE].next_round == stopped + 2
        audit_log(FolderSource(service.settings.log), service.key)


def wrong(service: RunningService) -> list[str]:
    """What the service says is wrong."""
    found: list[str] = service.get("/health/ready", note=False).document.get("wrong", [])
    return found
