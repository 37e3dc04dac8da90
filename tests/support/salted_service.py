"""A service in this process with a table that a beacon salts; the beacon, its relay and the service have one
clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from api.programs.setup import initialise
from api.rounds.tables import add_table
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.relays import a_node, running_relay

NODE = a_node()
BEACON = NODE.beacon
HASH = BEACON.chain_hash.hex()
TABLE = "keno-1"
FIRST, LATER = 120, 600
"""The seconds that batches wait for their pulses."""
MOST_TURNS = 200


@contextmanager
def salted_service(folder: Path, *others: str, batch_size: int = 12) -> Iterator[InProcessService]:
    """A service that knows the beacon, with its table in the log, and no batch yet.

    It asks the ``others`` before the honest relay.
    """
    running = InProcessService(folder, batch_size=batch_size)
    with running_relay(NODE, running.clock) as relay:
        running.settings = replace(running.settings, relays=(*others, relay.url), beacon=BEACON)
        initialise(running.settings, ORIGIN)
        running.start()
        add_table(running.service.writer, TABLE, "keno-express", salt=HASH)
        running.turn()
        try:
            yield running
        finally:
            running.stop()


def ask(running: InProcessService, *relays: str) -> None:
    """Start again with other relays."""
    running.settings = replace(running.settings, relays=relays)
    running.restart()


def wait_until(running: InProcessService, holds: Callable[[], bool], step: float = 10.0) -> None:
    """Let time pass and parts turn until something holds."""
    for _ in range(MOST_TURNS):
        if holds():
            return
        running.clock.step(step)
        running.settle()
    raise AssertionError(f"it did not come in {MOST_TURNS * step} seconds: {running.salter._troubles}")


def can_play(running: InProcessService, number: int = 1) -> bool:
    """Whether the rounds up to this one and its lead are salted."""
    state = running.state(TABLE)
    covering = [batch for batch in state.batches if batch.first <= number + state.lead]
    return state.committed_through >= number + state.lead and all(batch.awaits is None for batch in covering)
