"""``code``: check one round by its code."""

from __future__ import annotations

import argparse

from games.bets.bet import BetRefused
from verifier.commands.command import (
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_evidence,
    add_log,
    add_trust,
    clock,
    keeping_evidence,
    pasted_code,
    source_of,
    status_of,
)
from verifier.output.as_json import round_json
from verifier.output.show import show_round
from verifier.round.check import check_round


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "code", _run, summary="check one round by its code", description="Check one round by its code."
    )
    command.add_argument("code", metavar="CODE", help="the round code, as the player received it")
    add_log(command)
    command.add_argument("--table", metavar="NAME", help="refuse the code if it is of another table")
    command.add_argument(
        "--bet",
        action="append",
        default=[],
        metavar="BET",
        help='show the result of a bet like "sum 10"; may be repeated',
    )
    add_evidence(command)
    add_trust(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    try:
        with keeping_evidence(options.evidence), pasted_code(options.code) as code:
            report = check_round(source_of(options.log), options.trust, code, table=options.table, bets=options.bet)
    except BetRefused as error:
        raise WrongUsage(f"--bet {error}") from error
    now = clock()
    output.report(lambda: round_json(report, now), lambda console: show_round(console, report, now))
    return status_of(report.head, report.unknown)
