"""``foredraw beacon``: runs a beacon for tests and demos."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import click

from api.beacon.node import Node
from api.programs.beacon import RelayServer
from api.programs.commands.command import host
from api.server.messages import wait_for_no_reader
from api.settings import LAST_PORT
from api.world.clock import Clock
from api.world.supervision import SUPERVISOR, when_orphaned


@click.command("beacon")
@click.option(
    "--key",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("beacon.key"),
    show_default=True,
    help="Holds the chain's secret; made, with a new chain, if it is missing.",
)
@click.option(
    "--period", type=click.IntRange(1, 600), help="Seconds between the pulses of a new chain.  [default: 3]"
)
@click.option("--id", "name", help="The beacon id of a new chain.  [default: demo]")
@host("--host", "Where pulses are served.")
@click.option(
    "--port", default=8010, show_default=True, type=click.IntRange(0, LAST_PORT), help="0 is any free port."
)
def beacon_command(path: Path, period: int | None, name: str | None, host: str, port: int) -> None:
    """Run a beacon of your own, for tests and demos: a chain of drand with a single node, and its relay.

    It prints the chain as the `beacon` line of a policy, and then where the relay answers. Whoever has the key knows
    every pulse ahead: salts of this beacon prove nothing to others.
    """
    wait_for_no_reader()
    node = _node(path, period, name)
    with RelayServer(node, host, port, Clock()) as relay:
        click.echo(f"beacon {node.beacon}")
        click.echo(f"The relay answers at {relay.url} (Ctrl-C ends it).")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: threading.Thread(target=relay.shutdown).start())
        if SUPERVISOR in os.environ:
            when_orphaned(relay.shutdown)
        relay.serve_forever()


def _node(path: Path, period: int | None, name: str | None) -> Node:
    if not path.exists():
        return Node.create(path, period=period or 3, name=name or "demo")
    node = Node.load(path)
    chosen = (period or node.beacon.period, name or node.beacon.id)
    if chosen != (node.beacon.period, node.beacon.id):
        raise click.UsageError(
            f"{path} holds the chain {node.beacon.id} with a pulse every {node.beacon.period} seconds, for ever: leave out"
            " --period and --id, or name another file for another chain"
        )
    return node
