"""``receipt``: compare a receipt with the log, and complete it."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.limits import LARGEST_ROUND_PROOF
from fairness.round.proof_sections import checkpoint_in
from verifier.commands.audit import reading_whole
from verifier.commands.command import (
    Output,
    Parsers,
    add_command,
    add_evidence,
    add_log,
    add_trust,
    add_whole,
    keeping_evidence,
    read_file,
    source_of,
    trust_in,
)
from verifier.commands.prove import add_output, report_proven
from verifier.round.proving import complete_receipt


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "receipt",
        _run,
        summary="compare a receipt with the log, and complete it",
        description="Check that the log still has what a receipt or proof file says, and show how the round ended.",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the receipt, or any proof file")
    add_log(command)
    add_output(command, required=False)
    add_whole(command)
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    receipt = read_file(options.file, LARGEST_ROUND_PROOF, output)
    with keeping_evidence(options.evidence), reading_whole(options) as whole:
        trust = trust_in(options, checkpoint_in(receipt))
        proven = complete_receipt(source_of(options.log), trust, receipt, whole=whole)
    return report_proven(output, "receipt", proven, options.output)
