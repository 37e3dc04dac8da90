"""``bet``: check one bet by its receipt."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.limits import LARGEST_RECEIPT, LARGEST_ROUND_PROOF
from fairness.round.proof_sections import checkpoint_in
from verifier.commands.audit import reading_whole
from verifier.commands.command import (
    LOG_HELP,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_evidence,
    add_trust,
    add_whole,
    clock,
    keeping_evidence,
    read_file,
    source_of,
    status_of,
    trust_in,
)
from verifier.output.bet import bet_json, show_bet
from verifier.round.bet_check import check_bet, check_bet_by_proof


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "bet",
        _run,
        summary="check one bet by its receipt",
        description="Show that a bet was among those that were fixed before the round's outcome was released.",
    )
    command.add_argument(
        "receipt", type=Path, metavar="RECEIPT", help="the file that the player received for the bet"
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("--log", metavar="LOG", help=LOG_HELP)
    where.add_argument(
        "--proof", dest="file", type=Path, metavar="FILE", help="a proof file of the round, instead of the log"
    )
    add_whole(command)
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    if options.whole and options.log is None:
        raise WrongUsage("--whole needs --log: a proof file has no other records")
    receipt = read_file(options.receipt, LARGEST_RECEIPT, output)
    if options.file is None:
        with reading_whole(options) as whole:
            report = check_bet(source_of(options.log), options.trust, receipt, whole=whole)
    else:
        proof = read_file(options.file, LARGEST_ROUND_PROOF, output)
        with keeping_evidence(options.evidence):
            report = check_bet_by_proof(proof, trust_in(options, checkpoint_in(proof)), receipt)
    now = clock()
    output.report(lambda: bet_json(report, now), lambda console: show_bet(console, report, now))
    return status_of(report.head, report.unknown)
