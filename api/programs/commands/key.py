"""``foredraw key``: shows the log's public key."""

from __future__ import annotations

import click

from api.programs.commands.command import opened
from api.settings import Settings


@click.group()
def key() -> None:
    """Show the log's public key."""


@key.command("show")
@click.pass_obj
def show(settings: Settings) -> None:
    """Print the vkey that verifiers need."""
    with opened(settings) as service:
        click.echo(str(service.verifier_key))
