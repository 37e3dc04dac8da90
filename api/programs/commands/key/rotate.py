"""``foredraw key rotate``: changes the key that encrypts seeds at rest."""

from __future__ import annotations

import click

from api.programs.commands.command import REASON, account
from api.restore.rekey import rotate_seeds_key
from api.settings import Settings


@click.command("rotate")
@REASON
@click.pass_obj
def rotate(settings: Settings, reason: str | None) -> None:
    """Change the key that encrypts seeds at rest: all of them are sealed again. The service must be stopped.

    If it is interrupted, run it again. The log's signing key cannot be changed: another key is another log.
    """
    sealed, kept = rotate_seeds_key(settings, by=account(), reason=reason)
    name = settings.seeds_key.name
    click.echo(f"{sealed.seeds} batches are sealed under a new key: back up {name} before you start the service.")
    if kept is not None:
        click.echo(
            f"{sealed.unknown} more, which no batch of this log points at, are still under the old key, which is kept as"
            f" {kept.name}. Delete it when you are sure that log and database are the newest copies."
        )
