"""``foredraw upgrade``: brings the database to the schema of this version of the service."""

from __future__ import annotations

import sys

import click

from api.programs.commands.command import account
from api.programs.commands.opened import opened_as_it_is
from api.restore.upgrading import upgrade_kept
from api.settings import Settings
from api.store import revisions
from api.store.upgrade import explained, refusal, schema_of


@click.command("upgrade")
@click.option("--check", is_flag=True, help="Say what would be done, and change nothing. Exit status 1: something.")
@click.pass_obj
def upgrade_command(settings: Settings, *, check: bool) -> None:
    """Bring the database to the schema of this version of Foredraw. Every program of the service must be stopped.

    The old file is kept. A database in PostgreSQL is changed in one transaction: make a dump of it first (pg_dump).
    """
    with opened_as_it_is(settings) as service:
        found = schema_of(service.database)
    if found.is_current:
        click.echo("The database has the schema of this version: there is nothing to do.")
        return
    if not found.is_known or found.is_empty:
        raise click.ClickException(str(refusal(found, settings)))
    click.echo(f"The database has revision {found.revision} of the schema. It lacks:")
    for step in explained(found):
        click.echo(f"  {step}")
    if check:
        advice = "The old file is kept." if settings.server is None else "Make a dump of it first (pg_dump)."
        click.echo(f"Nothing was changed. Stop every program of the service, and run `foredraw upgrade`. {advice}")
        sys.exit(1)
    kept = upgrade_kept(settings, by=account())
    click.echo(f"Upgraded to revision {revisions.REVISIONS[-1]}.")
    if kept is not None:
        click.echo(f"The database as it was is kept as {kept}.")
