"""``policy``: whom a policy believes, and what liars among them could do."""

from __future__ import annotations

import argparse

from verifier.commands.command import HELD, Output, Parsers, PolicyFile, add_command
from verifier.output.policy import policy_json, show_policy


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "policy",
        _run,
        summary="explain whom a policy believes",
        description="Explain a policy: whom it believes about what, and what liars among its witnesses could do.",
    )
    command.add_argument("policy", action=PolicyFile, metavar="FILE", help="the policy")


def _run(options: argparse.Namespace, output: Output) -> int:
    output.report(lambda: policy_json(options.policy), lambda console: show_policy(console, options.policy))
    return HELD
