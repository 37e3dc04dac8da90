"""``foredraw init``: makes a new service."""

from __future__ import annotations

from pathlib import Path

import click

from api.programs.commands.command import account, vkey
from api.programs.commands.opened import opened
from api.programs.setup import DEFAULT_ORIGIN, initialise
from api.restore.succession import LastHead, begin_after, check_other_log
from api.settings import Settings
from fairness.errors import quote


@click.command()
@click.option("--origin", help=f"The log's name: its address without scheme; {DEFAULT_ORIGIN} unless given.")
@click.option(
    "--after",
    type=click.Path(path_type=Path),
    metavar="CHECKPOINT",
    help="The last checkpoint of the log that this one follows: the new log's first record names both.",
)
@click.option("--key", metavar="VKEY", help="With --after: the key of that log.")
@click.pass_obj
def init(settings: Settings, origin: str | None, after: Path | None, key: str | None) -> None:
    """Make a new service: keys (mode 0600), an empty database, an empty log.

    With --after also for a service that is made already, as long as it has not been started.
    """
    if (after is None) != (key is None):
        raise click.UsageError("--after and --key go together: a checkpoint, and the key of the log that signed it")
    last = None if after is None or key is None else LastHead.open(after.read_bytes(), vkey("--key", key))
    if last is not None and settings.signing_key.exists():
        _name_before(settings, last, origin)
        return
    name = DEFAULT_ORIGIN if origin is None else origin
    if last is not None:
        check_other_log(last.key, name)
    made = initialise(settings, name, by=account())
    click.echo(f"Initialised {settings.folder}. The log's key, to be published widely:\n{made}")
    if last is not None:
        _name_before(settings, last, name)


def _name_before(settings: Settings, last: LastHead, origin: str | None) -> None:
    """Queue the first record of a log that is made already."""
    with opened(settings) as service:
        own = service.verifier_key
        if origin not in {None, own.name}:
            raise click.UsageError(f"{settings.folder} is of the log {own.name}, and --origin says {quote(origin)}")
        check_other_log(last.key, own.name, own)
        begin_after(service.writer, last, by=account())
    click.echo(
        f"The first record of {own.name} names {last.key.name} and its {last.checkpoint.size} records; the first start publishes it."
    )
