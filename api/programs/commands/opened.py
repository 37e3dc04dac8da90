"""A service for as long as a command runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from api.service import Service, open_service
from api.settings import Settings
from api.store.upgrade import check_schema


@contextmanager
def opened_as_it_is(settings: Settings) -> Iterator[Service]:
    """Open the service in the folder of ``settings``, whatever schema its database has, and close it at the end."""
    service = open_service(settings)
    if service.policy.trouble is not None:
        click.echo(f"foredraw: {service.policy.trouble}", err=True)
    try:
        yield service
    finally:
        service.close()


@contextmanager
def opened(settings: Settings) -> Iterator[Service]:
    """Open the same for a command that reads or writes rows. Raises `SettingsError` if the database is of another
    version's schema.
    """
    with opened_as_it_is(settings) as service:
        check_schema(service.database, settings)
        yield service
