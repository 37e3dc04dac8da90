"""``python -m benchmarks``: measures every figure and prints it with its target."""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from benchmarks import printed
from benchmarks.comparison import ComparedFigure, Comparison, measure_both, show
from benchmarks.figure import Figure, failure
from benchmarks.measures import MEASURES
from benchmarks.side import NotComparable, committed, present

_REPOSITORY = Path(__file__).parent.parent
NAMES = [measure.__name__ for measure in MEASURES]


def main() -> int:
    """Measure everything, or what is named; on request, another commit as well."""
    arguments = _arguments()
    console = Console(highlight=False, markup=False, soft_wrap=True)
    try:
        result = _measure_both(arguments, console) if arguments.base else _measure(arguments.names, console)
    except NotComparable as error:
        print(f"python -m benchmarks: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    figures: Sequence[Figure | ComparedFigure] = result.figures if isinstance(result, Comparison) else result
    failed = [figure.name for figure in figures if figure.failed]
    if failed:
        print(f"python -m benchmarks: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", metavar="measure", help="one of those that `benchmarks/measures.py` lists"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--base", metavar="COMMIT", help="measure that commit as well, in turn with what is here")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each of the two is measured")
    arguments = parser.parse_args()
    unknown = sorted({*arguments.names} - {*NAMES})
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if arguments.json and not arguments.json.parent.is_dir():
        parser.error(f"{arguments.json.parent} is not a folder")
    if arguments.rounds < 1:
        parser.error("--rounds takes a number from 1 on")
    return arguments


def _measure(names: list[str], console: Console) -> list[Figure]:
    """Print each figure as soon as it is known."""
    figures = []
    for measure in MEASURES:
        if not names or measure.__name__ in names:
            for figure in _figures_of(measure):
                printed.show(figure, console)
                figures.append(figure)
    return figures


def _figures_of(measure: Callable[[], Iterator[Figure]]) -> Iterator[Figure]:
    """The figures of a measure. If it fails, the last one says so, and the other measures continue."""
    try:
        yield from measure()
    except Exception as error:  # noqa: BLE001 -- the other measures go on
        traceback.print_exc()
        yield failure(measure.__name__, f"{type(error).__name__}: {error}")


def _measure_both(arguments: argparse.Namespace, console: Console) -> Comparison:
    # Like Ctrl-C, SIGTERM lets the runs stop their services, and the base's files are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with committed(_REPOSITORY, arguments.base) as base:
        for name in arguments.names or NAMES:
            if not base.has(name):
                console.print(f"{name} is new: {base} does not have it")
        comparison = measure_both(base, present(_REPOSITORY), arguments.names, arguments.rounds, console)
    show(comparison, console)
    return comparison


sys.exit(main())
