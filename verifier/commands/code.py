"""``code``: check one round by its code."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairness.limits import LARGEST_NEWER_PAYTABLE, LARGEST_ROUND_PROOF
from fairness.round.proof_sections import checkpoint_in
from games.bets.bet import BetRefused
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
    pasted_code,
    read_file,
    source_of,
    status_of,
    trust_in,
)
from verifier.output.proof import proof_json, show_proof
from verifier.output.round import round_json, show_round
from verifier.round.check import check_round
from verifier.round.code_checks import read_code
from verifier.round.code_proof_check import check_code_by_proof


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "code", _run, summary="check one round by its code", description="Check one round by its code."
    )
    command.add_argument("code", metavar="CODE", help="the round code, as the player received it")
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("--log", metavar="LOG", help=LOG_HELP)
    where.add_argument(
        "--proof", dest="file", type=Path, metavar="FILE", help="the proof file of the round, instead of the log"
    )
    command.add_argument("--table", metavar="NAME", help="refuse the code if it is of another table")
    command.add_argument(
        "--bet",
        action="append",
        default=[],
        metavar="BET",
        help='show the result of a bet like "sum 10"; may be repeated',
    )
    command.add_argument(
        "--paytable",
        type=Path,
        metavar="FILE",
        help="the file of what bets at the table pay, instead of the log's: a file of its paytables/",
    )
    add_whole(command)
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    if options.whole and options.log is None:
        raise WrongUsage("--whole needs --log: a proof file has no other records")
    if options.paytable is not None and not options.bet:
        raise WrongUsage("--paytable needs --bet: a round does not depend on what bets pay")
    try:
        with keeping_evidence(options.evidence), pasted_code(options.code) as code:
            return _by_log(options, code, output) if options.file is None else _by_proof(options, code, output)
    except BetRefused as error:
        raise WrongUsage(f"--bet {error}") from error


def _by_proof(options: argparse.Namespace, code: str, output: Output) -> int:
    # A code that is none is said before the file is looked for.
    read_code(code)
    data = read_file(options.file, LARGEST_ROUND_PROOF, output)
    trust = trust_in(options, checkpoint_in(data))
    paytable = _paytable(options, output)
    report = check_code_by_proof(data, trust, code, table=options.table, bets=options.bet, paytable=paytable)
    now = clock()
    output.report(
        lambda: proof_json("code", report, None, now), lambda console: show_proof(console, report, None, now)
    )
    return status_of(report.head, report.unknown)


def _paytable(options: argparse.Namespace, output: Output) -> bytes | None:
    return None if options.paytable is None else read_file(options.paytable, LARGEST_NEWER_PAYTABLE, output)


def _by_log(options: argparse.Namespace, code: str, output: Output) -> int:
    with reading_whole(options) as whole:
        log, trust, paytable = source_of(options.log), options.trust, _paytable(options, output)
        report = check_round(log, trust, code, table=options.table, bets=options.bet, paytable=paytable, whole=whole)
    now = clock()
    output.report(lambda: round_json(report, now), lambda console: show_round(console, report, now))
    return status_of(report.head, report.unknown)
