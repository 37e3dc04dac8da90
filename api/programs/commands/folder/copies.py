"""``foredraw backup`` and ``foredraw restore``: a copy of the data folder, and its parts back in place."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from api.programs.commands.command import account
from api.programs.commands.folder.doctor import show
from api.programs.commands.folder.rebuild import show_rebuilt
from api.programs.doctor.examine import examine
from api.restore.backup import back_up
from api.restore.put_back import put_back
from api.settings import Settings

_FOLDER = click.Path(path_type=Path, resolve_path=True)


@click.command()
@click.argument("target", metavar="DIR", type=_FOLDER)
@click.option("--with-keys", is_flag=True, help="Copy the secret keys, too: whoever has such a copy has all seeds.")
@click.pass_obj
def backup(settings: Settings, target: Path, *, with_keys: bool) -> None:
    """Copy the data folder to the new folder DIR, while rounds are played or with the service stopped.

    The copy is checked as a start would check it. The secret keys are left out.
    """
    made = back_up(settings, target, with_keys=with_keys)
    click.echo(
        f"Copied to {target}: {made.size} records, {made.published} of them published. A start would accept it."
    )
    if with_keys:
        click.echo("It has the secret keys: keep it as safe as the keys themselves.")
    else:
        click.echo(f"The secret keys are not in it: keep copies of {settings.signing_key.parent} apart.")


@click.command()
@click.argument("source", metavar="DIR", type=_FOLDER)
@click.option(
    "--the-log-has-not-grown",
    "has_not_grown",
    is_flag=True,
    help="You know that nothing was published after this back-up. Otherwise the service would fork the log.",
)
@click.pass_obj
def restore(settings: Settings, source: Path, *, has_not_grown: bool) -> None:
    """Put back what the data folder lacks, from the back-up DIR. The service must be stopped.

    A part that is there is never replaced: move what is damaged away first, and leave the newest log and the newest
    custodian/ where they are. A database that is older than the log is rolled forward. Then the doctor looks at the
    folder.
    """
    done = put_back(settings, source, has_not_grown=has_not_grown, by=account())
    click.echo(f"Put back: {', '.join(done.parts)}.")
    if done.rebuilt is not None:
        click.echo("The database of the back-up was older than the log.")
        show_rebuilt(done.rebuilt)
    found = examine(settings)
    show(found)
    sys.exit(0 if found.healthy else 1)
