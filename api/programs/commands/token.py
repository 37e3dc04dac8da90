"""``foredraw token``: creates, lists and revokes bearer tokens."""

from __future__ import annotations

import json

import click

from api.access import tokens
from api.http.view import list_tables
from api.programs.commands.command import REASON, account, opened, opened_to_change
from api.settings import Settings


@click.group()
def token() -> None:
    """Create, list and revoke bearer tokens."""


@token.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in tokens.Role]), default="engine", show_default=True)
@click.option("--table", "names", multiple=True, help="A table it is for; may be repeated.")
@click.option("--all-tables", is_flag=True, help="It is for every table, those to come included.")
@click.pass_obj
def create(settings: Settings, name: str, role: str, names: tuple[str, ...], all_tables: bool) -> None:  # noqa: FBT001
    """Create a token called NAME and print it, once."""
    if bool(names) == all_tables:
        raise click.UsageError("give --table NAME, once or more, or --all-tables")
    with opened_to_change(settings) as service:
        known = {str(found["table"]) for found in list_tables(service.database)}
        if unknown := sorted(set(names) - known):
            raise click.UsageError(f"there is no table {', '.join(unknown)}: see `foredraw table list`")
        scope = [tokens.ALL_TABLES] if all_tables else list(names)
        made = tokens.create_token(service.database, service.clock, name, tokens.Role(role), scope, by=account())
        click.echo(made)


@token.command("list")
@click.pass_obj
def list_tokens(settings: Settings) -> None:
    """List all tokens, without their secrets."""
    with opened(settings) as service:
        for row in tokens.list_tokens(service.database):
            scope = ", ".join(json.loads(row.tables)).replace(tokens.ALL_TABLES, "all tables")
            state = f"revoked {row.revoked}" if row.revoked else f"created {row.created}"
            click.echo(f"{row.name:<24} {row.role:<10} {state}  {scope}")


@token.command("revoke")
@click.argument("name")
@REASON
@click.pass_obj
def revoke(settings: Settings, name: str, reason: str | None) -> None:
    """Revoke the token NAME at once."""
    with opened_to_change(settings) as service:
        tokens.revoke_token(service.database, service.clock, name, by=account(), reason=reason)
    click.echo(f"Token {name} is revoked.")
