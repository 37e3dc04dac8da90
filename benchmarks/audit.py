"""What an audit costs per round and core, and whether that changes as the log grows."""

from __future__ import annotations

import hashlib
import os
import statistics
import subprocess
import sys
import timeit
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figure import Figure, lower, neutral
from benchmarks.made_log import COSTLIEST
from benchmarks.verifier_logs import BenchLog, log_of, log_of_game, salted_log_of
from fairness.limits import LARGEST_BATCH

SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000
_FEW, _MANY = 1_000, 20_000
_FEW_COSTLY, _MANY_COSTLY = 100, 600
_MICROSECONDS = 1e6
_KIBIBYTES_PER_MEBIBYTE = 1024
_HASHES = 200_000
_REPEATS = 3
# A process counts the memory of its parent as its own, so a small process starts the audit.
_MEASURING = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass(frozen=True, slots=True)
class _Run:
    seconds: float
    processor_seconds: float
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


def measure_salted_audit(rounds: int = LARGE) -> Iterator[Figure]:
    """Salts, witnessed files and a policy, against the same number of unsalted rounds and a bare key, in turn."""
    cores = len(os.sched_getaffinity(0))
    plain, salted = log_of(rounds), salted_log_of(rounds)
    for jobs in sorted({1, cores}):
        pairs = [(_audit_of(plain, jobs), _audit_of(salted, jobs)) for _ in range(_REPEATS)]
        ratio = statistics.median(with_salt.seconds / without.seconds for without, with_salt in pairs)
        yield Figure(
            f"audit of {rounds:,} salted rounds with witnesses, in {jobs} {'process' if jobs == 1 else 'processes'}",
            [
                lower("", statistics.median(with_salt.seconds for _, with_salt in pairs), "s", 1),
                neutral("without salt", statistics.median(without.seconds for without, _ in pairs), "s", 1),
                lower("median ratio", ratio, "", 2),
                lower("the largest process", max(with_salt.mebibytes for _, with_salt in pairs) / (jobs + 1), "MiB"),
            ],
            "ratio 1.3 or less",
            met=ratio <= 1.3,
        )


def measure_audit_of_games() -> Iterator[Figure]:
    """A round of declared games against one of Sic Bo, in one process: a pocket, two hands of eight packs, four packs
    in order.
    """
    sic_bo = _per_round("sic-bo")
    for game, most in (("roulette", 1.2), ("baccarat", 4.0), ("blackjack", 60.0)):
        one = _per_round(game)
        yield Figure(
            f"audit of a round of {game}, against one of sic-bo",
            [lower("ratio", one / sic_bo, "", 2), lower("", one, "µs", 1), neutral("sic-bo", sic_bo, "µs", 1)],
            f"ratio {most:g} or less",
            met=0 < one / sic_bo <= most,
        )


def measure_costliest_declaration() -> Iterator[Figure]:
    """The most that an operator can make a round cost an auditor, in one process, and a whole batch of such
    rounds.
    """
    one = _per_round(COSTLIEST, _FEW_COSTLY, _MANY_COSTLY)
    yield Figure(
        "audit of a round of the costliest declaration",
        [
            lower("", one, "µs"),
            neutral("a batch of 65,536 rounds", one * LARGEST_BATCH / _MICROSECONDS / 60, "min", 1),
        ],
        "at most 30 ms",
        met=one <= 30_000,
    )


def _per_round(game: str, few: int = _FEW, many: int = _MANY) -> float:
    """Microseconds of a processor, without what starting costs; each is the best of several runs."""
    least, most = (
        min(_audit_of(log_of_game(game, rounds), 1).processor_seconds for _ in range(_REPEATS))
        for rounds in (few, many)
    )
    return (most - least) / (many - few) * _MICROSECONDS


def _audit(rounds: int, cores: int) -> _Run:
    return _audit_of(log_of(rounds), cores)


def _audit_of(log: BenchLog, jobs: int) -> _Run:
    program = [sys.executable, "-m", "verifier", "audit", str(log.folder), *log.options, "--json"]
    # For a small log the program would take one process.
    command = [*program, "--jobs", str(jobs)]
    measured = subprocess.run([sys.executable, "-c", _MEASURING, *command], capture_output=True, check=True)
    seconds, processor_seconds, kibibytes = measured.stdout.split()
    # The largest process, times the number of processes.
    return _Run(float(seconds), float(processor_seconds), (jobs + 1) * int(kibibytes) / _KIBIBYTES_PER_MEBIBYTE)


def _hash() -> float:
    data = bytes(65)
    times = timeit.repeat(lambda: hashlib.sha256(data).digest(), number=_HASHES // 10, repeat=10)
    return min(times) / (_HASHES // 10) * _MICROSECONDS
