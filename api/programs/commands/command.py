"""What the commands share: the log's key, who runs them and why, ports, keys, and waiting for the running service."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from api.journal.entry import LONGEST_REASON, is_line
from api.log.keys import load_verifier_key
from api.settings import LAST_PORT, Settings
from api.store.present import check_present
from api.world.storage_failures import account_name
from fairness.errors import Malformed
from fairness.log.notes import VerifierKey

Command = TypeVar("Command", bound="Callable[..., object] | click.Command")
PORT = click.IntRange(1, LAST_PORT)


def _reason(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and not is_line(text):
        raise click.BadParameter(f"expected 1 to {LONGEST_REASON} printable characters")
    return text


def _host(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    # Sockets take an empty name, as a script's unset variable gives it, for every address of the machine.
    if not text.strip():
        raise click.BadParameter(
            "expected an address or a name, like 127.0.0.1; 0.0.0.0 is every address of this machine"
        )
    # Addresses on the web have an IPv6 one in brackets, and sockets take none.
    return text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text


def host(option: str, explained: str) -> Callable[[Command], Command]:
    """Return an option that takes the address to listen on; a loopback address unless the user chooses another."""
    return click.option(option, default="127.0.0.1", show_default=True, callback=_host, help=explained)


REASON = click.option("--reason", callback=_reason, help="Why; it stands in the journal.")


def account() -> str:
    """Return who runs this command, for the journal: the account, and whom sudo says it acts for. Neither is
    proven.
    """
    name = account_name(os.getuid())
    person = os.environ.get("SUDO_USER", "")
    shown = f" (sudo {person})" if is_line(person) else ""
    return f"account {name}{shown}"


def path_from_here(path: Path) -> str:
    """Return the path as somebody in the present folder writes it; a whole one from ``/``, where all would lack only
    their slash.
    """
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) and here != Path("/") else str(path)


def public_key(settings: Settings) -> VerifierKey:
    """Return the log's. Nothing else of the folder is opened, which need not be writable. Raises `SettingsError`."""
    if not settings.verifier_key.exists():
        # What is missing beside it says more about what to do.
        check_present(settings)
    return load_verifier_key(settings)


def holds_within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Wait for what the running service does; return whether it has done it."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def vkey(option: str, text: str) -> VerifierKey:
    """Return a log's key, as an option gives it. Raises `click.UsageError`."""
    try:
        return VerifierKey.parse(text)
    except Malformed as error:
        raise click.UsageError(
            f"{option}: expected a log's key, as its `foredraw key show` prints it; {error}"
        ) from error
