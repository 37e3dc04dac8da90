"""``evidence``: check evidence that a log was forked."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.limits import LARGEST_FORK
from verifier.commands.command import Output, Parsers, add_command, add_trust, read_as_it_is, status_of, trust_in
from verifier.forks.evidence import check_evidence
from verifier.output.forks import EVIDENCE_NOT_CHECKED, evidence_json, evidence_steps, show_evidence


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "evidence",
        _run,
        summary="check evidence that a log was forked",
        description="Check evidence that a log was forked. Reads the file, and nothing else; needs no network.",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the file that audit, watch or compare wrote")
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    data = read_as_it_is(options.file, LARGEST_FORK)
    report = check_evidence(data, trust_in(options, data.partition(b"\n\n")[2]), name=str(options.file))
    output.report(
        lambda: evidence_json(report, evidence_steps(report), EVIDENCE_NOT_CHECKED),
        lambda console: show_evidence(console, report),
    )
    return status_of(report.larger)
