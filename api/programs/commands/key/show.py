"""``foredraw key show``: the log's public key."""

from __future__ import annotations

import click

from api.programs.commands.command import public_key
from api.settings import Settings


@click.command("show")
@click.pass_obj
def show(settings: Settings) -> None:
    """Print the vkey that verifiers need."""
    click.echo(str(public_key(settings)))
