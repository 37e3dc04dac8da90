"""OpenSSH's own ssh-agent with a new Ed25519 key, and an agent that lists its keys but never answers a request to
sign.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

_SIGN = 13


@dataclass(frozen=True)
class RunningAgent:
    """An agent, and the key that it holds."""

    socket: Path
    fingerprint: str
    comment: str
    environment: dict[str, str]

    def command(self, *words: str | Path) -> str:
        """Run a command that asks the agent; returns its output."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout


@contextmanager
def ssh_agent(folder: Path, comment: str = "witness of the tests") -> Iterator[RunningAgent]:
    """Run an agent that holds one key, whose file is removed at once."""
    path, key = folder / "agent", folder / "ssh-key"
    environment = {**os.environ, "SSH_AUTH_SOCK": str(path)}
    with subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", key], check=True)
            subprocess.run(["ssh-add", "-q", key], env=environment, check=True)
            listed = subprocess.run(["ssh-add", "-l"], env=environment, capture_output=True, text=True, check=True)
            key.unlink()
            yield RunningAgent(path, listed.stdout.split()[1], comment, environment)
        finally:
            process.terminate()


@contextmanager
def agent_that_never_signs(folder: Path, real: RunningAgent) -> Iterator[tuple[Path, Event]]:
    """Pass everything on to the real agent, except requests to sign: the event says that there was one."""
    path, asked = folder / "stuck", Event()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    held: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                held.append(client)
                message = client.recv(1 << 16)
                if message[4] == _SIGN:
                    asked.set()
                    continue
                with socket.socket(socket.AF_UNIX) as passing:
                    passing.connect(str(real.socket))
                    passing.sendall(message)
                    client.sendall(passing.recv(1 << 16))

    Thread(target=serve, daemon=True).start()
    try:
        yield path, asked
    finally:
        listener.close()
        for client in held:
            client.close()
