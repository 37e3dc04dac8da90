"""``python -m benchmarks.battery``: runs everything, or the named samples, and writes logs and the table."""

from __future__ import annotations

import sys

from benchmarks.battery import assess, dieharder
from benchmarks.battery.logs import Log
from benchmarks.battery.samples import SAMPLES, Sample
from benchmarks.battery.table import flagged, write_table

_MORE = 3
"""How many times as much data a second run has."""


def main() -> int:
    """Make the first runs, then second runs of what they flagged."""
    named = sys.argv[1:]
    known = [dieharder.SUITE, *(sample.name for sample in SAMPLES), "table"]
    if unknown := set(named) - set(known):
        sys.stderr.write(f"battery: there is no {', '.join(sorted(unknown))}; there are {', '.join(known)}\n")
        return 2
    for sample in SAMPLES:
        if not named or sample.name in named:
            _say(f"SP 800-22, {sample.name}")
            _twice_where_needed(sample)
    if not named or dieharder.SUITE in named:
        _say("dieharder -a, which takes an hour or two")
        log = dieharder.run_all()
        if flagged(log):
            dieharder.run_again(log)
    write_table()
    return 0


def _twice_where_needed(sample: Sample) -> None:
    command = f"python -m benchmarks.battery {sample.name}"
    log: Log = assess.assess(sample, 1, sample.sequences, command)
    if flagged(log):
        assess.assess(sample, 2, _MORE * sample.sequences, command)


def _say(what: str) -> None:
    sys.stdout.write(f"battery: {what}\n")
    sys.stdout.flush()


sys.exit(main())
