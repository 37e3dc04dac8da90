"""The network is cut between two parts, each on a machine of its own: packets are dropped, and nobody is told.

What cannot be done is refused in words or waits; afterwards it goes on by itself, and no lock is answered in two
ways.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import urllib3

from api.world.clock import Clock
from fairness.beacon.chain import Beacon
from tests.oracles.whole_log import check_whole_log
from tests.support.calls import body_of
from tests.support.failover import LEADS, STANDS_BY, TABLE, Heads, check_log, two_machines, wait_for_leader
from tests.support.network import Network, network
from tests.support.postgres import postgres_server
from tests.support.relays import a_node, running_relay
from tests.support.running_service import PATIENCE_SECONDS, RunningService, initialised, wait_until
from tests.support.s3_server import S3Server, s3_server
from tests.support.witness_server import LocalWitness, listening, write_policy
from tests.support.witnesses import PRESS

pytestmark = [
    pytest.mark.nightly("a network of its own, whose cables are unplugged", but="test_between_engine_and_service"),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
DRAW, FLIGHT = "keno-1", "crash-1"
TABLES = {DRAW: "keno-express", FLIGHT: "crash"}
SALTED = "keno-salted"
BUCKET = "published"


@dataclass
class Apart:
    """A service whose parts are on machines of their own; the test asks it on its own machine."""

    network: Network
    service: RunningService
    store: S3Server

    @contextmanager
    def lock_pending_without(self, machine: str) -> Iterator[None]:
        """A flight is locked while the machine is away: it is pending, and no outcome leaves before the cable is in
        again.
        """
        service, number = self.service, self.service.next_round(FLIGHT)
        service.act(FLIGHT, number, "open")
        with self.network.unplugged(machine):
            pending = service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/lock")
            assert pending.status == 202
            assert "outcome" not in pending.document
            yield
        wait_until(service.is_ready, "the service to go on")
        outcome = service.act(FLIGHT, number, "lock").document["outcome"]
        assert service.act(FLIGHT, number, "reveal").status == 200
        self.check({(FLIGHT, number): outcome})

    def check(self, told: dict[tuple[str, int], object]) -> None:
        """Play on, and check everything."""
        wait_until(self.service.is_ready, "the service to go on")
        self.service.play(DRAW, self.service.next_round(DRAW))
        self.service.settle()
        check_whole_log(self.service.settings.log, self.service.key, told=told)
        assert "Traceback" not in self.service.output


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """Service, database, witness, engine, and a store that the log is published to."""
    folder = tmp_path_factory.mktemp("apart")
    with ExitStack() as stack:
        made = stack.enter_context(network("service", "database", "witness", "engine", "store"))
        with made.at("database") as host:
            database = stack.enter_context(postgres_server(host=host)).new_database()
        witness = LocalWitness(PRESS, lambda: int(time.time()))
        with made.at("witness") as host:
            stack.enter_context(listening(witness, host))
        with made.at("store") as host:
            store = stack.enter_context(s3_server(folder, host))
            store.make(BUCKET)
        # What follows is on the service's machine, tests included.
        stack.enter_context(made.at("service"))
        options = ("--workers", "1", "--engine-host", "0.0.0.0")  # noqa: S104 -- of a network of its own
        service = initialised(folder / "data", TABLES, database=database, options=options)
        stack.callback(service.clean_up)
        write_policy(folder / "policy", service.key, [witness], 1)
        published = {**store.variables, "FOREDRAW_PUBLISH": f"s3://{BUCKET}/log"}
        service.variables = {"FOREDRAW_POLICY": str(folder / "policy"), **published}
        service.start()
        service.settle()
        yield Apart(made, service, store)
        assert service.stop() == 0


def test_between_service_and_database(apart: Apart) -> None:
    """Calls get 503 with Retry-After; when the cable is in again, the lock is answered as before."""
    service, number = apart.service, apart.service.next_round(FLIGHT)
    service.act(FLIGHT, number, "open")
    locked = service.act(FLIGHT, number, "lock")
    with apart.network.unplugged("database"):
        for action in ("lock", "reveal"):
            refused = service.post(f"/v1/engine/tables/{FLIGHT}/rounds/{number}/{action}")
            assert (refused.status, refused.document["code"]) == (503, "storage-fails")
            assert int(refused.headers["Retry-After"]) >= 1
        service.says("cannot be reached")
    wait_until(service.is_ready, "the service to go on")
    again = service.act(FLIGHT, number, "lock")
    assert again.document == locked.document
    assert service.act(FLIGHT, number, "reveal").status == 200
    apart.check({(FLIGHT, number): locked.document["outcome"]})


def test_between_publisher_and_witness(apart: Apart) -> None:
    """What cannot be cosigned is not published: a lock waits for the cable, and no other round begins."""
    service = apart.service
    with apart.lock_pending_without("witness"):
        service.says("press")
        refused = service.post(f"/v1/engine/tables/{DRAW}/rounds/{service.next_round(DRAW)}/open")
        assert (refused.status, refused.document["code"]) == (503, "witnesses-away")


def test_between_publisher_and_store(apart: Apart) -> None:
    """What is not in the bucket is not told: a lock waits for the cable, and the bucket has what it had, whole."""
    with apart.lock_pending_without("store"):
        apart.service.says("look at the store")
    apart.store.check_same(apart.service.settings.log, f"s3://{BUCKET}/log")


def test_between_leader_and_database(tmp_path: Path) -> None:
    """The standby leads and plays; the leader of before refuses, notices, stands by, and publishes nothing of its
    own.
    """
    with network("first", "second", "database") as made, ExitStack() as stack:
        with made.at("database") as host:
            server = stack.enter_context(postgres_server(host=host))
        first, second = stack.enter_context(two_machines(tmp_path, server, made.at))
        with made.at("first"):
            first.play(TABLE, 1)
        heads = stack.enter_context(Heads(first).watching())
        with made.unplugged("first"):
            wait_for_leader(second)
            with made.at("second"):
                second.play(TABLE, 2)
            with made.at("first"):
                refused = first.post(f"/v1/engine/tables/{TABLE}/rounds/3/open")
                assert (refused.status, refused.document["code"]) == (503, "storage-fails")
        with made.at("first"):
            wait_until(lambda: STANDS_BY in first.output, "the leader of before to stand by")
            wait_until(first.is_ready, "it to answer again")
            first.play(TABLE, 3)
        assert first.output.count(LEADS) == second.output.count(LEADS) == 1
        with made.at("second"):
            check_log(second, heads)


def test_between_engine_and_service(apart: Apart) -> None:
    """An engine that hears nothing repeats its call, and gets the one answer that there is."""
    service, number = apart.service, apart.service.next_round(FLIGHT)
    address = (
        f"http://{apart.network.address('service')}:{service.engine_port}/v1/engine/tables/{FLIGHT}/rounds/{number}"
    )
    body = body_of(f"{address}/lock")
    with urllib3.PoolManager(retries=False, timeout=PATIENCE_SECONDS, headers=service.bearer) as pool:
        with apart.network.at("engine"):
            assert pool.request("POST", f"{address}/open").status == 200
            with apart.network.unplugged("engine"), pytest.raises(urllib3.exceptions.TimeoutError):
                pool.request("POST", f"{address}/lock", body=body, timeout=2.0)
        # Others are answered meanwhile and afterwards.
        first = service.act(FLIGHT, number, "lock").document["outcome"]
        with apart.network.at("engine"):
            again = pool.request("POST", f"{address}/lock", body=body)
            assert (again.status, again.json()["outcome"]) == (200, first)
            assert pool.request("POST", f"{address}/reveal").json()["outcome"] == first
    apart.check({(FLIGHT, number): first})


def test_between_service_and_relay(tmp_path: Path) -> None:
    """Without pulses no batch is salted: its table waits, and says why; other tables play, and it goes on by
    itself.
    """
    node = a_node(period=1)
    with ExitStack() as stack:
        made = stack.enter_context(network("service", "relay"))
        with made.at("relay") as host:
            relay = stack.enter_context(running_relay(node, Clock(), host))
        stack.enter_context(made.at("service"))
        service = initialised(tmp_path / "data", {DRAW: "keno-express"}, batch_size=6)
        stack.callback(service.clean_up)
        service.variables = _salted_by(node.beacon, relay.url)
        service.start()
        service.settle()
        with made.unplugged("relay"):
            hash_of_beacon = node.beacon.chain_hash.hex()
            added = service.foredraw("table", "add", SALTED, "keno-express", "--salt", hash_of_beacon)
            assert added.returncode == 0, added.stderr
            wait_until(lambda: f"table {SALTED}: beacon {hash_of_beacon}" in service.output, "the salter to say it")
            service.play(DRAW, service.next_round(DRAW))
            refused = service.post(f"/v1/engine/tables/{SALTED}/rounds/1/open")
            assert refused.status in {404, 409}
        wait_until(lambda: service.post(f"/v1/engine/tables/{SALTED}/rounds/1/open").status == 200, "a salted round")
        service.act(SALTED, 1, "lock")
        service.act(SALTED, 1, "reveal")
        assert "Traceback" not in service.output
        wait_until(service.is_ready, "the service to be ready")
        assert service.stop() == 0


def _salted_by(beacon: Beacon, relay: str) -> dict[str, str]:
    return {
        "FOREDRAW_BEACON": str(beacon),
        "FOREDRAW_RELAYS": relay,
        "FOREDRAW_FIRST_PULSE": "1",
        "FOREDRAW_LATER_PULSE": "2",
    }
