"""What the commands share: a service for as long as one runs, and ports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from api.service import Service, open_service
from api.settings import Settings

LAST_PORT = 65535
PORT = click.IntRange(1, LAST_PORT)


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
