"""What an audit costs per round and core, and whether that changes as the log grows."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import timeit
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figure import Figure, lower, neutral
from benchmarks.verifier_logs import KEY, log_of

SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000
_MICROSECONDS = 1e6
_KIBIBYTES_PER_MEBIBYTE = 1024
_HASHES = 200_000
_REPEATS = 3
# A process counts the memory of its parent as its own, so a small process starts the audit.
_MEASURING = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@dataclass(frozen=True, slots=True)
class _Run:
    seconds: float
    mebibytes: float
    """An upper bound for all processes together."""


def measure_audit() -> Iterator[Figure]:
    """The program audits logs of three sizes from a folder, on all cores.

    The cost of starting is the same for all, so the difference between two sizes is the cost of the
    rounds between them. It is a small difference of short times, so each is the best of several runs.
    """
    cores = len(os.sched_getaffinity(0))
    small, middle, large = (
        min((_audit(rounds, cores) for _ in range(_REPEATS)), key=lambda run: run.seconds)
        for rounds in (SMALL, MIDDLE, LARGE)
    )
    steady = (large.seconds - small.seconds) / (LARGE - SMALL) * cores * _MICROSECONDS
    early = (middle.seconds - small.seconds) / (MIDDLE - SMALL) * cores * _MICROSECONDS
    late = (large.seconds - middle.seconds) / (LARGE - MIDDLE) * cores * _MICROSECONDS
    yield Figure(
        f"audit of {LARGE:,} rounds, per round and core",
        [
            lower("", steady, "µs", 1),
            lower("the whole audit", large.seconds, "s", 1),
            neutral("one SHA-256 on this machine", _hash(), "µs", 2),
        ],
        "at most 15 µs",
        met=steady <= 15,
        remark=f"on {cores} cores",
    )
    yield Figure(
        f"the same, from {SMALL:,} to {MIDDLE:,} rounds and on to {LARGE:,}",
        [lower("", early, "µs", 1), lower("then", late, "µs", 1)],
        "flat: within a fifth",
        met=0.8 <= late / early <= 1.2,
    )
    yield Figure(
        f"memory of that audit, all {cores + 1} processes",
        [lower("at most", large.mebibytes, "MiB")],
        "at most 500 MiB",
        met=large.mebibytes <= 500,
    )


def _audit(rounds: int, cores: int) -> _Run:
    folder = log_of(rounds).folder
    # For a small log the program would take one process.
    program = [sys.executable, "-m", "verifier", "audit", str(folder), "--key", str(KEY.verifier_key), "--json"]
    command = [*program, "--jobs", str(cores)]
    measured = subprocess.run([sys.executable, "-c", _MEASURING, *command], capture_output=True, check=True)
    seconds, kibibytes = measured.stdout.split()
    # The largest process, times the number of processes.
    return _Run(float(seconds), (cores + 1) * int(kibibytes) / _KIBIBYTES_PER_MEBIBYTE)


def _hash() -> float:
    data = bytes(65)
    times = timeit.repeat(lambda: hashlib.sha256(data).digest(), number=_HASHES // 10, repeat=10)
    return min(times) / (_HASHES // 10) * _MICROSECONDS
