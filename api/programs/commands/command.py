"""What the commands share: a service for as long as one runs, who runs them and why, and ports."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager

import click

from api.service import Service, open_service
from api.settings import Settings
from api.store.upgrade import check_schema

LAST_PORT = 65535
PORT = click.IntRange(1, LAST_PORT)
LONGEST_REASON = 200


def _reason(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and not (text.isprintable() and 1 <= len(text) <= LONGEST_REASON):
        raise click.BadParameter(f"expected 1 to {LONGEST_REASON} printable characters")
    return text


REASON = click.option("--reason", callback=_reason, help="Why; it stands in the journal.")


def account() -> str:
    """Who runs this command, for the journal: the account, and whom sudo says it acts for. Neither is proven."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        # In a container an account may have only a number.
        name = str(os.getuid())
    person = os.environ.get("SUDO_USER", "")
    shown = f" (sudo {person})" if person.isprintable() and 1 <= len(person) <= LONGEST_REASON else ""
    return f"account {name}{shown}"


@contextmanager
def opened(settings: Settings) -> Iterator[Service]:
    """The service in the folder of ``settings``, closed at the end."""
    service = open_service(settings)
    if service.policy.trouble is not None:
        click.echo(f"foredraw: {service.policy.trouble}", err=True)
    try:
        yield service
    finally:
        service.close()


@contextmanager
def opened_to_change(settings: Settings) -> Iterator[Service]:
    """The same for a command that writes. Raises `SettingsError` if the database has to be upgraded first."""
    with opened(settings) as service:
        check_schema(service.database, settings)
        yield service
