"""What a soak does to a service: each fault is chosen, and does what it says."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import cast

import pytest

from api.world.clock import Clock
from tests.soak.faults import Faults, Moments
from tests.soak.machines import over
from tests.support.dates import Date
from tests.support.engine import Engine
from tests.support.postgres import postgres_server
from tests.support.proxy import line_to
from tests.support.running_service import RunningService, initialised, wait_until


def test_each_fault_comes_before_any_comes_again() -> None:
    """Also after some of them are possible no more."""
    faults = Faults((), (), Moments(random.Random(1)))
    early = [faults._next(deadly=True).__name__ for _ in range(5)]
    assert len(set(early)) == 5
    late = {faults._next(deadly=False).__name__ for _ in range(8)}
    assert late == {"pause_the_background", "pause_a_worker", "speak_half_a_request", "let_engines_vanish"}


def test_an_engine_vanishes_in_the_middle_of_a_round_once() -> None:
    """Of an odd round after it was opened, of an even one after it was locked; then it goes on."""
    engine = Engine(cast("RunningService", None), "crash-1", absence=0.0)
    engine.vanishing.set()
    for number, odd in ((2, True), (1, False), (3, True), (5, True)):
        engine._vanish(number, odd=odd)
    assert engine.left == [3]


def test_a_date_is_wrong_for_all_programs_that_have_it(tmp_path: Path) -> None:
    """The monotonic clock is not; and the date is right again afterwards."""
    date = Date.at(tmp_path / "date")
    look = "from api.world.clock import Clock; print(Clock().moment().timestamp(), Clock().elapsed().total_seconds())"

    def shown() -> list[float]:
        command = [sys.executable, "-c", look]
        printed = subprocess.check_output(command, text=True, env={**os.environ, **date.variables})
        moment, elapsed = map(float, printed.split())
        return [moment - time.time(), elapsed - Clock().elapsed().total_seconds()]

    with date.wrong(-86_400):
        assert shown() == pytest.approx([-86_400, 0], abs=600)
    assert shown() == pytest.approx([0, 0], abs=600)


def test_nothing_passes_a_line_that_is_unplugged() -> None:
    """It arrives afterwards, and no end has noticed."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        line_to(listener.getsockname()[1]) as line,
        socket.create_connection(("127.0.0.1", line.port)) as near,
        listener.accept()[0] as far,
    ):
        near.sendall(b"a")
        assert far.recv(1) == b"a"
        with line.unplugged():
            near.sendall(b"b")
            far.settimeout(0.2)
            with pytest.raises(TimeoutError):
                far.recv(1)
        far.settimeout(60.0)
        assert far.recv(1) == b"b"


def test_a_line_keeps_nothing_of_a_connection_that_has_ended() -> None:
    """In an hour there are more of them than a process may have open."""
    with socket.create_server(("127.0.0.1", 0)) as listener, line_to(listener.getsockname()[1]) as line:
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", line.port)) as near, listener.accept()[0] as far:
                near.sendall(b"a")
                assert far.recv(1) == b"a"
        wait_until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before, "the line to close its ends")


@pytest.mark.nightly("two machines of its own")
def test_what_ends_by_itself_is_reported_and_started_again(tmp_path: Path) -> None:
    """Also if the database is not reached by the first start, which announces it; any other end of a start is an
    error.
    """
    with postgres_server() as server, line_to(server.port) as line:
        database = server.new_database()
        service = initialised(tmp_path / "data", {"crash-1": "crash"}, database=database)
        service.database = over(line, server, database)
        service.output_path.touch()
        faults = Faults([service], (), Moments(random.Random(1)))
        try:
            with line.unplugged():
                reached = threading.Thread(target=faults._start, args=[service])
                reached.start()
                wait_until(lambda: bool(faults.repeated), "the first start to give up")
            reached.join()
            assert faults.repeated == {"data": 1}
            ended, _ = service.process.pid, service.stop()
            with pytest.raises(AssertionError, match="data ended by itself, with 0"):
                faults._are_ready()
            assert service.process.pid != ended
            assert faults._are_ready()
            service.stop()
            service.options = ("--no-such-option",)
            with pytest.raises(AssertionError, match="data did not start: Usage"):
                faults._start(service)
        finally:
            service.clean_up()
