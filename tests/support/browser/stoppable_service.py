"""A real service whose outsiders a test switches off (witness, beacon, database's server), while a dealer plays."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from threading import Thread

from api.programs.beacon import RelayServer
from api.rounds.tables import add_table
from api.world.clock import Clock
from tests.support.browser.demo_service import dealing
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.relays import a_node
from tests.support.running_service import RunningService, initialised, opened, wait_until
from tests.support.witness_server import LocalWitness, away, listening, write_policy
from tests.support.witnesses import PRESS

DRAW, FLIGHT, SALTED = "keno-1", "crash-1", "salted-1"
PACE_SECONDS = 1.5
ROUNDS_AHEAD = 200
"""So many are committed at least, more than are played while pages are opened."""
_NODE = a_node()


class Relay(RelayServer):
    """A relay of a beacon, away until a test lets it answer."""

    is_away = True

    def answer(self, path: str) -> tuple[HTTPStatus, Mapping[str, object] | list[str], str]:
        """Answer for the node, unless it is away."""
        return (HTTPStatus.SERVICE_UNAVAILABLE, {}, "no-store") if self.is_away else super().answer(path)


@dataclass(frozen=True)
class StoppableService:
    """The service, and what it depends on."""

    running: RunningService
    witness: LocalWitness
    relay: Relay
    database: PostgresServer

    @contextmanager
    def without_witness(self) -> Iterator[None]:
        """The witness that the policy demands hangs up."""
        self.witness.behaves = away
        try:
            yield
        finally:
            self.witness.behaves = LocalWitness.answer

    @contextmanager
    def without_database(self) -> Iterator[None]:
        """Its server is stopped."""
        self.database.stop()
        try:
            yield
        finally:
            self.database.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The operator pauses the table with the flights."""
        assert self.running.foredraw("table", "pause", FLIGHT).returncode == 0
        try:
            yield
        finally:
            assert self.running.foredraw("table", "resume", FLIGHT).returncode == 0

    @contextmanager
    def halted(self) -> Iterator[None]:
        """The sequencer has halted the table with the flights."""
        halt = "UPDATE tables SET halted = ? WHERE name = ?"
        self.running.tamper(halt, "for a test", FLIGHT)
        try:
            yield
        finally:
            self.running.tamper(halt, None, FLIGHT)

    @contextmanager
    def without_beacon(self) -> Iterator[None]:
        """The beacon is away while a table that needs it is added."""
        with opened(replace(self.running.settings, beacon=_NODE.beacon)) as parts:
            add_table(parts.writer, SALTED, "keno-express", salt=_NODE.beacon.chain_hash.hex())
        try:
            yield
        finally:
            self.relay.is_away = False

    def close(self) -> None:
        """Close the table with the flights, for ever."""
        assert self.running.foredraw("table", "close", FLIGHT).returncode == 0


@contextmanager
def stoppable_service(folder: Path) -> Iterator[StoppableService]:
    """Run a service whose tables the demo's dealer plays."""
    witness = LocalWitness(PRESS, lambda: int(time.time()))
    with postgres_server() as database, listening(witness), _relay() as relay:
        tables = {DRAW: "keno-express", FLIGHT: "crash"}
        running = initialised(folder / "data", tables, batch_size=ROUNDS_AHEAD + 50, database=database.new_database())
        write_policy(folder / "policy", running.key, [witness], "all", f"beacon {_NODE.beacon}\n")
        running.variables = {
            "FOREDRAW_POLICY": str(folder / "policy"),
            "FOREDRAW_BEACON": str(_NODE.beacon),
            "FOREDRAW_RELAYS": relay.url,
            "FOREDRAW_FIRST_PULSE": "15",
        }
        try:
            running.start()
            with dealing(running, PACE_SECONDS):
                wait_until(lambda: running.next_round(FLIGHT) > 1, "a flight")
                yield StoppableService(running, witness, relay, database)
        finally:
            running.clean_up()


@contextmanager
def _relay() -> Iterator[Relay]:
    with Relay(_NODE, "127.0.0.1", 0, Clock()) as relay:
        thread = Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield relay
        relay.shutdown()
        thread.join()
