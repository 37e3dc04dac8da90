"""The processor time of short commands from start to end, as multiples of Python's own start: most of it is what they
import.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.audit import SMALL
from benchmarks.figure import Figure, lower, neutral
from benchmarks.running import foredraw
from benchmarks.verifier_logs import salted_log_of
from standalone.build import build, fetch

_REPEATS = 7


def measure_start() -> Iterator[Figure]:
    """``foredraw key show``, and the check of a witnessed, salted round's proof file by either form of the
    verifier.
    """
    python = _seconds([sys.executable, "-c", "pass"])
    log = salted_log_of(SMALL)
    with TemporaryDirectory() as name:
        folder = Path(name)
        foredraw(folder / "data", "init")
        show = [sys.executable, "-m", "api.programs.cli", "--data", str(folder / "data"), "key", "show"]
        yield _figure("start of foredraw key show", _seconds(show), python, 19)
        pyz, proof = folder / "foredraw-verify.pyz", folder / "round.txt"
        pyz.write_bytes(build(fetch(folder)))
        installed = [sys.executable, "-m", "verifier"]
        made = ["prove", log.codes[0], "--log", str(log.folder), "-o", str(proof), *log.options]
        subprocess.run([*installed, *made], stdout=subprocess.DEVNULL, check=True)
        check = ["proof", str(proof), *log.options]
        yield _figure("start and check of foredraw-verify proof", _seconds([*installed, *check]), python, 10)
        one = [sys.executable, "-I", "-S", str(pyz), *check]
        yield _figure("the same by the one file", _seconds(one), python, 27)


def _figure(name: str, seconds: float, python: float, most: int) -> Figure:
    times = seconds / python
    quantities = [
        lower("", times, "times Python's own start", 1),
        lower("CPU time", seconds * 1000, "ms"),
        neutral("of Python", python * 1000, "ms"),
    ]
    return Figure(name, quantities, f"under {most} times", met=times < most)


def _seconds(command: list[str]) -> float:
    """The processor time of the best of several runs: the others waited for something else on this machine."""
    return min(_once(command) for _ in range(_REPEATS))


def _once(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=os.environ | {"PYTHONWARNINGS": "ignore"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
