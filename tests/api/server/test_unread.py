"""A service whose messages nobody reads, or whose words cannot be printed: rounds go on all the same."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import urllib3

from api.programs.supervisor import _GRACE_SECONDS
from tests.support.running_service import FOREDRAW, PATIENCE_SECONDS, RunningService, initialised, wait_until

pytestmark = pytest.mark.one_database("of its streams")
TABLE = "keno-1"
GETS, ROUNDS = 4000, 200
"""So many lines have no room in pipe and queue."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """A service that is not started yet."""
    made = initialised(tmp_path / "data", {TABLE: "keno-express"}, batch_size=300)
    try:
        yield made
    finally:
        made.clean_up()


def is_up(service: RunningService) -> bool:
    """Whether it answers, and can play."""
    with suppress(urllib3.exceptions.HTTPError):
        return service.is_ready()
    return False


def begin(service: RunningService) -> None:
    """Wait until it plays."""
    wait_until(lambda: is_up(service), "the service to be ready")
    service.settle()


def stop_in_time(service: RunningService) -> None:
    """It ends by itself: nobody has to kill one of its programs."""
    begun = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begun < _GRACE_SECONDS


@pytest.mark.nightly("plays 200 rounds in a service of its own")
@pytest.mark.parametrize("chosen", ["json", "text"])
def test_a_service_whose_messages_nobody_reads_plays_on(chosen: str, service: RunningService) -> None:
    """A pipe takes 64 KiB, and the rest waits or is lost; who reads again is told how much, in whole lines."""
    service.variables = {"FOREDRAW_LOG_FORMAT": chosen}
    os.mkfifo(service.output_path)
    reading = os.open(service.output_path, os.O_RDWR)
    try:
        service.launch()
        begin(service)
        for _ in range(GETS):
            assert service.get("/v1/tables/nowhere").status == 404
        for number in range(1, ROUNDS + 1):
            service.play(TABLE, number)
        assert service.get("/health/live").status == 200
        if chosen == "json":
            stop_reading = threading.Event()
            lines = list[str]()
            reader = threading.Thread(target=read, args=(reading, lines, stop_reading), daemon=True)
            reader.start()
            wait_until(
                lambda: service.get("/v1/tables").status == 200 and any("were lost" in x for x in lines), "the count"
            )
            stop_in_time(service)
            stop_reading.set()
            os.write(reading, b"\n")
            reader.join()
            for line in "".join(lines).split("\n"):
                # Beside them are the words for people.
                assert not line.startswith("{") or json.loads(line)["level"]
        else:
            stop_in_time(service)
    finally:
        os.close(reading)


def read(descriptor: int, into: list[str], stopping: threading.Event) -> None:
    """Read what comes, until told to stop."""
    while not stopping.is_set():
        into.append(os.read(descriptor, 1 << 20).decode())


@pytest.mark.nightly("a service of its own", but="test_a_service_whose_words_cannot_be_printed_plays_on[a full disk]")
@pytest.mark.parametrize("where", ["a full disk", "a reader that is gone"])
def test_a_service_whose_words_cannot_be_printed_plays_on(where: str, service: RunningService) -> None:
    """The banner is skipped, and so is what is said at the end."""
    reading, writing = os.pipe()
    os.close(reading)
    if where == "a full disk":
        os.close(writing)
        writing = os.open("/dev/full", os.O_WRONLY)
    ports = ["--port", str(service.port), "--engine-port", str(service.engine_port)]
    command = [FOREDRAW, "--data", str(service.folder), "serve", *ports]
    with subprocess.Popen(command, env=service.environment(), stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        try:
            begin(service)
            service.play(TABLE, 1)
            process.terminate()
            _, errors = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
    assert (process.returncode, errors) == (0, b"")
