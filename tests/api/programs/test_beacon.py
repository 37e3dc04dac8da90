"""``foredraw beacon``: a relay that drand's own client accepts like one of drand's."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import urllib3

from api.programs.beacon import RelayServer
from fairness.beacon.chain import Beacon
from fairness.beacon.pulse import verify_pulse
from tests.house import HOUSE
from tests.oracles.second_verifier import node as node_program
from tests.support.faulty_world import SettableClock
from tests.support.relays import GENESIS, PERIOD, a_node, running_relay

NODE = a_node()
HASH = NODE.beacon.chain_hash.hex()


@pytest.fixture(name="clock")
def _clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(name="relay")
def _relay(clock: SettableClock) -> Iterator[RelayServer]:
    with running_relay(NODE, clock) as relay:
        yield relay


def newest(clock: SettableClock) -> int:
    """The newest round by the clock, counted another way."""
    return (int(clock.date.timestamp()) - GENESIS) // PERIOD + 1


def get(relay: RelayServer, path: str) -> tuple[int, Any]:
    """An answer: its status and its document."""
    answer = urllib3.request("GET", relay.url + path, retries=False)
    return answer.status, answer.json()


def test_a_round_is_served_from_its_time_on(relay: RelayServer, clock: SettableClock) -> None:
    """Not a second earlier, at any address; and the newest round is correct."""
    first = newest(clock)
    for _ in range(PERIOD):
        clock.step(1)
        number = newest(clock)
        assert number in {first, first + 1}
        assert get(relay, f"/{HASH}/public/{number + 1}")[0] == get(relay, f"/public/{number + 1}")[0] == 404
        status, pulse = get(relay, f"/{HASH}/public/{number}")
        assert (status, pulse["round"]) == (200, number)
        signature = bytes.fromhex(pulse["signature"])
        verify_pulse(NODE.beacon, number, signature)
        assert pulse["randomness"] == sha256(signature).hexdigest()
        assert get(relay, f"/{HASH}/public/latest") == get(relay, "/public/latest") == (200, pulse)
    assert newest(clock) == first + 1


def test_before_genesis_there_is_no_pulse(clock: SettableClock) -> None:
    """Neither a newest one nor the first."""
    clock.set_date(GENESIS - clock.date.timestamp() - 1)
    with running_relay(NODE, clock) as relay:
        assert get(relay, "/public/latest")[0] == get(relay, "/public/1")[0] == 404
        clock.step(1)
        assert get(relay, "/public/latest") == get(relay, "/public/1")
        assert get(relay, "/public/1")[1]["round"] == 1


@pytest.mark.parametrize(
    "path",
    ["/", "/public/0", "/public/01", "/public/-1", "/public/x", f"/{'0' * 64}/info", f"/{HASH}", f"/{HASH}/public"],
)
def test_nothing_else_is_there(relay: RelayServer, path: str) -> None:
    """No round 0, no second spelling, no other chain."""
    assert get(relay, path)[0] == 404


def test_it_describes_its_chain(relay: RelayServer, clock: SettableClock) -> None:
    """Like drand's relays; a verifier can compute the hash from it."""
    info = {
        "public_key": NODE.beacon.public_key.hex(),
        "period": PERIOD,
        "genesis_time": GENESIS,
        "hash": HASH,
        "groupHash": NODE.beacon.group_hash.hex(),
        "schemeID": "bls-unchained-g1-rfc9380",
        "metadata": {"beaconID": "test"},
    }
    assert get(relay, f"/{HASH}/info") == get(relay, "/info") == (200, info)
    assert get(relay, "/chains") == (200, [HASH])
    assert get(relay, "/health") == (200, {"current": newest(clock), "expected": newest(clock)})


def drand_client(relay: RelayServer, number: int, **changed: str) -> subprocess.CompletedProcess[str]:
    """Request with npm's drand-client."""
    assert (HOUSE / "tests" / "npm" / "node_modules" / "drand-client").is_dir(), (
        "`make tools` installs what this needs"
    )
    words = {"hash": HASH, "key": NODE.beacon.public_key.hex()} | changed
    command = [node_program(), "tests/npm/ask_relay.mjs", relay.url, words["hash"], words["key"], str(number)]
    return subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False, timeout=60)


def test_the_client_of_drand_verifies_its_pulses(relay: RelayServer, clock: SettableClock) -> None:
    """It refuses the chain under another key, and a round that has no pulse yet."""
    number = newest(clock)
    done = drand_client(relay, number)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == get(relay, f"/public/{number}")[1]
    assert "did not match the verification params" in drand_client(relay, number, key="00").stderr
    assert "404" in drand_client(relay, number + 100).stderr


def test_the_client_of_drand_refuses_another_chains_pulses(clock: SettableClock) -> None:
    """So it really verifies what it accepts above."""
    liar = replace(NODE, _secret=a_node(bytes(31) + b"\1")._secret)
    with running_relay(liar, clock) as relay:
        done = drand_client(relay, newest(clock))
    assert (done.returncode, done.stdout) == (1, "")
    assert "not valid" in done.stderr


@pytest.mark.nightly("starts the program, and waits for pulses")
def test_the_program(tmp_path: Path) -> None:
    """It prints a policy's line and its address, keeps its chain over a restart, and ends cleanly on request."""
    path = tmp_path / "beacon.key"
    lines = [_run_program(path, "--period", "1", "--id", "mine"), _run_program(path)]
    assert lines[0] == lines[1]
    word, *words = lines[0].split(" ")
    assert (word, Beacon.parse(words).id, Beacon.parse(words).period) == ("beacon", "mine", 1)
    refused = subprocess.run(_command(path, "--period", "2"), capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "a pulse every 1 seconds, for ever" in refused.stderr


def _command(path: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "api.programs.cli", "beacon", "--key", str(path), "--port", "0", *arguments]


def _run_program(path: Path, *arguments: str) -> str:
    """Start it, request a pulse, stop it; returns the line of the policy."""
    with subprocess.Popen(_command(path, *arguments), stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            line, address = program.stdout.readline(), program.stdout.readline()
            url = address.partition(" at ")[2].partition(" ")[0]
            pulse = urllib3.request("GET", f"{url}/public/latest", retries=False).json()
            beacon = Beacon.parse(line.rstrip("\n").split(" ")[1:])
            verify_pulse(beacon, pulse["round"], bytes.fromhex(pulse["signature"]))
        finally:
            program.send_signal(signal.SIGINT)
        assert program.wait(30) == 0
    return line.rstrip("\n")
