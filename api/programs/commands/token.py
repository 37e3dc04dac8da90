"""``foredraw token``: creates, lists, rotates and revokes bearer tokens."""

from __future__ import annotations

import json
from datetime import timedelta

import click

from api.access import tokens
from api.programs.commands.command import REASON, account
from api.programs.commands.opened import opened
from api.rounds.reading import status_of_tables
from api.settings import Settings

_LIFETIME = click.option(
    "--expires",
    "days",
    metavar="DAYS",
    type=click.IntRange(1, 3660),
    help="Days for which it is valid; else for ever.",
)


@click.group()
def token() -> None:
    """Create, list, rotate and revoke bearer tokens."""


@token.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in tokens.Role]), default="engine", show_default=True)
@click.option("--table", "names", multiple=True, help="A table it is for; may be repeated.")
@click.option("--all-tables", is_flag=True, help="It is for every table, those to come included.")
@_LIFETIME
@click.pass_obj
def create(
    settings: Settings,
    name: str,
    role: str,
    names: tuple[str, ...],
    all_tables: bool,  # noqa: FBT001 -- click passes it by name
    days: int | None,
) -> None:
    """Create an account called NAME and print its token, once."""
    if bool(names) == all_tables:
        raise click.UsageError("give --table NAME, once or more, or --all-tables")
    with opened(settings) as service:
        known = {each.state.name for each in status_of_tables(service.database)}
        if unknown := sorted(set(names) - known):
            raise click.UsageError(f"there is no table {', '.join(unknown)}: see `foredraw table list`")
        scope = [tokens.ALL_TABLES] if all_tables else list(names)
        made = tokens.create_token(
            service.database,
            service.clock,
            name,
            tokens.Role(role),
            scope,
            lifetime=_lifetime(days),
            by=account(),
        )
        click.echo(made)


@token.command("rotate")
@click.argument("name")
@click.option(
    "--overlap",
    "hours",
    default=24,
    show_default=True,
    type=click.IntRange(0, 24 * 30),
    help="Hours for which the present token stays valid.",
)
@_LIFETIME
@REASON
@click.pass_obj
def rotate(settings: Settings, name: str, hours: int, days: int | None, reason: str | None) -> None:
    """Make another token for the account NAME and print it, once. Until the overlap is over, both are valid."""
    with opened(settings) as service:
        made = tokens.rotate_token(
            service.database,
            service.clock,
            name,
            overlap=timedelta(hours=hours),
            lifetime=_lifetime(days),
            by=account(),
            reason=reason,
        )
        click.echo(made)


def _lifetime(days: int | None) -> timedelta | None:
    return None if days is None else timedelta(days=days)


@token.command("list")
@click.pass_obj
def list_tokens(settings: Settings) -> None:
    """List all tokens, without their secrets."""
    with opened(settings) as service:
        now = service.clock.now()
        for row in tokens.list_tokens(service.database):
            scope = ", ".join(json.loads(row.tables)).replace(tokens.ALL_TABLES, "all tables")
            state = f"revoked {row.revoked}" if row.revoked else f"created {row.created}"
            expires = f", {'expired' if row.expires <= now else 'expires'} {row.expires}" if row.expires else ""
            used = f", used {row.used}" if row.used else ""
            click.echo(f"{row.name:<24} {row.role:<10} {state}{expires}{used}  {scope}")


@token.command("revoke")
@click.argument("name")
@REASON
@click.pass_obj
def revoke(settings: Settings, name: str, reason: str | None) -> None:
    """Revoke all tokens of the account NAME at once, or the one token that `token list` shows so."""
    with opened(settings) as service:
        tokens.revoke_token(service.database, service.clock, name, by=account(), reason=reason)
    click.echo(f"Token {name} is revoked.")
