"""The commands of ``foredraw-verify``: each file adds a command's arguments and does its work.

`code`      a round by its code
`audit`     the whole log
`stats`     statistics of the whole log
`watch`     follows a log
`compare`   two places, one log
`evidence`  evidence of a fork
`prove`     makes a proof file
`proof`     checks a proof file
`receipt`   compares proof files with a log
`bet`       checks the receipt of a bet
`bets`      makes digests and receipts of bets
`explain`   explains policies and declared games
`witness`   runs a witness, and makes its key
`collect`   samples for a test laboratory
`conform`   tests another verifier
`command`   what all commands share
`output_file`  where they write what they make
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from verifier.commands.command import Parsers

COMMANDS: Mapping[str, str] = {
    "code": "code",
    "audit": "audit",
    "stats": "stats",
    "watch": "watch",
    "compare": "compare",
    "evidence": "evidence",
    "prove": "prove",
    "proof": "proof",
    "receipt": "receipt",
    "bet": "bet",
    "bets": "bets",
    "policy": "explain.policy",
    "game": "explain.game",
    "witness": "witness.run",
    "witness-key": "witness.key",
    "collect": "collect",
    "conform": "conform",
}
"""The module of each, in the order in which ``--help`` lists them. Imported when it is asked for: a start takes most
of a short command.
"""


def add(commands: Parsers, name: str) -> None:
    """Add the arguments of one command."""
    import_module(f"{__name__}.{COMMANDS[name]}").add(commands)
