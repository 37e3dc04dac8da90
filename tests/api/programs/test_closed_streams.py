"""The operator's program is started with standard streams that are closed, as bare supervisors and ``<&-`` do."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
import urllib3

from tests.support.running_service import (
    FOREDRAW,
    PATIENCE_SECONDS,
    RunningService,
    free_port,
    initialised,
    wait_until,
)

pytestmark = [
    pytest.mark.nightly(
        "starts programs for each combination", but="test_other_commands_are_refused_in_one_sentence"
    ),
    pytest.mark.one_database("what the program's streams are"),
]
CLOSE = {0: "<&-", 1: ">&-", 2: "2>&-"}
EACH = [closed for count in (1, 2, 3) for closed in combinations(CLOSE, count)]


def without(streams: tuple[int, ...]) -> tuple[str, ...]:
    """A command that starts another one with these streams closed."""
    return ("sh", "-c", f'exec "$0" "$@" {" ".join(CLOSE[each] for each in streams)}')


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that every test starts in its own way."""
    service = initialised(tmp_path_factory.mktemp("closed") / "data", {"keno-1": "keno-express"})
    try:
        yield service
    finally:
        service.clean_up()


@pytest.mark.lattice
@pytest.mark.parametrize("closed", EACH, ids=lambda closed: "".join(map(str, closed)))
def test_the_service_runs_with_streams_closed(service: RunningService, closed: tuple[int, ...]) -> None:
    """It plays, ends in its usual way, and nothing of its own gets the number of a stream, into which messages would
    go.
    """
    service.under = without(closed)
    service.start()
    programs = [service.process.pid, *service.children().values()]
    held = {Path(f"/proc/{pid}/fd/{number}").readlink() for pid in programs for number in (0, *closed)}
    assert held == {Path("/dev/null")}
    service.play("keno-1", service.next_round("keno-1"))
    assert service.stop(signal.SIGTERM) == 0
    assert "Traceback" not in service.output


@pytest.mark.parametrize("closed", EACH, ids=lambda closed: "".join(map(str, closed)))
def test_a_beacon_goes_on_with_streams_closed(closed: tuple[int, ...], tmp_path: Path) -> None:
    """What it says to people is lost, and its pulses are served."""
    port = free_port()
    arguments = [FOREDRAW, "beacon", "--key", str(tmp_path / "key"), "--period", "1", "--port", str(port)]
    with subprocess.Popen([*without(closed), *arguments], stdout=subprocess.DEVNULL) as running:
        try:
            wait_until(lambda: running.poll() is not None or answers(port), "the beacon")
            assert running.poll() is None
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(PATIENCE_SECONDS)


def answers(port: int) -> bool:
    """Whether a beacon answers there."""
    try:
        return urllib3.request("GET", f"http://127.0.0.1:{port}/chains", retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False


@pytest.mark.nightly("starts programs for each stream", but="test_other_commands_are_refused_in_one_sentence[1]")
@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1), (0, 2)], ids=["1", "2", "01", "02"])
def test_other_commands_are_refused_in_one_sentence(service: RunningService, closed: tuple[int, ...]) -> None:
    """It is on the stream that is left."""
    arguments = [FOREDRAW, "--data", str(service.folder), "token", "list"]
    ran = subprocess.run([*without(closed), *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert (ran.stdout + ran.stderr).startswith("Error: standard output or standard error is closed: redirect it")
    assert (ran.stdout + ran.stderr).count("\n") == 1
