"""No process of the service imports a module from its working directory, or from the programs' folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.planted import plant
from tests.support.running_service import RunningService, family_of, wait_until

REPORTER = """\
import os, pathlib, signal, sys

def report(*_):
    path = pathlib.Path(__file__).with_name(f"{os.getpid()}.path")
    path.with_suffix(".new").write_text("\\n".join(sys.path))
    path.with_suffix(".new").rename(path)

signal.signal(signal.SIGRTMIN, report)
"""
"""A module that Python imports at each start (`sitecustomize`): at a signal, its process writes down where it looks
for modules.
"""


PROCESSES = 12
"""Supervisor, background program, two gunicorns with two workers each, a beacon, two witnesses, and the dealer."""


@pytest.mark.nightly("starts a demo in another working directory")
def test_no_process_of_a_service_looks_in_its_working_directory(tmp_path: Path) -> None:
    """Each process says so by itself: the supervisor, the background program, both gunicorns, their workers,
    outsiders, dealer.
    """
    place, reporter = plant(tmp_path / "planted"), tmp_path / "reporter"
    reporter.mkdir()
    (reporter / "sitecustomize.py").write_text(REPORTER, "ascii")
    variables = {"PYTHONPATH": str(reporter), "PYTHONSAFEPATH": ""}
    service = RunningService(
        tmp_path / "data", "", 20, ("--demo",), under=("env", "-C", str(place)), variables=variables
    )
    try:
        service.start()
        wait_until(lambda: all_have_reported(service.process.pid, reporter), "each process to report")
        reports = [reporter / f"{pid}.path" for pid in family_of(service.process.pid)]
        found = [report.read_text() for report in reports]
        assert set(found) == {"\n".join([str(reporter), *safe_path()])}
        assert not (place / "imported").exists()
    finally:
        service.clean_up()


def all_have_reported(supervisor: int, reporter: Path) -> bool:
    """Whether each process of a service has; those that have not are asked, again where one was replaced
    meanwhile.
    """
    try:
        family = family_of(supervisor)
        # Otherwise the signal would end a process that is just being started.
        if len(family) != PROCESSES or not all(map(is_itself, family)):
            return False
        missing = [pid for pid in family if not (reporter / f"{pid}.path").exists()]
        for pid in missing:
            os.kill(pid, signal.SIGRTMIN)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not missing


def is_itself(pid: int) -> bool:
    """Whether a process has a handler of the signal, by proc(5), and will not become another program
    (`api.programs.companion`).
    """
    # In this order: the handlers are those of the command, or of one that came after it.
    command, status = (Path(f"/proc/{pid}/{name}").read_text("utf-8") for name in ("cmdline", "status"))
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGRTMIN - 1) & 1) and "api.programs.companion" not in command


def safe_path() -> list[str]:
    """Where a process of this Python looks for modules that finds none in its working directory."""
    shown = subprocess.run(
        [sys.executable, "-P", "-c", "import sys; print(*sys.path, sep='\\n')"],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.split("\n")[:-1]


@pytest.mark.nightly(
    "starts each program",
    but="test_no_program_imports_from_its_folder_or_its_working_directory[foredraw-verify]",
)
@pytest.mark.parametrize("program", ["foredraw", "foredraw-verify"])
def test_no_program_imports_from_its_folder_or_its_working_directory(program: str, tmp_path: Path) -> None:
    """Not even what Python itself imports first, and by a link neither."""
    installed = Path(sys.prefix)
    programs = plant(tmp_path / "bin")
    for name in ("lib", "pyvenv.cfg"):
        (tmp_path / name).symlink_to(installed / name)
    (programs / "python3").symlink_to(sys.executable)
    shutil.copy(installed / "bin" / program, programs)
    (tmp_path / program).symlink_to(programs / program)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    for path in (programs / program, tmp_path / program):
        shown = subprocess.run(
            [path, "--version"], cwd=programs, env=environment, capture_output=True, text=True, check=False
        )
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.startswith(f"{program} ")
    assert not (programs / "imported").exists()
