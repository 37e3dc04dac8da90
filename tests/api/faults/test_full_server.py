"""PostgreSQL's own disk is full: it refuses changes, or ends, until there is room."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.oracles.whole_log import check_whole_log
from tests.support.postgres import PASSWORD, postgres_server
from tests.support.running_service import RunningService, running_service, wait_until
from tests.support.small_disk import SmallDisk, small_disk

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.one_database("names its own")]
DRAW, FLIGHT = "keno-1", "crash-1"
TABLES = {DRAW: "keno-express", FLIGHT: "crash"}
_BYTES = 256 * 1024 * 1024
"""A cluster that was just made has 40 MB, and its own log grows by 16 MB at a time."""


def play_until_refused(service: RunningService, disk: SmallDisk) -> int:
    """Play on a disk that is full again before each call; returns the round that was refused, or has to wait."""
    for number in itertools.count(service.next_round(DRAW)):
        for action in ("open", "lock", "reveal"):
            disk.fill()
            answer = service.post(f"/v1/tables/{DRAW}/rounds/{number}/{action}")
            if answer.status != 200:
                assert (answer.status, "Retry-After" in answer.headers) in {(503, True), (202, True)}, answer
                assert "outcome" not in answer.document
                return number
    raise AssertionError


def is_ready(service: RunningService) -> bool | None:
    """Whether the service says so; `None` if it says something else than that there is no room."""
    answer = service.get("/health/ready", note=False)
    if answer.status == 200:
        return True
    return (
        False if any("has no room left" in why and "Make room" in why for why in answer.document["wrong"]) else None
    )


def test_a_full_disk_of_the_server_stops_rounds_until_there_is_room(tmp_path: Path) -> None:
    """Calls get 503 with Retry-After and the reason is said; a lock is answered as before, and play goes on by itself."""
    with postgres_server() as server:
        database = server.new_database()
        server.stop()
        with small_disk(server.folder, size=_BYTES) as disk:
            server.start()
            with running_service(tmp_path / "data", TABLES, database=database) as service:
                assert service.act(FLIGHT, 1, "open").status == 200
                locked = service.act(FLIGHT, 1, "lock")
                refused = play_until_refused(service, disk)
                wait_until(lambda: "has no room left" in service.output, "the service to say it")
                disk.fill()
                wait_until(lambda: is_ready(service) is False, "the machine to be taken out of service")
                disk.make_room()
                wait_until(lambda: is_ready(service) is True, "the machine to be ready again")
                for action in ("open", "lock", "reveal"):
                    # The one that was refused may have been stored all the same.
                    assert service.act(DRAW, refused, action).status in {200, 409}
                service.play(DRAW, refused + 1)
                assert service.act(FLIGHT, 1, "lock").document == {**locked.document, "locked_by_this_call": False}
                assert service.act(FLIGHT, 1, "reveal").status == 200
                service.settle()
                assert service.stop() == 0
                told = {(FLIGHT, 1): locked.document["outcome"]}
                check_whole_log(service.settings.log, service.key, told=told)
                assert not {word for word in (PASSWORD, "Traceback") if word in service.output}
            server.stop()
