"""``foredraw init``: makes a new service."""

from __future__ import annotations

import click

from api.programs.commands.command import account
from api.programs.setup import DEFAULT_ORIGIN, initialise
from api.settings import Settings


@click.command()
@click.option(
    "--origin", default=DEFAULT_ORIGIN, show_default=True, help="The log's name: its address without scheme."
)
@click.pass_obj
def init(settings: Settings, origin: str) -> None:
    """Make a new service: keys (mode 0600), an empty database, an empty log."""
    key = initialise(settings, origin, by=account())
    click.echo(f"Initialised {settings.folder}. The log's key, to be published widely:\n{key}")
