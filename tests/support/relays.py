"""A beacon on this machine, with pulses by the test's clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from api.beacon.node import Node
from api.programs.beacon import RelayServer
from api.world.clock import Clock

SECRET = bytes(range(32))
GENESIS = 1795000000
PERIOD = 3


def a_node(secret: bytes = SECRET, *, period: int = PERIOD, genesis: int = GENESIS, name: str = "test") -> Node:
    """The node of a chain that began some months before the tests' clocks."""
    return Node.of(secret, period=period, genesis=genesis, name=name)


@contextmanager
def running_relay(node: Node, clock: Clock, host: str = "127.0.0.1") -> Iterator[RelayServer]:
    """A relay that answers on a free port of this machine."""
    with RelayServer(node, host, 0, clock) as relay:
        thread = Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            relay.shutdown()
            thread.join()
