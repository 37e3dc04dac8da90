"""The commands of ``foredraw-verify``: a file for each, which adds its arguments and does its work."""

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

COMMANDS: tuple[Callable[[Parsers], None], ...] = (
    *(code.add, audit.add, stats.add, watch.add, compare.add, evidence.add),
    *(prove.add, proof.add, receipt.add),
    *(bet.add, bets.add),
    collect.add,
    conform.add,
)
"""In the order in which ``--help`` lists them."""
