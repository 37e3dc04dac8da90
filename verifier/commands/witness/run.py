"""``witness``: cosign a log's checkpoints, each only after every record in it was replayed."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from verifier.commands.command import LOG_HELP, Output, Parsers, WrongUsage, add_command, add_trust
from verifier.commands.witness.signs import add_agent

_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]+)):(\d{1,5})", re.ASCII)
_LARGEST_PORT = 65_535
_DESCRIPTION = """\
Run a witness (C2SP tlog-witness) for one log until a signal ends it. Its line on a checkpoint means: it saw this tree at
this time, the tree extends every tree that it cosigned before, and every record in it was replayed and breaks no rule.
With --plain it looks at no record, and the line means only the rest.

Reports growth and what is wrong as `watch` does: with --json, an object a line. Ends with status 3 if an alarm was raised.
"""


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands, "witness", _run, summary="cosign a log's checkpoints for others", description=_DESCRIPTION
    )
    command.add_argument(
        "--log", metavar="LOG", help=f"{LOG_HELP}; with --plain it is needed only for evidence of a fork"
    )
    command.add_argument(
        "--listen", type=_address, required=True, metavar="HOST:PORT", help="where logs reach the witness, over HTTP"
    )
    command.add_argument(
        "--state",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where to remember what was cosigned: never lose it",
    )
    command.add_argument(
        "--begin", action="store_true", help="begin with an empty memory: only if this key never cosigned this log"
    )
    command.add_argument("--plain", action="store_true", help="replay nothing: any log of C2SP's format is cosigned")
    signs = command.add_mutually_exclusive_group(required=True)
    signs.add_argument("--sign-with", type=Path, metavar="FILE", help="the key's file, made by witness-key")
    add_agent(signs)
    command.add_argument("--name", metavar="NAME", help="with --agent, the name under which to cosign")
    command.add_argument(
        "--exec",
        dest="command_line",
        metavar="COMMAND",
        help="run this on each alarm, without a shell, with the alarm as JSON on its input",
    )
    add_trust(command)


def _address(text: str) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[3]) > _LARGEST_PORT:
        raise argparse.ArgumentTypeError("HOST:PORT, like 127.0.0.1:9100 or [::1]:9100")
    return found[1] or found[2], int(found[3])


def _run(options: argparse.Namespace, output: Output) -> int:
    if options.log is None and not options.plain:
        raise WrongUsage("--log is missing: without --plain, a witness replays the log's records")

    from verifier.commands.witness.serving import run_witness  # noqa: PLC0415  (needs a Unix, and is slow to import)

    return run_witness(options, output)
