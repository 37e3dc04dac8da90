"""``python -m benchmarks``: every figure, measured, beside its target."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from rich.console import Console

from benchmarks import printed
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
NAMES = [measure.__name__ for measure in MEASURES]


def main() -> int:
    """Measure everything, or what is named."""
    arguments = _arguments()
    console = Console(highlight=False, markup=False, soft_wrap=True)
    try:
        figures = _measure(arguments.names, console)
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", metavar="measure", help="one of those that `benchmarks/__main__.py` lists"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    unknown = sorted({*arguments.names} - {*NAMES})
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if arguments.json and not arguments.json.parent.is_dir():
        parser.error(f"{arguments.json.parent} is not a folder")
    return arguments


def _measure(names: list[str], console: Console) -> list[Figure]:
    """Print each figure as soon as it is known."""
    figures = []
    for measure in MEASURES:
        if not names or measure.__name__ in names:
            for figure in measure():
                printed.show(figure, console)
                figures.append(figure)
    return figures


sys.exit(main())
