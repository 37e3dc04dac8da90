"""Programs under measurement: a real service in a separate folder, or a bare application."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import urllib3

from api.programs.serve import Listener, gunicorn_arguments
from api.settings import Server

_PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Running:
    """A program that answers on ports of this machine."""

    port: int
    engine_port: int
    """The port for engines; the same as ``port`` if there is only one."""
    token: str
    process: subprocess.Popen[bytes]

    @property
    def output(self) -> IO[bytes]:
        """What it and its child processes write to standard output."""
        if self.process.stdout is None:
            raise RuntimeError("only a service with a dealer says something")
        return self.process.stdout

    def memory(self) -> float:
        """The memory of it and its child processes in MiB, shared memory counted once."""
        return sum(_proportional_kilobytes(pid) for pid in _family(self.process.pid)) / 1024

    def computed(self) -> float:
        """Seconds of CPU time that it and its child processes have used so far."""
        return computed(self.process.pid)

    def load(self, kind: str, seconds: float, subjects: Sequence[str]) -> dict[str, Any]:
        """Put load on it, from another process. Raises `RuntimeError` if a call fails."""
        port = self.engine_port if kind == "rounds" else self.port
        command = [sys.executable, "-m", "benchmarks.load", kind, str(port), str(seconds), *subjects]
        done = subprocess.run(command, input=self.token + "\n", stdout=subprocess.PIPE, text=True, check=True)
        result: dict[str, Any] = json.loads(done.stdout)
        if result["failures"]:
            raise RuntimeError(f"calls failed under load: {result['failures']}")
        return result


def foredraw(folder: Path, *arguments: str, server: Server | None = None) -> str:
    """Run the operator's program; returns what it prints."""
    command = [sys.executable, "-m", "api.programs.cli", "--data", str(folder), *arguments]
    environment = {**os.environ, **on(server)}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.strip()


def on(server: Server | None) -> dict[str, str]:
    """The setting that has a program keep its database on a server, or none."""
    return {} if server is None else {"FOREDRAW_DATABASE": server.secret_address}


@contextmanager
def service(
    folder: Path, token: str, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Run ``foredraw serve`` on free ports until the block ends. ``environment`` has settings besides those of this
    process.
    """
    port, engine_port = _free_port(), _free_port()
    ports = ["--port", str(port), "--engine-port", str(engine_port)]
    command = [sys.executable, "-m", "api.programs.cli", "--data", str(folder), "serve", *ports, *options]
    piped = "--demo" in options
    with _process(command, port, "/health/ready", piped=piped, environment=environment) as process:
        yield Running(port, engine_port, token, process)


@contextmanager
def bare_application() -> Iterator[Running]:
    """Run the bare Flask application with the service's gunicorn settings."""
    port = _free_port()
    arguments = gunicorn_arguments(Listener("benchmarks.bare:create_app()", "127.0.0.1", port))
    with _process([sys.executable, "-m", "gunicorn", *arguments], port, "/bare") as process:
        yield Running(port, port, "none", process)


@contextmanager
def module(arguments: Sequence[str], port: int) -> Iterator[Running]:
    """Run a Python module with arguments, which serves something at ``/`` of this port."""
    with _process([sys.executable, "-m", *arguments], port, "/") as process:
        yield Running(port, port, "none", process)


@contextmanager
def _process(
    command: list[str],
    port: int,
    path: str,
    *,
    piped: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    output = subprocess.PIPE if piped else subprocess.DEVNULL
    settings = {**os.environ, "PYTHONWARNINGS": "ignore", **(environment or {})}
    process = subprocess.Popen(command, stdout=output, env=settings)
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}{path}")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_PATIENCE_SECONDS)


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if urllib3.request("GET", url, retries=False, timeout=2).status == 200:
                return
        except urllib3.exceptions.HTTPError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"{url} did not answer")


def computed(pid: int) -> float:
    """Seconds of CPU time that a process and its child processes have used so far, those that have ended included."""
    return sum(_cpu_seconds(each) for each in _family(pid))


def _family(pid: int) -> Iterator[int]:
    yield pid
    # A process of PostgreSQL may end meanwhile.
    with suppress(FileNotFoundError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _family(int(child))


def _cpu_seconds(pid: int) -> float:
    # The second field is the program's name, in parentheses; the 14th to the 17th are its own time, and that of its
    # children that have ended, of user and system each.
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _proportional_kilobytes(pid: int) -> int:
    try:
        found = re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except PermissionError:
        # The service hides its memory from everyone but root; others see only its size including shared memory.
        found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
