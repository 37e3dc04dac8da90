"""``foredraw key``: shows the log's public key, and changes the seeds' secret one."""

from __future__ import annotations

import click

from api.programs.lazy_group import LazyGroup

_HERE = "api.programs.commands.key"


@click.group(cls=LazyGroup, commands_at={"show": f"{_HERE}.show:show", "rotate": f"{_HERE}.rotate:rotate"})
def key() -> None:
    """Show the log's public key; change the key that encrypts seeds."""
