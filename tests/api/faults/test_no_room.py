"""A disk without a byte left at each step that makes something durable, each by its name, with SQLite.

It is a real disk, so each file fails as it does there: the write-ahead log, a tile before it takes its name, a
finding aid in the middle. `test_full_disk.py` is the same with the real programs, which go on by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.crash_points import finds_no_room_at
from tests.support.durable_steps import POINTS, check_goes_on, played
from tests.support.in_process_service import InProcessService
from tests.support.small_disk import SmallDisk, small_disk

pytestmark = [
    pytest.mark.one_database("a disk with the folder's file; test_full_server has one of a server's"),
]

_RENAMED = "a renaming needs no room"
GOES_ON = {
    "a table is closed": "the keeper says so in the service's messages, and tries again",
    "the clock is remembered": "the next process starts from the newest record again",
    "what the monitor has counted is put in place": _RENAMED,
    "a rotation's new key takes its place": _RENAMED,
}
"""Steps that a full disk does not end, and why."""
FREES_ROOM = "partial files are removed"
"""What they took may be enough for the rest."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service, stopped."""
    return played(tmp_path_factory.mktemp("full") / "data")


@pytest.fixture
def service(running: InProcessService) -> Iterator[InProcessService]:
    """A copy whose folder is a disk of its own."""
    with small_disk(running.settings.folder):
        yield running
        running.stop()


@pytest.mark.lattice
@pytest.mark.parametrize("name", POINTS)
def test_a_full_disk_loses_nothing_and_leaks_nothing(name: str, service: InProcessService) -> None:
    """The reason and the remedy are said; with room again all rounds go on, none lost or doubled."""
    place, act = POINTS[name]
    is_said = finds_no_room_at(service, place, act)
    SmallDisk(service.settings.folder).make_room()
    check_goes_on(service)
    assert name == FREES_ROOM or is_said is (name not in GOES_ON)
