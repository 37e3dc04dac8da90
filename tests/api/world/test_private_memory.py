"""Processes with secrets leave no core dump, and their memory cannot be read: tested on the real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_service import RunningService, family_of, wait_until

WITHOUT_PRIVILEGE = ("setpriv", "--bounding-set=-all") if os.geteuid() == 0 else ()
"""As root, drop the capability to read everybody's memory on both sides, so that root is like any other user."""
READ = "import sys; open(sys.argv[1], 'rb').read(1)"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """``serve --demo``: every kind of process of the service, each of them at work."""
    service = RunningService(tmp_path_factory.mktemp("private") / "data", "", 20, ("--demo", "--pace", "0.2"))
    service.under = WITHOUT_PRIVILEGE
    # On a busy machine, witnesses take longer to see a batch, which must be ten seconds before its pulse.
    service.variables = {"FOREDRAW_FIRST_PULSE": "30"}
    try:
        service.start()
        wait_until(lambda: service.next_round("crash-1") > 1, "the dealer to play")
        yield service
    finally:
        service.clean_up()


def can_read(pid: int, what: str) -> bool:
    """Whether another process of the same user can read a file of this process below ``/proc``."""
    command = [*WITHOUT_PRIVILEGE, sys.executable, "-c", READ, f"/proc/{pid}/{what}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "PermissionError" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.nightly("a service of its own")
def test_no_process_of_the_service_leaves_a_core_dump_or_shows_its_memory(demo: RunningService) -> None:
    """Supervisor, background program, gunicorn's master, its workers, the dealer with its token, a beacon, two
    witnesses.
    """
    processes = family_of(demo.process.pid)
    parts = ("serve", "background", "master", "worker", "worker", "dealer", "beacon", "witness", "witness")
    assert len(processes) >= len(parts)
    for pid in processes:
        name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        limits = Path(f"/proc/{pid}/limits").read_text("ascii").splitlines()
        (core,) = (line.split() for line in limits if line.startswith("Max core file size"))
        assert core[4:6] == ["0", "0"], name
        assert not can_read(pid, "environ"), name
        assert not can_read(pid, "mem"), name


def test_a_process_that_does_not_hide_is_read() -> None:
    """So the refusals above are caused by the service, not by this machine."""
    with subprocess.Popen([*WITHOUT_PRIVILEGE, sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as plain:
        try:
            wait_until(lambda: b"input()" in Path(f"/proc/{plain.pid}/cmdline").read_bytes(), "Python to start")
            assert can_read(plain.pid, "environ")
        finally:
            plain.kill()


@pytest.mark.nightly("a service of its own")
def test_the_operators_commands_hide_their_memory(demo: RunningService) -> None:
    """All of them, because they load keys, and one prints a token."""
    look = (
        "import ctypes, resource; from api.programs.cli import main; main(['key', 'show'], standalone_mode=False);"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), *resource.getrlimit(resource.RLIMIT_CORE))"
    )
    environment = {**os.environ, "FOREDRAW_DATA": str(demo.folder)}
    done = subprocess.run([sys.executable, "-c", look], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [str(demo.key), "0 0 0"], done.stderr
