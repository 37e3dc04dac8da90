"""``foredraw journal``: prints who did what, and checks that nobody changed it."""

from __future__ import annotations

import sys
from itertools import chain

import click

from api.comma_separated import write_csv
from api.journal.chain import EMPTY, Head, JournalBrokenError, entries, journal_head, parse_head, verify
from api.journal.entry import line_of
from api.programs.commands.opened import opened
from api.settings import Settings
from api.sql.database import Database
from api.store.models import JournalRow

_BROKEN = 2


def _head(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Head:
    head = EMPTY if text is None else parse_head(text)
    if head is None:
        raise click.BadParameter(
            f"expected a number, a colon and 64 hexadecimal digits, as --head prints, found {text!r}"
        )
    return head


@click.command("journal")
@click.option("--csv", "form", flag_value="csv", help="All entries as CSV.")
@click.option("--json", "form", flag_value="json", help="All entries as lines of JSON, as they are hashed.")
@click.option(
    "--head", "form", flag_value="head", help="Only the head: the last entry's number and hash. Keep it elsewhere."
)
@click.option(
    "--verify", "form", flag_value="verify", help="Check the chain; status 2 if an entry was changed or is missing."
)
@click.option("--continues", "kept", metavar="HEAD", callback=_head, help="With --verify: a head that was kept.")
@click.pass_obj
def journal_command(settings: Settings, form: str | None, kept: Head) -> None:
    """Print the journal: who did what that only some may do, and when.

    An entry has the hash of the one before, so a change or a gap is found. Whether the end was cut off, or everything
    written again, is found only with a head that somebody kept.
    """
    if kept != EMPTY and form != "verify":
        raise click.UsageError("--continues goes with --verify")
    with opened(settings) as service:
        match form:
            case "head":
                click.echo(str(journal_head(service.database)))
            case "verify":
                _verify(service.database, kept)
            case "csv":
                _write_csv(service.database)
            case "json":
                for row in entries(service.database):
                    click.echo(line_of(row))
            case _:
                for row in entries(service.database):
                    click.echo(_shown(row))


def _verify(database: Database, kept: Head) -> None:
    try:
        reached = verify(database, kept)
    except JournalBrokenError as error:
        click.echo(f"foredraw: the journal was changed: {error}", err=True)
        sys.exit(_BROKEN)
    since = "" if kept == EMPTY else f" It continues the head {kept.number}."
    click.echo(f"{reached.number} entries, none changed.{since} The head is {reached}")


def _write_csv(database: Database) -> None:
    names: tuple[str, ...] = JournalRow._fields
    write_csv(sys.stdout, chain([names], entries(database)))


def _shown(row: JournalRow) -> str:
    change = " → ".join(text for text in (row.before, row.after) if text is not None)
    reason = "" if row.reason is None else f"  reason: {row.reason}"
    line = f"{row.number:>6}  {row.time}  {row.who:<24} {row.act:<14} {row.subject:<24} {change}{reason}".rstrip()
    # A database that somebody changed commands no terminal.
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
