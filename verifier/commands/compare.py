"""``compare``: whether two people were shown the same log."""

from __future__ import annotations

import argparse

from fairness.errors import CheckFailed, Unreadable
from fairness.log.fork import Fork, in_order
from verifier.commands.command import Output, Parsers, add_command, add_trust, keep_fork, source_of, status_of
from verifier.commands.output_file import OutputFile, complain
from verifier.forks.compare import Shown, compare
from verifier.forks.extension import NotAnExtension
from verifier.output.forks import comparison_json, show_comparison


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "compare",
        _run,
        summary="compare what two places show of one log",
        description="Show whether the log in one place is a prefix of the log in the other.",
    )
    command.add_argument("first", metavar="LOG1", help="a log: an address (http://…/log) or a folder")
    command.add_argument("second", metavar="LOG2", help="the same log, from another place")
    command.add_argument("-o", dest="file", type=OutputFile, metavar="FILE", help="where to keep evidence of a fork")
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    first, second = (Shown.at(source_of(place), options.trust) for place in (options.first, options.second))
    try:
        compare(first, second)
    except NotAnExtension as error:
        error.evidence = keep_fork(options.file, error.fork)
        raise
    except (CheckFailed, Unreadable):
        smaller, larger = in_order(first.head.signed, second.head.signed)
        if keep_fork(options.file, Fork(smaller.note, larger.note)):
            complain(f"both signed checkpoints, without any proof, are in {options.file}")
        raise
    first.check_quorum()
    second.check_quorum()
    heads = first.head, second.head
    output.report(lambda: comparison_json(*heads), lambda console: show_comparison(console, *heads))
    return status_of(first.head)
