"""``foredraw table``: adds, lists and closes tables."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import click

from api.http.view import list_tables
from api.programs.commands.command import REASON, account, opened, opened_to_change
from api.rounds import tables
from api.settings import DEFAULT_TIMEOUT, Settings
from api.sql.database import Database


@click.group()
def table() -> None:
    """Add, list and close tables."""


@table.command("add")
@click.argument("name")
@click.argument("game")
@click.option("--lead", type=int, help="Rounds committed ahead; the game's own lead unless given, at most 1000.")
@click.option("--rules", metavar="JSON", help='The game\'s parameters, like {"cap":1000000,"rtp":9700,"version":1}.')
@click.option(
    "--timeout", default=DEFAULT_TIMEOUT, show_default=True, help="Seconds until an abandoned lock is revealed."
)
@click.option(
    "--bets",
    type=click.Choice(["optional", "required"]),
    default="optional",
    show_default=True,
    help="Whether every lock must carry a digest of the bets.",
)
@click.option(
    "--salt",
    default="none",
    show_default=True,
    metavar="BEACON",
    help="The public beacon whose pulses salt the batches: none, quicknet, or the chain hash of FOREDRAW_BEACON.",
)
@click.pass_obj
def add(
    settings: Settings, name: str, game: str, lead: int | None, rules: str | None, timeout: int, bets: str, salt: str
) -> None:
    """Add the table NAME for GAME. Its name, game, lead, salt and whether bets are required stay for ever."""
    parameters = _parse_rules(rules)
    required = bets == "required"
    with opened_to_change(settings) as service:
        tables.add_table(
            service.writer,
            name,
            game,
            lead=lead,
            rules=parameters,
            timeout=timeout,
            bets_required=required,
            salt=salt,
            by=account(),
        )
    click.echo(f"Table {name} is queued; the running service publishes it and commits its first rounds.")


def _parse_rules(text: str | None) -> dict[str, int] | None:
    if text is None:
        return None
    try:
        rules = json.loads(text)
    except ValueError:
        rules = None
    if not isinstance(rules, dict) or any(type(value) is not int for value in rules.values()):
        raise click.UsageError(f'--rules: expected a JSON object of whole numbers like {{"version":1}}, found {text}')
    return rules


@table.command("list")
@click.pass_obj
def list_command(settings: Settings) -> None:
    """List all tables."""
    with opened(settings) as service:
        for found in list_tables(service.database):
            state = "closed" if found["closed"] else f"next round {found['next_round']}"
            click.echo(
                f"{found['table']:<32} {found['game']:<14} lead {found['lead']:<5} "
                f"committed through {found['committed_through']:<9} {state}"
            )


@table.command("close")
@click.argument("name")
@click.option("--wait", default=30, show_default=True, help="Seconds to wait for the running service.")
@REASON
@click.pass_obj
def close(settings: Settings, name: str, wait: int, reason: str | None) -> None:
    """Close the table NAME for ever: no more opens, the locked round ends, an open one is given up."""
    with opened_to_change(settings) as service:
        tables.request_close(service.writer, name, by=account(), reason=reason)
        if _wait_for(lambda: _is_closed(service.database, name), wait):
            click.echo(f"Table {name} is closed.")
        else:
            click.echo(f"Table {name} takes no more opens; the running service will close it.")


def _is_closed(database: Database, name: str) -> bool:
    return any(found["table"] == name and found["closed"] for found in list_tables(database))


def _wait_for(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True
