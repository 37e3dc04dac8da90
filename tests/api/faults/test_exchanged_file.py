"""A database file is replaced or removed while the service runs: nothing is opened or stored, in words; put back, it
goes on.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import urllib3

from api.problems import Code, Problem
from api.world.storage_failures import ServerFailure
from api.world.supervision import ENGINES_API, PUBLIC_API
from tests.oracles.whole_log import check_whole_log
from tests.support.in_process_service import InProcessService
from tests.support.running_service import RunningService, family_of, kill, running_service, wait_until

pytestmark = pytest.mark.one_database("of files")
TABLE = "crash-1"


def put_a_copy(file: Path) -> None:
    """An older copy takes its place, as `mv` does it."""
    shutil.copyfile(file, file.with_name("copy"))
    file.with_name("copy").rename(file)


@pytest.mark.parametrize("exchange", [put_a_copy, Path.unlink])
def test_nothing_is_stored_in_another_file(exchange: Callable[[Path], None], tmp_path: Path) -> None:
    """Not by a connection that has the first one open, and not by a new one; the first one, put back, is used
    again.
    """
    running = InProcessService.create(tmp_path / "data", tables=[(TABLE, "crash")])
    running.play(TABLE, 2)
    file, kept = running.settings.database, tmp_path / "kept.db"
    kept.hardlink_to(file)
    exchange(file)
    why = "removed" if exchange is Path.unlink else "replaced by another file"
    for call in (running.service.rounds.open, partial(running.service.rounds.void, reason="r")):
        with pytest.raises(ServerFailure, match=rf"foredraw\.db was {why} while the service runs.*Put the file back"):
            call(TABLE, 3)
    # Of the connections for reading, too, none is opened to what is there now.
    running.service.database._idle_readers.clear()  # type: ignore[attr-defined] # of a file
    with pytest.raises(ServerFailure, match="Put the file back"):
        running.state(TABLE)
    assert file.exists() == (exchange is put_a_copy)
    kept.replace(file)
    running.play(TABLE, 2)
    running.check()
    running.stop()


def test_no_mark_is_raised_in_another_file(tmp_path: Path) -> None:
    """The custodian's: no outcome leaves, and the next round is not opened."""
    running = InProcessService.create(tmp_path / "data", tables=[(TABLE, "crash")])
    running.play(TABLE, 2)
    running.open(TABLE, 3)
    file, kept = running.settings.secrets, tmp_path / "kept.db"
    kept.hardlink_to(file)
    put_a_copy(file)
    with pytest.raises(Problem, match=r"seeds\.db was replaced by another file while the service runs") as refused:
        running.lock(TABLE, 3)
    assert refused.value.code is Code.SEEDS_UNAVAILABLE
    kept.replace(file)
    running.lock(TABLE, 3)
    running.reveal(TABLE, 3)
    running.check()
    running.stop()


def check_refused(service: RunningService) -> None:
    """The next round is not opened, and health says why."""

    def is_refused() -> bool:
        refused = service.post(f"/v1/engine/tables/{TABLE}/rounds/2/open")
        assert (refused.status, refused.document["code"]) == (503, "storage-fails")
        return True

    wait_until(partial(has_answer, is_refused), "the refusal")
    wait_until(
        partial(has_answer, lambda: "foredraw.db was replaced by another file" in str(service.wrong)),
        "health to say so",
    )


def has_answer(call: Callable[[], bool]) -> bool:
    """What a call returns; False while nobody answers."""
    try:
        return call()
    except urllib3.exceptions.HTTPError:
        return False


def has_other_workers(listeners: list[int], workers: set[int]) -> bool:
    """Whether each listener has workers again, and none of those."""
    families = [set(family_of(listener)) - {listener} for listener in listeners]
    return all(families) and not any(family & workers for family in families)


@pytest.mark.nightly("a service of its own, whose processes are killed")
def test_no_process_of_a_running_service_opens_another_file(tmp_path: Path) -> None:
    """Neither those that have the first one open, nor a worker that is started afterwards: each says so, and health
    does.
    """
    with running_service(tmp_path / "data", {TABLE: "crash"}) as service:
        service.play(TABLE, 1)
        file, kept = service.settings.database, tmp_path / "kept.db"
        kept.hardlink_to(file)
        put_a_copy(file)
        check_refused(service)
        listeners = [service.children()[name] for name in (ENGINES_API, PUBLIC_API)]
        workers = {pid for listener in listeners for pid in family_of(listener)} - set(listeners)
        for pid in workers:
            kill(pid, signal.SIGKILL)
        wait_until(partial(has_other_workers, listeners, workers), "gunicorn to start others")
        check_refused(service)
        kept.replace(file)
        wait_until(service.is_ready, "the service to go on")
        service.play(TABLE, 2)
        service.settle()
        check_whole_log(service.settings.log, service.key)
