"""``foredraw round``: voids a round."""

from __future__ import annotations

import re

import click

from api.programs.commands.command import account, opened_to_change
from api.settings import Settings


@click.group("round")
def round_group() -> None:
    """Void a round."""


@round_group.command("void")
@click.argument("name", metavar="TABLE")
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", required=True, help="1 to 200 printable characters; it stands in the log for ever.")
@click.pass_obj
def void(settings: Settings, name: str, number: int, reason: str) -> None:
    """Void round NUMBER of TABLE: it is revealed, and counted as void by every verifier."""
    if not re.fullmatch(r"[ -~]{1,200}", reason):
        raise click.UsageError("--reason: expected 1 to 200 printable ASCII characters")
    with opened_to_change(settings) as service:
        answer = service.rounds.void(name, number, reason, operator=account())
        if answer is None:
            raise click.ClickException(
                f"{name} round {number} is locked as given up, but not published: does the service run?"
            )
        click.echo(f"{name} round {number} is void. Its code: {answer['code']}")
