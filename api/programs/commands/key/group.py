"""``foredraw key``: shows the log's public key, and changes the seeds' secret one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from api.programs.lazy_group import LazyGroup

_HERE = "api.programs.commands.key"


class _Commands(LazyGroup):
    places: ClassVar[Mapping[str, str]] = {"show": f"{_HERE}.show:show", "rotate": f"{_HERE}.rotate:rotate"}


@click.group(cls=_Commands)
def key() -> None:
    """Show the log's public key; change the key that encrypts seeds."""
