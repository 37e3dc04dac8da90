"""``foredraw play``: plays demo rounds, as an engine does."""

from __future__ import annotations

import os
import signal
import threading

import click
import urllib3

from api.programs.dealer import play
from api.server.messages import wait_for_no_reader
from api.world.supervision import SUPERVISOR, when_orphaned


@click.command("play")
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@click.option("--url", default="http://127.0.0.1:8001", show_default=True, help="Where the service answers engines.")
@click.option("--token", envvar="FOREDRAW_TOKEN", required=True, help="An engine token; better in FOREDRAW_TOKEN.")
@click.option("--pace", default=5.0, show_default=True, type=click.FloatRange(0, 3600), help="Seconds a round takes.")
def play_command(names: tuple[str, ...], url: str, token: str, pace: float) -> None:
    """Play demo rounds over HTTP, on all tables, also those added later, unless some are named."""
    wait_for_no_reader()
    stop = threading.Event()
    if SUPERVISOR in os.environ:
        when_orphaned(stop.set)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        play(url, token, list(names), pace, stop)
    except urllib3.exceptions.HTTPError as error:
        raise click.ClickException(f"{url} does not answer: {error}") from error
