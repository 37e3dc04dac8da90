"""``foredraw clock``: shows the machine's clock, or confirms it."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from api.journal.clock import confirm_clock as confirm_and_note
from api.programs.commands.command import account
from api.programs.commands.opened import opened, opened_as_it_is
from api.settings import Settings


@click.group()
def clock() -> None:
    """Show the machine's clock, or confirm it after it has jumped ahead."""


@clock.command("show")
@click.pass_obj
def show_clock(settings: Settings) -> None:
    """Show the machine's time, and whether records can have it."""
    with opened_as_it_is(settings) as service:
        jumped = service.timekeeper.jump()
        click.echo(
            f"The clock shows {service.clock.now()}. Records can have this time." if jumped is None else jumped.detail
        )


@clock.command("confirm")
@click.argument("named", type=click.DateTime(["%Y-%m-%dT%H:%MZ"]), metavar="TIME")
@click.pass_obj
def confirm_clock(settings: Settings, named: datetime) -> None:
    """Confirm the machine's clock: TIME is what another clock shows, in UTC, like 2026-11-20T22:49Z.

    For a clock that is right although it has jumped ahead, or after more than a day without the service. Records
    never get an earlier time again, so read TIME off a clock that you trust, not off this machine.
    """
    with opened(settings) as service:
        shown = confirm_and_note(service.database, service.timekeeper, named.replace(tzinfo=UTC), by=account())
    click.echo(f"Confirmed: records get the clock's time from {shown} on. The running service goes on by itself.")
