"""The cost of the verifier as one file, compared with the installed one: it starts from source, with nothing
compiled.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.audit import SMALL
from benchmarks.figure import Figure, lower
from benchmarks.verifier_logs import KEY, log_of
from standalone.build import build, fetch

_REPEATS = 3


def measure_single_file() -> Iterator[Figure]:
    """The check of a round, and an audit by one process, with either program from start to end."""
    log = log_of(SMALL)
    check = ["code", log.codes[-1], "--log", str(log.folder), "--key", str(KEY.verifier_key)]
    audit = ["audit", str(log.folder), "--key", str(KEY.verifier_key), "--jobs", "1"]
    with TemporaryDirectory() as folder:
        pyz = Path(folder) / "foredraw-verify.pyz"
        pyz.write_bytes(build(fetch(Path(folder))))
        mine, installed = [sys.executable, "-I", "-S", str(pyz)], [sys.executable, "-m", "verifier"]
        one = _seconds([*mine, *check])
        yield Figure(
            "check of one round by the one file",
            [
                lower("", one * 1000, "ms"),
                lower("installed", _seconds([*installed, *check]) * 1000, "ms"),
                lower("the file", pyz.stat().st_size / 1e6, "MB", 1),
            ],
            "under 1 s",
            met=one < 1,
        )
        yield Figure(
            f"audit of {SMALL:,} rounds by the one file",
            [
                lower("", _seconds([*mine, *audit]), "s", 2),
                lower("installed", _seconds([*installed, *audit]), "s", 2),
            ],
            "-",
            met=None,
        )


def _seconds(command: list[str]) -> float:
    """The best of several runs."""
    taken = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - started)
    return min(taken)
