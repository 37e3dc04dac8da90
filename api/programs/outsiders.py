"""The outsiders of a demo: a beacon and two witnesses, each a process of its own, all on this machine.

They show how outside trust works, and prove nothing to others: whoever runs the demo has all of their keys. A demo
has them from its first start on, or not at all: the batches of older tables were committed without a witness.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from api.beacon.node import Node
from api.log.keys import load_verifier_key
from api.settings import Settings, SettingsError
from api.world.durable import write_durably
from api.world.supervision import PYTHON
from fairness.errors import ForedrawError
from fairness.policy.policy import Policy

if TYPE_CHECKING:
    from api.programs.supervisor import Supervisor

_WITNESSES = ("witness-1", "witness-2")
_PERIOD = 1
_FIRST_PULSE = 18
"""Seconds: the witnesses must have seen a batch ten seconds before its pulse, and people wait for the first
rounds.
"""
_OWN = ("FOREDRAW_POLICY", "FOREDRAW_BEACON", "FOREDRAW_RELAYS")
"""An operator who sets any of these has outsiders of its own."""
_HERE = "127.0.0.1"
_FIRST_PORT, _PORTS, _MOST_ATTEMPTS = 20_000, 12_000, 100
WORDS = """\
This machine plays all parts, each in a process of its own: the operator, a beacon, and two witnesses. So it shows how
outside trust works, and proves nothing to others. The first rounds wait for the first pulse, some twenty seconds."""
_EXPLANATION = """\
# The policy of a demo, written by `foredraw serve --demo` at each start. The beacon and both witnesses run on the
# operator's own machine, so it shows how outside trust works, and proves nothing to anybody else.
"""


@dataclass(frozen=True, slots=True)
class Outsiders:
    """The outsiders of one folder, and where they are reached in this run."""

    settings: Settings
    """The service's own settings, with these outsiders in them."""
    node: Node
    relay_port: int
    witness_ports: Mapping[str, int]

    @classmethod
    def find(cls, settings: Settings, url: str, *, make: bool) -> Outsiders | None:
        """Return those of an initialised folder, whose log is at ``url``; `None` if it has none. With ``make``, they
        are made.

        Raises `SettingsError` if what was made before is damaged.
        """
        folder = settings.demo
        if any(os.environ.get(name) for name in _OWN) or not (make or folder.exists()):
            return None
        if make:
            folder.mkdir()
        key = folder / "beacon.key"
        node = Node.create(key, period=_PERIOD, name="demo") if make else Node.load(key)
        ports = {name: _free_port() for name in _WITNESSES}
        keys = {name: _make_key(folder, name) for name in _WITNESSES} if make else _keys(settings)
        relay_port = _free_port()
        found = cls(
            replace(
                settings,
                policy=settings.demo_policy,
                beacon=node.beacon,
                relays=(f"http://{_HERE}:{relay_port}",),
                first_pulse=int(os.environ.get("FOREDRAW_FIRST_PULSE") or _FIRST_PULSE),
            ),
            node,
            relay_port,
            ports,
        )
        write_durably(settings.demo_policy, found.policy(url, keys).encode())
        return found

    @property
    def salt(self) -> str:
        """As tables name the beacon."""
        return self.node.beacon.chain_hash.hex()

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which the programs of the service find these outsiders."""
        return {
            "FOREDRAW_POLICY": str(self.settings.policy),
            "FOREDRAW_BEACON": str(self.node.beacon),
            "FOREDRAW_RELAYS": ",".join(self.settings.relays),
            "FOREDRAW_FIRST_PULSE": str(self.settings.first_pulse),
        }

    def policy(self, url: str, keys: Mapping[str, str]) -> str:
        """Return the text of the policy: both witnesses are demanded."""
        lines = [
            f"log {load_verifier_key(self.settings)} {url}",
            *(f"witness {name} {keys[name]} http://{_HERE}:{port}" for name, port in self.witness_ports.items()),
            f"group both all {' '.join(self.witness_ports)}",
            "quorum both",
            f"beacon {self.node.beacon}",
        ]
        return _EXPLANATION + "".join(f"{line}\n" for line in lines)

    def start(self, supervisor: Supervisor) -> None:
        """Start all of them."""
        key = str(self.settings.demo / "beacon.key")
        relay = ["api.programs.cli", "beacon", "--key", key, "--port", str(self.relay_port)]
        supervisor.start("demo beacon", relay, quiet=True)
        for name, witness in self.witness_programs():
            supervisor.start(f"demo {name}", ["api.programs.companion", *witness], quiet=True)
        # It needs nothing of the service, whose first words would otherwise be that nobody answers there.
        supervisor.wait_until(self._beacon_listens)

    def _beacon_listens(self) -> bool:
        with suppress(OSError), socket.create_connection((_HERE, self.relay_port), timeout=1.0):
            return True
        return False

    def witness_programs(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the name of each witness, and the module that runs it, with its arguments."""
        folder, policy = self.settings.demo, str(self.settings.policy)
        for name, port in self.witness_ports.items():
            state = folder / name
            witness = ["witness", "--log", str(self.settings.log), "--policy", policy, "--listen", f"{_HERE}:{port}"]
            witness += ["--sign-with", str(_key_file(folder, name)), "--state", str(state)]
            yield name, ["verifier", *witness, *([] if state.exists() else ["--begin"])]


def _key_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.key"


def _make_key(folder: Path, name: str) -> str:
    """Make a witness's key with its own program; returns the public half. Raises `SettingsError`."""
    command = [*PYTHON, "verifier", "witness-key", f"{name}.demo", "-o", str(_key_file(folder, name))]
    made = subprocess.run([*command, "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if made.returncode:
        raise SettingsError(f"the key of the demo's {name} could not be made: {made.stderr.strip()}")
    return str(json.loads(made.stdout)["vkey"])


def _keys(settings: Settings) -> dict[str, str]:
    """Return the witnesses' keys, from the policy of an earlier run. Raises `SettingsError`."""
    try:
        policy = Policy.parse(settings.demo_policy.read_bytes())
    except (OSError, ForedrawError) as error:
        raise SettingsError(
            f"{settings.demo_policy}: expected the demo's own policy, found: {error}. Put it back, or delete "
            f"{settings.folder} to begin a new demo"
        ) from error
    return {witness.name: str(witness.key) for witness in policy.witnesses}


def _free_port() -> int:
    """Return a port that nobody listens on, from a range of which no system takes ports for outgoing connections.

    Seconds pass until its program listens there: meanwhile an outgoing connection could take any other.
    """
    for _ in range(_MOST_ATTEMPTS):
        port = _FIRST_PORT + secrets.randbelow(_PORTS)
        with closing(socket.socket()) as listener, suppress(OSError):
            listener.bind((_HERE, port))
            return port
    raise SettingsError(
        f"found no free port for the demo's outsiders from {_FIRST_PORT} to {_FIRST_PORT + _PORTS - 1}"
    )
