"""The arguments that name a witness's secret key, and who holds it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from fairness.errors import Malformed, Unreadable
from verifier.commands.command import WrongUsage
from verifier.witness.agent import Agent
from verifier.witness.key_file import can_hold_keys, read_key_file
from verifier.witness.signers import AgentSigner, CannotSign, Signer


def check_can_hold_keys() -> None:
    """Refuse keys in the one-file verifier, which leaves them to an agent."""
    if not can_hold_keys():
        raise WrongUsage("the one-file verifier has nothing that signs: install the verifier, or use --agent")


def add_agent(group: argparse._MutuallyExclusiveGroup) -> None:
    """Add ``--agent``."""
    group.add_argument(
        "--agent",
        metavar="KEY",
        help="an Ed25519 key of the ssh-agent at SSH_AUTH_SOCK: its fingerprint (SHA256:…) or its comment",
    )


def agent_signer(key: str, name: str | None) -> AgentSigner:
    """Return the key of the running ssh-agent, as the witness ``name``."""
    socket = os.environ.get("SSH_AUTH_SOCK")
    if not socket:
        raise WrongUsage("--agent needs a running ssh-agent, and its socket in SSH_AUTH_SOCK")
    if name is None:
        raise WrongUsage("--agent needs --name NAME, the name under which the witness cosigns")
    try:
        return AgentSigner.find(Agent(socket), key, name)
    except CannotSign as error:
        raise Unreadable("ssh-agent", str(error)) from error
    except Malformed as error:
        raise WrongUsage(str(error)) from error


def signer_of(options: argparse.Namespace) -> Signer:
    """Return the signer that the arguments name."""
    if options.agent is not None:
        return agent_signer(options.agent, options.name)
    if options.name is not None:
        raise WrongUsage("--name goes with --agent; a key's file has the name in it")
    check_can_hold_keys()
    file: Path = options.sign_with
    try:
        return read_key_file(file)
    except OSError as error:
        raise Unreadable(str(file), error.strerror or str(error)) from error
    except Malformed as error:
        raise WrongUsage(f"{file}: {error}") from error
