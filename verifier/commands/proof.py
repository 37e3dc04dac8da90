"""``proof``: check a round's proof file, offline."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.limits import LARGEST_ROUND_PROOF
from fairness.round.proof_sections import checkpoint_in
from verifier.commands.command import (
    Output,
    Parsers,
    add_command,
    add_evidence,
    add_trust,
    clock,
    keeping_evidence,
    read_file,
    status_of,
    trust_in,
)
from verifier.output.proof import proof_json, show_proof
from verifier.round.proof_check import check_proof


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "proof",
        _run,
        summary="check a round's proof file, offline",
        description="Check a round's proof file, or a receipt. Reads nothing but the file.",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the proof file")
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    data = read_file(options.file, LARGEST_ROUND_PROOF, output)
    with keeping_evidence(options.evidence):
        report = check_proof(data, trust_in(options, checkpoint_in(data)))
    now = clock()
    output.report(
        lambda: proof_json("proof", report, None, now), lambda console: show_proof(console, report, None, now)
    )
    return status_of(report.head, report.unknown)
