"""``code``: check one round by its code."""

from __future__ import annotations

import argparse

from verifier.as_json import round_json
from verifier.commands.command import HELD, Output, Parsers, add_command, add_key, add_log, source_of
from verifier.round_check import check_round
from verifier.show import show_round


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "code", _run, summary="check one round by its code", description="Check one round by its code."
    )
    command.add_argument("code", metavar="CODE", help="the round code, as the player received it")
    add_log(command)
    command.add_argument("--table", metavar="NAME", help="refuse the code if it is of another table")
    add_key(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    report = check_round(source_of(options.log), options.key, options.code, table=options.table)
    output.tell(lambda: round_json(report), lambda console: show_round(console, report))
    return HELD
