"""``foredraw table``: adds, lists, changes, pauses and closes tables; ``halt`` and ``resume`` pause all of them."""

from __future__ import annotations

import json
from pathlib import Path

import click

from api.programs.commands.command import REASON, account, holds_within
from api.programs.commands.opened import opened
from api.rounds import control, tables
from api.rounds.reading import status_of_table, status_of_tables
from api.rounds.status import TableStatus
from api.rounds.tables import Order
from api.settings import DEFAULT_TIMEOUT, Settings


@click.group()
def table() -> None:
    """Add, list, change, pause and close tables."""


@table.command("add")
@click.argument("name")
@click.argument("game")
@click.option("--lead", type=int, help="Rounds committed ahead; the game's own lead unless given, at most 1000.")
@click.option(
    "--declaration",
    type=click.Path(path_type=Path),
    help="The declaration of a game of your own, in its one spelling (SPEC 3.6).",
)
@click.option(
    "--paytable",
    type=click.Path(path_type=Path),
    help="What its bets pay, in the one spelling of docs/paytable-format.md; the catalogue's unless given.",
)
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
    "--order",
    type=click.Choice([order.value for order in Order]),
    help="Where players decide after the lock: whether that may ask for the whole order. It is kept unless given.",
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
    settings: Settings,
    name: str,
    game: str,
    lead: int | None,
    declaration: Path | None,
    paytable: Path | None,
    rules: str | None,
    timeout: int,
    bets: str,
    order: str | None,
    salt: str,
) -> None:
    """Add the table NAME for GAME. Its name, game, lead, salt, what its bets pay and whether bets are required stay
    for ever.

    GAME is one of the catalogue (SPEC 3.9), or the name of one that --declaration describes.
    """
    parameters = _parse_rules(rules)
    declared = None if declaration is None else _read(declaration, "--declaration")
    pays = None if paytable is None else _read(paytable, "--paytable")
    required = bets == "required"
    with opened(settings) as service:
        tables.add_table(
            service.writer,
            name,
            game,
            lead=lead,
            declaration=declared,
            paytable=pays,
            rules=parameters,
            timeout=timeout,
            bets_required=required,
            order=None if order is None else Order(order),
            salt=salt,
            by=account(),
        )
    click.echo(f"Table {name} is queued; the running service publishes it and commits its first rounds.")


def _read(file: Path, option: str) -> bytes:
    try:
        return file.read_bytes().removesuffix(b"\n")
    except OSError as error:
        raise click.UsageError(f"{option}: {file} cannot be read: {error.strerror or error}") from error


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
        for found in status_of_tables(service.database):
            table = found.state
            click.echo(
                f"{table.name:<32} {table.game:<14} lead {table.lead:<5} "
                f"committed through {table.committed_through:<9} {_how_it_stands(found)}"
            )


def _how_it_stands(found: TableStatus) -> str:
    if found.state.closed:
        return "closed"
    halted = "halted: see `foredraw doctor`" if found.halted else None
    words = ("paused" if found.paused else None, "closing" if found.closing else None, halted)
    return ", ".join([f"next round {found.state.next_round}", *filter(None, words)])


@table.command("set")
@click.argument("name")
@click.option("--rules", metavar="JSON", help="The game's parameters, from the next batch on.")
@click.option("--timeout", type=int, help="Seconds until an abandoned lock is revealed, at once.")
@click.option("--order", type=click.Choice([order.value for order in Order]), help="As of `add`, between two rounds.")
@REASON
@click.pass_obj
def set_command(
    settings: Settings, name: str, rules: str | None, timeout: int | None, order: str | None, reason: str | None
) -> None:
    """Set the rules of the next batch of the table NAME, its time-out, or its order. Committed rounds keep their
    rules.
    """
    parameters = _parse_rules(rules)
    if parameters is None and timeout is None and order is None:
        raise click.UsageError("give --rules, --timeout or --order")
    with opened(settings) as service:
        control.set_table(
            service.writer,
            name,
            rules=parameters,
            timeout=timeout,
            order=None if order is None else Order(order),
            by=account(),
            reason=reason,
        )
    click.echo(f"Table {name} is set; its committed rounds keep their rules.")


@table.command("pause")
@click.argument("name")
@REASON
@click.pass_obj
def pause(settings: Settings, name: str, reason: str | None) -> None:
    """Let no more rounds of the table NAME be opened. One that is open or locked is played to its end."""
    with opened(settings) as service:
        changed = control.pause_table(service.writer, name, paused=True, by=account(), reason=reason)
    click.echo(f"Table {name} is paused{'' if changed else ' already'}.")


@table.command("resume")
@click.argument("name")
@REASON
@click.pass_obj
def resume_table(settings: Settings, name: str, reason: str | None) -> None:
    """Let rounds of the paused table NAME be opened again."""
    with opened(settings) as service:
        changed = control.pause_table(service.writer, name, paused=False, by=account(), reason=reason)
    click.echo(f"Table {name} {'is resumed' if changed else 'was not paused'}.")


@click.command("halt")
@click.option("--all", is_flag=True, required=True, expose_value=False, help="All tables; it must be given.")
@REASON
@click.pass_obj
def halt(settings: Settings, reason: str | None) -> None:
    """Let no more rounds be opened, at any table. Rounds that are open or locked are played to their end."""
    with opened(settings) as service:
        changed = control.stop_tables(service.writer, stopped=True, by=account(), reason=reason)
    click.echo(
        "No table opens rounds until `foredraw resume --all`." if changed else "All tables are halted already."
    )


@click.command("resume")
@click.option("--all", is_flag=True, required=True, expose_value=False, help="All tables; it must be given.")
@REASON
@click.pass_obj
def resume(settings: Settings, reason: str | None) -> None:
    """Let rounds be opened again after ``halt``. Tables that were paused by name stay paused."""
    with opened(settings) as service:
        changed = control.stop_tables(service.writer, stopped=False, by=account(), reason=reason)
    click.echo(
        "Tables open rounds again, but for those paused by name." if changed else "The tables were not halted."
    )


@table.command("close")
@click.argument("name")
@click.option("--wait", default=30, show_default=True, help="Seconds to wait for the running service.")
@REASON
@click.pass_obj
def close(settings: Settings, name: str, wait: int, reason: str | None) -> None:
    """Close the table NAME for ever: no more opens, the locked round ends, an open one is given up."""
    with opened(settings) as service:
        tables.request_close(service.writer, name, by=account(), reason=reason)
        if holds_within(wait, lambda: status_of_table(service.database, name).state.closed):
            click.echo(f"Table {name} is closed.")
        else:
            click.echo(f"Table {name} takes no more opens; the running service will close it.")
