"""``python -m benchmarks``: every figure, measured, beside its target."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from rich.console import Console

from benchmarks.audit import measure_audit
from benchmarks.browser_code import measure_browser_code, measure_browser_code_on_a_phone
from benchmarks.code import measure_code
from benchmarks.collect import measure_collect
from benchmarks.figure import Figure
from benchmarks.hostile import measure_hostile
from benchmarks.proof import measure_proof
from benchmarks.service import measure_batches, measure_log_size, measure_play, measure_position
from benchmarks.single_file import measure_single_file
from benchmarks.stats import measure_stats
from benchmarks.watchers import measure_watchers

MEASURES: list[Callable[[], Iterator[Figure]]] = [
    *(measure_audit, measure_code, measure_browser_code, measure_browser_code_on_a_phone, measure_proof),
    *(measure_single_file, measure_stats),
    *(measure_play, measure_batches, measure_position, measure_log_size, measure_watchers, measure_collect),
    measure_hostile,
]
_MET = {True: "met", False: "MISSED", None: "-"}


def main() -> int:
    """Measure everything, or what is named; print each figure as soon as it is known."""
    named = set(sys.argv[1:])
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for measure in MEASURES:
        if not named or measure.__name__ in named:
            for figure in measure():
                style = {True: "green", False: "bold red", None: ""}[figure.met]
                console.print(f"{_MET[figure.met]:<7} {figure.name}", style=style)
                console.print(f"        measured  {figure.measured}")
                console.print(f"        target    {figure.target}")
    return 0


sys.exit(main())
