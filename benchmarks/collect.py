"""How fast samples for a test laboratory are made."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.figure import Figure, higher

_RAW = 4_000_000_000
_SHORT = 10_000_000
_OUTCOMES = 200_000
_MEGA = 1e6
_READ_AT_ONCE = 1 << 20
_READER = f"import os\nwhile os.read(0, {_READ_AT_ONCE}):\n    pass"


def measure_collect() -> Iterator[Figure]:
    """The program including its start, to /dev/null and through a pipe, on all cores; and the samples without a fast
    path.
    """
    cores = len(os.sched_getaffinity(0))
    nowhere, piped = _seconds("--raw", str(_RAW)), _seconds_through_a_pipe("--raw", str(_RAW))
    yield Figure(
        f"collect --raw, {_RAW / _MEGA:,.0f} MB on {cores} cores",
        [
            higher("", _RAW / _MEGA / nowhere, "MB/s"),
            higher("into a pipe that is only read", _RAW / _MEGA / piped, "MB/s"),
        ],
        "at least 300 MB/s",
        met=_RAW / _MEGA / max(nowhere, piped) >= 300,
    )
    short = _seconds("--raw", str(_SHORT), "--share", "32")
    outcomes = _seconds("--outcomes", "sic-bo", str(_OUTCOMES))
    yield Figure(
        "the same with --share 32, a round for each block; collect --outcomes sic-bo",
        [higher("", _SHORT / _MEGA / short, "MB/s", 1), higher("", _OUTCOMES / outcomes, "outcomes/s")],
        "-",
        met=None,
    )


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "verifier", "collect", *arguments]


def _seconds(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run(_command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def _seconds_through_a_pipe(*arguments: str) -> float:
    started = time.perf_counter()
    with subprocess.Popen(_command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        subprocess.run([sys.executable, "-c", _READER], stdin=program.stdout, check=True)
    return time.perf_counter() - started
