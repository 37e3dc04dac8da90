"""The cost of statistics of a large log, from its files to the verdict."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.figure import Figure, lower
from benchmarks.verifier_logs import KEY, log_of

ROUNDS = 1_000_000


def measure_stats() -> Iterator[Figure]:
    """The program audits a log from a folder and judges it, on all cores: without and with the report."""
    cores = len(os.sched_getaffinity(0))
    folder = log_of(ROUNDS).folder
    report = folder.with_name("report.html")
    alone, with_report = _seconds(str(folder)), _seconds(str(folder), "-o", str(report))
    yield Figure(
        f"statistics of {ROUNDS:,} rounds, the audit included",
        [lower("", alone, "s", 1)],
        "under 60 s",
        met=alone < 60,
        remark=f"on {cores} cores",
    )
    yield Figure(
        "the same with its report",
        [lower("", with_report, "s", 1), lower("", report.stat().st_size / 1e6, "MB", 1)],
        "under 60 s",
        met=with_report < 60,
    )


def _seconds(*arguments: str) -> float:
    command = [sys.executable, "-m", "verifier", "stats", *arguments, "--key", str(KEY.verifier_key), "--json"]
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
