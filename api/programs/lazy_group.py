"""Groups of commands that import each when it is asked for: a start takes most of a short command."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click


class LazyGroup(click.Group):
    """A group whose commands are named, each with its module and its name there:
    ``api.programs.commands.key:show``.
    """

    places: ClassVar[Mapping[str, str]]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- as click declares it
        """List them by their names, as the help does."""
        return sorted(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- as click declares it
        """Return the command, if there is one of this name."""
        if cmd_name not in self.places:
            return None
        module, _, name = self.places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command
