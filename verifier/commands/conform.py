"""``conform``: another implementation against the vectors of every format."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.commands.command import FAILED, HELD, Output, Parsers, WrongUsage, add_command
from verifier.conformance.driver import FormatReport, NoVectors, Vectors, conform, load_vectors
from verifier.output.printing import Console, count, heading, item, plain

if TYPE_CHECKING:
    from verifier.answers.tools import Conformed

_LONGEST_LIMIT = 600
_FAILURES_SHOWN = 10


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "conform",
        _run,
        summary="check another verifier against the vectors",
        description="Send every case of the vectors to another implementation, and compare its\n"
        "answers. docs/conformance.md describes the requests.",
    )
    command.add_argument(
        "program", metavar="COMMAND", help="starts it, in one argument; split like a shell does, run without one"
    )
    command.add_argument(
        "--format", action="append", metavar="NAME", help="test only this format; may be given several times"
    )
    command.add_argument(
        "--vectors", type=Path, metavar="FOLDER", help="the vectors of this folder, instead of the installed ones"
    )
    command.add_argument("--limit", type=_seconds, default=10, metavar="SECONDS", help="time for each case (10)")


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _LONGEST_LIMIT):
        raise argparse.ArgumentTypeError(f"a number from 1 to {_LONGEST_LIMIT}")
    return int(text)


def _run(options: argparse.Namespace, output: Output) -> int:
    vectors = _chosen(options.vectors, options.format)
    try:
        command = shlex.split(options.program)
        reports = list(conform(command, vectors, limit=options.limit))
    except (ValueError, IndexError) as error:
        raise WrongUsage(f"{options.program!r} is no command: {error}") from error
    except OSError as error:
        raise WrongUsage(f"{command[0]} could not be started: {error.strerror or error}") from error
    # Nothing is said for a program that declined all that it was asked.
    passed = not any(report.failures for report in reports) and any(report.answered for report in reports)
    output.report(lambda: _json(reports, passed=passed), lambda console: _show(console, reports, options.format))
    return HELD if passed else FAILED


def _chosen(folder: Path | None, names: list[str] | None) -> list[Vectors]:
    try:
        every = load_vectors(folder)
    except (NoVectors, OSError) as error:
        source = (
            "--vectors names their folder: verifier/conformance/vectors of the source, or of an installed verifier"
        )
        raise WrongUsage(f"no vectors: {error}; {source}") from error
    if names is None:
        return every
    if unknown := sorted(set(names) - {vectors.format for vectors in every}):
        known = ", ".join(vectors.format for vectors in every)
        raise WrongUsage(f"no format {', '.join(unknown)}; there are {known}")
    return [vectors for vectors in every if vectors.format in names]


def _json(reports: list[FormatReport], *, passed: bool) -> Conformed:
    return {
        "v": 1,
        "command": "conform",
        "verdict": "held" if passed else "failed",
        "formats": [
            {
                "format": report.format,
                "passed": report.passed,
                "failed": len(report.failures),
                "declined": report.declined,
                "failures": [
                    {"case": each.case, "expected": each.expected, "found": each.found, "catches": each.catches}
                    for each in report.failures
                ],
            }
            for report in reports
        ],
    }


def _show(console: Console, reports: list[FormatReport], chosen: list[str] | None) -> None:
    plain(console, f"{'format':<20}{'passed':>8}{'failed':>8}", "bold")
    for report in reports:
        plain(console, f"{report.format:<20}{report.passed:>8,}{len(report.failures):>8,}")
    for report in reports:
        if report.failures:
            console.print()
            _show_failures(console, report)
    console.print()
    if chosen is not None:
        plain(console, "Only these formats were tested.")
    for report in reports:
        for command, cases in report.declined.items():
            plain(console, f"Not tested: the program declined {command} ({report.format}, {count(cases, 'case')}).")
    cases, failed = sum(report.answered for report in reports), sum(len(report.failures) for report in reports)
    if not cases:
        plain(console, "FAILED: The program declined everything.", "bold red")
    elif failed:
        plain(
            console,
            f"FAILED: {count(failed, 'answer')} of {cases:,} {'is' if failed == 1 else 'are'} wrong.",
            "bold red",
        )
    else:
        plain(console, f"Held: All {cases:,} answers are right.", "bold green")


def _show_failures(console: Console, report: FormatReport) -> None:
    heading(console, report.format)
    # Cases that name a bug are the most informative.
    named = sorted(report.failures, key=lambda failure: failure.catches is None)
    for failure in named[:_FAILURES_SHOWN]:
        item(console, failure.case)
        plain(console, f"      expected  {failure.expected}")
        plain(console, f"      found     {failure.found}")
        if failure.catches is not None:
            plain(console, f"      catches   {failure.catches}")
    more = len(report.failures) - _FAILURES_SHOWN
    if more > 0:
        item(console, f"and {count(more, 'case')} more; --json lists all")
