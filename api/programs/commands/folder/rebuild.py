"""``foredraw rebuild``: makes the database again from the published log."""

from __future__ import annotations

import click

from api.programs.commands.command import account
from api.restore.rebuild import Rebuilt, rebuild
from api.settings import Settings


@click.command("rebuild")
@click.option(
    "--fork-the-log-discarding",
    "discard",
    metavar="N",
    type=click.IntRange(1),
    help="Give up N records that this copy of the log lacks and others may have seen, and sign others instead.",
)
@click.pass_obj
def rebuild_command(settings: Settings, discard: int | None) -> None:
    """Make the database again from the published log. The service must be stopped."""
    show_rebuilt(rebuild(settings, discard=discard or 0, by=account()))


def show_rebuilt(made: Rebuilt) -> None:
    """Print what a rebuild has made, and what is lost."""
    kept = "there was no old one" if made.kept is None else f"the old one was kept as {made.kept}"
    click.echo(f"The database was rebuilt from {made.size} records; {kept}.")
    if made.size > made.published:
        click.echo(f"The log's checkpoint is of {made.published} of them; the next start publishes the others.")
    for title, lines in (("Lost", made.lost), ("The log could not be compared with", made.unknown)):
        if lines:
            click.echo(f"{title}:\n" + "\n".join(f"  {line}" for line in lines))
    if made.lost:
        click.echo("If an older copy of foredraw.db has what is lost, put it in place and run this again.")
