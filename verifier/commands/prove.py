"""``prove``: make a round's proof file from the log."""

from __future__ import annotations

import argparse

from verifier.commands.command import (
    HELD,
    ROUND,
    TABLE_ID,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_key,
    add_log,
    source_of,
)
from verifier.commands.proof_output import add_output, tell_proven
from verifier.round.proving import prove_code, prove_number


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
    add_key(command)


def _run(options: argparse.Namespace, output: Output) -> int:
    source = source_of(options.log)
    if (options.code is None) == (options.table_id is None):
        raise WrongUsage("a round is named by a code, or by --table-id and --round")
    if options.code is not None:
        proven = prove_code(source, options.key, options.code, options.round)
    elif options.round is not None:
        proven = prove_number(source, options.key, options.table_id, options.round)
    else:
        raise WrongUsage("--table-id needs --round")
    tell_proven(output, "prove", proven, options.output)
    return HELD
