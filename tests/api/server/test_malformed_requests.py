"""Requests that are not HTTP are counted over all processes, and reported once a minute instead of one by one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gunicorn.http.errors import InvalidHeader, InvalidRequestMethod

from api.access.tokens import ALL_TABLES, Role, create_token
from api.server.malformed_requests import REPORT_SECONDS, MalformedRequests
from api.world.shared_count import COUNT, SharedCount, new_memory
from tests.support.http import spoken
from tests.support.running_service import opened, running_service, wait_until

FLOOD = 300


class Clock:
    """A monotonic clock, set by hand."""

    now = 1000.0

    def __call__(self) -> float:
        """The time now."""
        return self.now


def test_a_flood_is_one_line_a_minute() -> None:
    """The first request is reported at once, then the number since the last line, then the rest at the end."""
    clock, lines = Clock(), list[str]()
    malformed = MalformedRequests(lines.append, SharedCount(), clock)
    malformed.report()
    assert lines == []
    malformed.note("203.0.113.1", InvalidRequestMethod("first"))
    malformed.report()
    for number in range(FLOOD):
        malformed.note("203.0.113.2", InvalidHeader(f"number {number}\n\x1b[2J"))
        malformed.report()
        clock.now += REPORT_SECONDS / FLOOD / 2
    clock.now += REPORT_SECONDS
    malformed.report()
    clock.now += REPORT_SECONDS / 2
    malformed.note("203.0.113.3", InvalidRequestMethod("before the end"))
    malformed.report()
    malformed.report(last=True)
    first, second, third = lines
    assert first.startswith("malformed requests: 1 more, the last from 203.0.113.1: ")
    assert second.startswith(f"malformed requests: {FLOOD} more, the last from 203.0.113.2: ")
    assert third.startswith("malformed requests: 1 more, the last from 203.0.113.3: ")
    # Nothing that a client sent commands the operator's terminal or starts a line.
    assert second.isprintable()


def test_processes_add_to_one_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that were started with the shared memory; one that was started without it counts alone."""
    memory = new_memory()
    add = "from api.world.shared_count import SharedCount; SharedCount().add()"
    for _ in range(3):
        environment = {**os.environ, COUNT: str(memory)}
        subprocess.run([sys.executable, "-c", add], env=environment, pass_fds=[memory], check=True)
    monkeypatch.setenv(COUNT, str(memory))
    shared = SharedCount()
    shared.add()
    assert shared.total == 4
    os.close(memory)
    monkeypatch.delenv(COUNT)
    assert SharedCount().total == 0


@pytest.mark.nightly("thousands of requests")
def test_a_flood_of_strangers_does_not_fill_the_disk(tmp_path: Path) -> None:
    """Both listeners, all processes: each request is answered and counted, and each process prints one line."""
    with running_service(tmp_path / "data", {}, options=("--workers", "2")) as service:
        for number in range(FLOOD):
            port = (service.port, service.engine_port)[number % 2]
            assert spoken(port, b"GET / HTTP/1.1\r\nno header\r\n\r\n").status == 400
        with opened(service.settings) as inside:
            token = create_token(inside.database, inside.clock, "ani", Role.OPERATOR, [ALL_TABLES])
        figures = service.get("/metrics", headers={"Authorization": f"Bearer {token}"}).data.decode()
        assert f"\nforedraw_malformed_requests_total {FLOOD}\n" in figures
        wait_until(lambda: "malformed requests: " in service.output, "the first line about them")
        lines = [line for line in service.output.splitlines() if "no header" in line]
        processes = {re.findall(r"\[(\d+)\] \[WARNING\] malformed requests: \d+ more", line)[0] for line in lines}
        # On a slow machine a minute may have passed, and there may be a second line.
        assert len(lines) <= 2 * len(processes) <= 8
