"""What a soak does to a service: each fault is chosen, and does what it says."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest

from api.world.clock import Clock
from tests.soak.faults import Faults, Moments
from tests.support.dates import Date
from tests.support.engine import Engine
from tests.support.proxy import line_to
from tests.support.running_service import RunningService, wait_until


def test_each_fault_comes_before_any_comes_again() -> None:
    """Also after some of them are possible no more."""
    faults = Faults((), (), Moments(random.Random(1)))  # noqa: S311
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
