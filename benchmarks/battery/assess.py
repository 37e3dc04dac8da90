"""SP 800-22 on one sample: every test on every sequence, and the evaluation of their p-values by section 4.2."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import scipy

from benchmarks.battery.logs import Log, Result
from benchmarks.battery.samples import Sample
from benchmarks.battery.sp800_22 import LENGTH, p_values

SUITE = "sp800-22"
_SMALLEST = 0.01
"""A sequence passes a test with at least this p-value."""
_UNIFORM = 0.0001
_CLASSES = 10


def assess(sample: Sample, run: int, sequences: int, command: str) -> Log:
    """Test this many sequences, and write the log."""
    started = time.monotonic()
    found: dict[str, list[float]] = defaultdict(list)
    for bits in sample.of_run(run, sequences):
        for test, p in p_values(bits):
            found[test].append(p)
    log = Log(SUITE, sample.name, run)
    seconds = time.monotonic() - started
    facts = {
        "what": sample.what,
        "command": command,
        "data": f"{sequences} sequences of {LENGTH:,} bits",
        "seconds": f"{seconds:.0f}",
        "columns": "p-values in tenths | uniformity | passed | sequences | test | flagged",
    }
    log.write(facts, "".join(map(_row, sorted(found), map(found.__getitem__, sorted(found)))))
    return log


def _row(test: str, ps: list[float]) -> str:
    tenths = np.bincount(np.minimum((np.array(ps) * _CLASSES).astype(int), _CLASSES - 1), minlength=_CLASSES)
    expected = len(ps) / _CLASSES
    uniformity = float(
        scipy.special.gammaincc((_CLASSES - 1) / 2, float(((tenths - expected) ** 2 / expected).sum()) / 2)
    )
    passed = sum(p >= _SMALLEST for p in ps)
    least = len(ps) * (1 - _SMALLEST) - 3 * np.sqrt(len(ps) * _SMALLEST * (1 - _SMALLEST))
    flag = "flagged" if passed < least or uniformity < _UNIFORM else ""
    shown = " ".join(f"{tenth:3}" for tenth in tenths)
    return f"{shown} | {uniformity:.6f} | {passed:4} | {len(ps):4} | {test:<24} | {flag}\n"


def results(log: Log) -> Iterator[Result]:
    """The results in a log, test by test."""
    for _, uniformity, passed, sequences, test, flag in log.rows():
        few = float(scipy.stats.binom.cdf(int(passed), int(sequences), 1 - _SMALLEST))
        yield Result(test, flag == "flagged", (float(uniformity), few))
