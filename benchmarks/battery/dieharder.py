"""dieharder on the raw stream, through a pipe, as a test laboratory runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.battery.logs import Log, Result
from benchmarks.battery.samples import seed

SUITE = "dieharder"
NOT_COUNTED = ("diehard_sums",)
"""dieharder itself advises against these tests."""

_ENDLESS = 10**12
_CELLS = 6
_PROGRAM = str(Path(sys.executable).with_name("foredraw-verify"))
_NUMBERS = {
    **dict(enumerate(("diehard_birthdays", "diehard_operm5", "diehard_rank_32x32", "diehard_rank_6x8"))),
    **dict(enumerate(("diehard_bitstream", "diehard_opso", "diehard_oqso", "diehard_dna"), 4)),
    **dict(enumerate(("diehard_count_1s_str", "diehard_count_1s_byt", "diehard_parking_lot"), 8)),
    **dict(enumerate(("diehard_2dsphere", "diehard_3dsphere", "diehard_squeeze", "diehard_sums"), 11)),
    **dict(enumerate(("diehard_runs", "diehard_craps", "marsaglia_tsang_gcd"), 15)),
    **dict(enumerate(("sts_monobit", "sts_runs", "sts_serial"), 100)),
    **dict(enumerate(("rgb_bitdist", "rgb_minimum_distance", "rgb_permutations", "rgb_lagged_sum"), 200)),
    **dict(enumerate(("rgb_kstest_test", "dab_bytedistrib", "dab_dct", "dab_filltree", "dab_filltree2"), 204)),
    209: "dab_monobit2",
}
"""The numbers of tests for ``-d``."""


def install() -> None:
    """Install dieharder, Debian's package, or say why that failed."""
    if shutil.which("dieharder") is not None:
        return
    root = [] if os.geteuid() == 0 else ["sudo"]
    try:
        subprocess.run([*root, "apt-get", "update", "-qq"], check=True)
        subprocess.run([*root, "apt-get", "install", "-qq", "--no-install-recommends", "dieharder"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            f"battery: dieharder is not there, and could not be installed with apt-get: {error}"
        ) from error


def run_all() -> Log:
    """Run ``dieharder -a``, which takes an hour or two."""
    return _run(1, [["-a"]])


def run_again(first: Log) -> Log:
    """Run each flagged test with three times as many p-values, from a new seed."""
    numbers = {name: number for number, name in _NUMBERS.items()}
    flagged = {(cells[0], cells[1], 3 * int(cells[3])) for cells in _rows(first) if cells[5] != "PASSED"}
    return _run(
        2, [["-d", str(numbers[name]), "-n", ntup, "-p", str(samples)] for name, ntup, samples in sorted(flagged)]
    )


def _run(run: int, calls: list[list[str]]) -> Log:
    install()
    log, said, commands, started = Log(SUITE, "raw", run), "", [], time.monotonic()
    for arguments in calls:
        sample = [_PROGRAM, "collect", "--raw", str(_ENDLESS), "--seed", seed(run).hex()]
        dieharder = ["dieharder", *arguments, "-g", "200"]
        commands.append(f"foredraw-verify {' '.join(sample[1:])} | {' '.join(dieharder)}")
        with subprocess.Popen(sample, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as stream:
            done = subprocess.run(dieharder, stdin=stream.stdout, stdout=subprocess.PIPE, text=True, check=True)
            said += done.stdout
            stream.terminate()
    seconds = f"{time.monotonic() - started:.0f}"
    log.write({"command": "\n#           ".join(commands), "seconds": seconds, "data": "whole"}, said)
    return log


def results(log: Log) -> Iterator[Result]:
    """The results in a log. The p-values of tests with the same name and ntup are distinguished by their order."""
    seen: Counter[str] = Counter()
    for cells in _rows(log):
        test = f"{cells[0]} {cells[1]}"
        seen[test] += 1
        p = float(cells[4])
        yield Result(f"{test} #{seen[test]}", cells[5] != "PASSED", (min(1.0, 2 * min(p, 1 - p)),))


def _rows(log: Log) -> Iterator[list[str]]:
    """Name, ntup, tsamples, psamples, p-value, assessment, without tests that do not count."""
    return (
        cells for cells in log.rows() if len(cells) == _CELLS and cells[1].isdigit() and cells[0] not in NOT_COUNTED
    )
