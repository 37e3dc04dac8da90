"""``prove``: make a round's proof file from the log."""

from __future__ import annotations

import argparse

from verifier.audit.bundles import Progress
from verifier.commands.audit import reading_whole
from verifier.commands.command import (
    HELD,
    ROUND,
    TABLE_ID,
    UNREADABLE,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_evidence,
    add_log,
    add_trust,
    add_whole,
    clock,
    keeping_evidence,
    pasted_code,
    source_of,
    status_of,
)
from verifier.commands.output_file import OutputFile
from verifier.output.proof import proof_json, show_proof
from verifier.round.proving import Proven, prove_code, prove_number
from verifier.sources.source import Source


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "prove",
        _run,
        summary="make a round's proof file, or a receipt of a round that has not ended",
        description="Make a round's proof file from the log, and check it. For a round that has not ended it is a receipt.",
    )
    command.add_argument(
        "code", nargs="?", metavar="CODE", help="the code of the round, or with --round of its table"
    )
    add_log(command)
    command.add_argument("--table-id", type=TABLE_ID, metavar="ID", help="the table's id, instead of a code")
    command.add_argument("--round", type=ROUND, metavar="N", help="the round, if not the code's")
    add_output(command, required=True)
    add_whole(command)
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    source = source_of(options.log)
    if (options.code is None) == (options.table_id is None):
        raise WrongUsage("a round is named by a code, or by --table-id and --round")
    with keeping_evidence(options.evidence), reading_whole(options) as whole:
        proven = _prove(source, options, whole)
    return report_proven(output, "prove", proven, options.output)


def _prove(source: Source, options: argparse.Namespace, whole: Progress | None) -> Proven:
    if options.code is not None:
        with pasted_code(options.code) as code:
            return prove_code(source, options.trust, code, options.round, whole=whole)
    if options.round is not None:
        return prove_number(source, options.trust, options.table_id, options.round, whole=whole)
    raise WrongUsage("--table-id needs --round")


def add_output(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Add ``-o FILE``."""
    command.add_argument(
        "-o",
        "--output",
        type=OutputFile,
        required=required,
        metavar="FILE",
        help="write the round's proof file there",
    )


def report_proven(output: Output, name: str, proven: Proven, file: OutputFile | None) -> int:
    """Write the file, if one was requested, print the verdict, and return the exit status: 4 if all held and the file
    is missing.
    """
    data, report = proven
    written = None if file is None else file.write_or_complain(data, "proof")
    now = clock()
    output.report(
        lambda: proof_json(name, report, written, now), lambda console: show_proof(console, report, written, now)
    )
    status = status_of(report.head, report.unknown)
    return UNREADABLE if status == HELD and file is not None and written is None else status
