"""A real service with a table that ``foredraw beacon`` salts: played, restarted, and checked by whoever knows the
beacon.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairness.beacon.chain import Beacon
from fairness.policy.policy import Policy
from tests.oracles.second_verifier import SecondVerifier
from tests.support.running_service import RunningService, free_port, initialised, wait_until
from tests.support.web_proxy import web_proxy
from verifier.audit.audit import audit_log
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.sources.source import HttpSource

TABLE = "keno-1"
ROUNDS = 16
"""More than two batches have."""


class Demo:
    """``foredraw beacon`` in a process of its own, which can be stopped and started again."""

    def __init__(self, key: Path) -> None:
        self._key, self._port = key, free_port()
        self._process: subprocess.Popen[str] | None = None
        self.beacon = self.start()

    @property
    def url(self) -> str:
        """Where its relay answers."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> Beacon:
        """Run it; returns what its first line says."""
        fresh = [] if self._key.exists() else ["--period", "1", "--id", "demo"]
        command = [sys.executable, "-m", "api.programs.cli", "beacon", "--key", str(self._key)]
        self._process = subprocess.Popen(
            [*command, "--port", str(self._port), *fresh], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        word, *words = self._process.stdout.readline().rstrip("\n").split(" ")
        assert word == "beacon"
        return Beacon.parse(words)

    def stop(self) -> None:
        """End it cleanly."""
        assert self._process is not None
        with self._process as process:
            process.send_signal(signal.SIGINT)
        assert process.returncode == 0


@contextmanager
def salted_tables(folder: Path, variables: Mapping[str, str] | None = None) -> Iterator[tuple[RunningService, Demo]]:
    """A service and its beacon, started, with one table; ``variables`` has other settings."""
    demo = Demo(folder / "beacon.key")
    service = initialised(folder / "data", {}, batch_size=6)
    service.variables = {
        "FOREDRAW_BEACON": str(demo.beacon),
        "FOREDRAW_RELAYS": demo.url,
        "FOREDRAW_FIRST_PULSE": "1",
        "FOREDRAW_LATER_PULSE": "2",
        **(variables or {}),
    }
    try:
        service.start()
        done = service.foredraw("table", "add", TABLE, "keno-express", "--salt", demo.beacon.chain_hash.hex())
        assert done.returncode == 0, done.stderr
        yield service, demo
    finally:
        service.clean_up()
        demo.stop()


def play(service: RunningService, number: int) -> str:
    """Play a round as soon as its lead is salted; returns its code."""
    wait_until(
        lambda: service.act(TABLE, number, "open").status == 200, f"round {number} to be opened: {service.output}"
    )
    for action in ("lock", "reveal"):
        answer = service.act(TABLE, number, action)
        assert answer.status == 200, answer
    return str(answer.document["round_code"])


@pytest.mark.nightly("starts a service and waits for a beacon's pulses")
def test_rounds_of_a_salted_table_are_played_and_checked(tmp_path: Path) -> None:
    """With a restart of the service, and a relay that is away and comes back, in between."""
    with salted_tables(tmp_path) as (service, demo):
        codes = [play(service, number) for number in range(1, 3)]
        assert service.stop() == 0
        service.start()
        demo.stop()
        # A batch has six rounds, and a lead of two: a relay that is away holds up none of the next.
        codes += [play(service, number) for number in range(3, 5)]
        assert demo.start() == demo.beacon
        codes += [play(service, number) for number in range(5, ROUNDS + 1)]
        service.settle()
        shown = service.get(f"/v1/tables/{TABLE}/rounds/{ROUNDS}").document["salt"]
        assert set(shown) == {"beacon", "round", "signature"}
        wait_until(service.is_ready, "the service to be ready")
        policy = f"log {service.key}\nquorum none\nbeacon {demo.beacon}\n"
        proof = service.get(f"/v1/tables/{TABLE}/rounds/{ROUNDS}/proof").data
        check_by_both(service, policy, codes, proof)
        # Who does not know the beacon cannot say more than this.
        unknown = audit_log(HttpSource(f"{service.url}/log"), service.key)
        assert unknown.tables[0].state.unverified


def check_by_both(service: RunningService, policy: str, codes: list[str], proof: bytes) -> None:
    """Audit, each code, and a proof file, by both verifiers, with a policy that names the beacon."""
    source, trust = HttpSource(f"{service.url}/log"), Policy.parse(policy.encode())
    (table,) = audit_log(source, trust).tables
    assert (table.state.counts.played, table.state.unverified) == (len(codes), False)
    for code in codes:
        assert not check_round(source, trust, code).unknown
    assert not check_proof(proof, trust).unknown
    with SecondVerifier() as second:
        folder = str(service.settings.log)
        told = [
            second.ask("audit", folder=folder, policy=policy),
            second.ask("proof", hex=proof.hex(), policy=policy),
        ]
        told += [second.ask("code", text=code, folder=folder, policy=policy) for code in codes]
    assert [each["verdict"] for each in told] == ["held"] * len(told)


@pytest.mark.nightly(
    "starts programs for each beacon", but="test_the_program_refuses_a_beacon_that_is_not_known[quicknet2]"
)
@pytest.mark.parametrize("salt", ["quicknet2", "0" * 64])
def test_the_program_refuses_a_beacon_that_is_not_known(tmp_path: Path, salt: str) -> None:
    """It says which are, and what makes another one known."""
    service = initialised(tmp_path / "data", {})
    done = service.foredraw("table", "add", TABLE, "keno-express", "--salt", salt)
    assert (done.returncode, done.stdout) == (1, "")
    assert "none, quicknet" in done.stderr
    assert "FOREDRAW_BEACON" in done.stderr


@pytest.mark.nightly("starts a service and waits for a beacon's pulses")
def test_a_salted_table_is_played_behind_a_proxy(tmp_path: Path) -> None:
    """Which alone finds the relay, and is that of the setting: the variables of other programs name one that is not
    asked.
    """
    names: dict[str, int] = {}
    with web_proxy(names) as proxy, web_proxy({}) as inherited:
        variables = {
            "FOREDRAW_RELAYS": "http://relay.invalid",
            "FOREDRAW_PROXY": proxy.address,
            **dict.fromkeys(("http_proxy", "HTTPS_PROXY", "ALL_PROXY"), inherited.address),
        }
        with salted_tables(tmp_path, variables) as (service, demo):
            names["relay.invalid"] = int(demo.url.rpartition(":")[2])
            play(service, 1)
            service.settle()
    assert any("/public/" in each for each in proxy.seen)
    assert inherited.seen == []
