"""``foredraw succeed``: writes the log's last record."""

from __future__ import annotations

import sys

import click

from api.programs.commands.command import REASON, account, holds_within, path_from_here, vkey
from api.programs.commands.opened import opened
from api.restore.succession import check_other_log, end_log
from api.rounds.reading import head_row
from api.service import Service
from api.settings import Settings
from fairness.errors import quote
from fairness.log.checkpoints import CHECKPOINT


@click.command()
@click.option(
    "--to", metavar="VKEY", required=True, help="The key of the log that follows, as its `init` printed it."
)
@click.option("--origin", help="This log's name, typed again: nothing undoes this command. Asked for unless given.")
@click.option("--wait", default=30, show_default=True, help="Seconds to wait for the running service.")
@REASON
@click.pass_obj
def succeed(settings: Settings, to: str, origin: str | None, wait: int, reason: str | None) -> None:
    """End the log for ever: its last record names the log that follows it. Every table must be closed before.

    With the service stopped, the record waits for the next start. Run again, it says whether the log has ended.
    """
    successor = vkey("--to", to)
    with opened(settings) as service:
        check_other_log(successor, service.verifier_key.name, service.verifier_key)
        _check_origin(service.verifier_key.name, origin)
        end_log(service.writer, successor, by=account(), reason=reason)
        if not holds_within(wait, lambda: _is_published(service)):
            click.echo("The last record waits: the running service publishes it. Run this command again to see it.")
            return
        click.echo(
            f"{service.verifier_key.name} has ended with {service.publication.size} records. The next log's first record:\n"
            f"foredraw --data FOLDER init --after {path_from_here(settings.log / CHECKPOINT)} --key {service.verifier_key}"
        )


def _check_origin(own: str, typed: str | None) -> None:
    """Have the log's name typed again. Raises `click.UsageError` if it is another one."""
    if typed is None:
        if not _is_asked():
            raise click.UsageError(f"this ends the log {own} for ever: type its name again, with --origin")
        typed = click.prompt(f"This ends the log {own} for ever. Type its name again", default="", show_default=False)
    if typed != own:
        raise click.UsageError(
            f"--origin: expected this log's name, {own}, found {quote(typed)}. Nothing was changed"
        )


def _is_asked() -> bool:
    """Return whether somebody sits at a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def _is_published(service: Service) -> bool:
    head = head_row(service.database)
    return head is not None and bool(head.successor) and service.publication.size == head.size
