"""``foredraw round``: voids a round, or confirms that."""

from __future__ import annotations

import click

from api.answers.rounds import Ended, Pending
from api.programs.commands.command import account
from api.programs.commands.opened import opened
from api.rounds.second_person import ask_to_void, confirm_void
from api.settings import Settings


@click.group("round")
def round_group() -> None:
    """Void a round, or confirm that somebody else voids it."""


@round_group.command("void")
@click.argument("name", metavar="TABLE")
@click.argument("number", type=click.IntRange(1))
@click.option(
    "--reason",
    required=True,
    help="It stands in the log for ever, with ? for what is no ASCII, cut after 200 characters.",
)
@click.pass_obj
def void(settings: Settings, name: str, number: int, reason: str) -> None:
    """Void round NUMBER of TABLE: it is revealed, and counted as void by every verifier.

    If the settings want two people for that, this asks, and somebody else confirms.
    """
    within = settings.void_confirmed_within
    with opened(settings) as service:
        if within is not None:
            until = ask_to_void(service.writer, name, number, reason, by=account(), within=within)
            click.echo(f"Somebody else confirms it until {until}: foredraw round confirm {name} {number}")
            return
        answer = service.rounds.void(name, number, reason, operator=account())
        _show(name, number, answer)


@round_group.command()
@click.argument("name", metavar="TABLE")
@click.argument("number", type=click.IntRange(1))
@click.pass_obj
def confirm(settings: Settings, name: str, number: int) -> None:
    """Void round NUMBER of TABLE, as somebody else has asked with `round void`."""
    with opened(settings) as service:
        _show(name, number, confirm_void(service.writer, service.rounds, name, number, by=account()))


def _show(name: str, number: int, answer: Ended | Pending) -> None:
    if isinstance(answer, Pending):
        raise click.ClickException(
            f"{name} round {number} is locked as given up, but not published: does the service run?"
        )
    click.echo(f"{name} round {number} is void. Its code: {answer.round_code}")
