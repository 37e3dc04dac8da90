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

from collections.abc import Callable

from verifier.commands import (
    audit,
    bet,
    bets,
    code,
    collect,
    compare,
    conform,
    evidence,
    proof,
    prove,
    receipt,
    stats,
    watch,
)
from verifier.commands.command import Parsers
from verifier.commands.explain import game, policy
from verifier.commands.witness import key, run

COMMANDS: tuple[Callable[[Parsers], None], ...] = (
    *(code.add, audit.add, stats.add, watch.add, compare.add, evidence.add),
    *(prove.add, proof.add, receipt.add),
    *(bet.add, bets.add),
    *(policy.add, game.add),
    *(run.add, key.add),
    collect.add,
    conform.add,
)
"""In the order in which ``--help`` lists them."""
