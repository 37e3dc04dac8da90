"""``witness-key``: make a witness's key, and print what others need of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fairness.errors import Malformed, Unreadable
from fairness.policy.cosignatures import WitnessKey
from verifier.commands.command import HELD, Output, Parsers, WrongUsage, add_command
from verifier.commands.output_file import OutputFile
from verifier.commands.witness.signs import add_agent, agent_signer, check_can_hold_keys
from verifier.output.printing import Console, line, plain
from verifier.witness.key_file import make_key, make_key_file

if TYPE_CHECKING:
    from verifier.answers.tools import WitnessKeyMade


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "witness-key",
        _run,
        summary="make the key of a witness",
        description="Make the secret key of a witness in a new file that only its owner can read, and print the public key\n"
        "and the line for policies. With --agent, no key is made: the line is that of a key that an ssh-agent holds.",
    )
    command.add_argument(
        "name", metavar="NAME", help="the witness's name, by convention an address like lab.example/witness"
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "-o", dest="file", type=OutputFile, metavar="FILE", help="where to make the key; there must be no such file"
    )
    add_agent(where)
    command.add_argument("--url", metavar="URL", help="where logs will reach the witness, for the policy's line")


def _run(options: argparse.Namespace, output: Output) -> int:
    key = _make(options.file, options.name) if options.file else agent_signer(options.agent, options.name).key
    words = ["witness", key.name, str(key), *([options.url] if options.url else [])]
    value: WitnessKeyMade = {
        "v": 1,
        "command": "witness-key",
        "verdict": "held",
        "vkey": str(key),
        "policy_line": " ".join(words),
    }

    def show(console: Console) -> None:
        line(console, "Key", str(key))
        line(console, "Policy", "the line that names this witness; the second word is a name of your choice:")
        plain(console, " ".join(words))

    output.give(lambda: value, show)
    return HELD


def _make(file: OutputFile, name: str) -> WitnessKey:
    check_can_hold_keys()
    try:
        if file.is_standard_output:
            key = make_key(name)
            file.write(f"{key.secret_text()}\n".encode("ascii"))
            return key.key
        return make_key_file(file.path, name).key
    except FileExistsError as error:
        raise WrongUsage(f"there is a file {file}; a key is never overwritten") from error
    except OSError as error:
        raise Unreadable(str(file), error.strerror or str(error)) from error
    except Malformed as error:
        raise WrongUsage(str(error)) from error
