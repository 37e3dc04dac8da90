"""``foredraw serve``: gunicorn and the background program side by side, and a demo dealer if asked for.

When one of them ends, all end. Each is started in a session of its own, so that Ctrl-C reaches this
program alone, which then stops them in order: first who plays, then who answers, then who publishes.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from api.settings import Settings, SettingsError

WORKERS = 2
CONNECTIONS = 1000
SUPERVISOR = "FOREDRAW_SUPERVISOR"
"""Tells a program the id of the process that started it: asked later, the system might name its heir."""
_GRACE_SECONDS = 20.0
_LOOK_SECONDS = 0.1
_ORPHAN_LOOK_SECONDS = 0.5
_ADDRESS_PATIENCE_SECONDS = 3.0


def when_orphaned(act: Callable[[], None]) -> None:
    """Call ``act`` once the process that watches over this one is gone, which it may be already."""
    supervisor = int(os.environ.get(SUPERVISOR) or os.getppid())

    def watch() -> None:
        while os.getppid() == supervisor:
            time.sleep(_ORPHAN_LOOK_SECONDS)
        act()

    threading.Thread(target=watch, name="supervisor", daemon=True).start()


@dataclass(frozen=True, slots=True)
class Program:
    """A part of the service, in a process of its own."""

    name: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """Ask it to end; end it, if it does not."""
        if self.process.poll() is not None:
            # Who has died could not end its own: gunicorn's workers would answer for seconds to come.
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            return
        self.process.terminate()
        try:
            self.process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Supervisor:
    """Starts the programs of one service, and stops the rest when one of them ends."""

    def __init__(self, settings: Settings) -> None:
        self._environment = {
            **os.environ,
            "FOREDRAW_DATA": str(settings.folder),
            "FOREDRAW_BATCH_SIZE": str(settings.batch_size),
            SUPERVISOR: str(os.getpid()),
        }
        self._programs: list[Program] = []
        self._stopping = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stopping.set())

    def start(self, name: str, arguments: list[str], **environment: str) -> None:
        """Start a Python module with arguments."""
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", *arguments],
            env={**self._environment, **environment},
            start_new_session=True,
            stdin=subprocess.DEVNULL,
        )
        self._programs.append(Program(name, process))

    def wait_until(self, holds: Callable[[], bool]) -> bool:
        """Wait for something to hold; `False` where a signal or a program's end came first."""
        while not holds():
            if self._stopping.wait(_LOOK_SECONDS) or self._ended() is not None:
                return False
        return True

    def run(self) -> int:
        """Until a signal, or until one of the programs ends. Stops all; returns the exit status."""
        self.wait_until(lambda: False)
        ended = self._ended()
        for program in reversed(self._programs):
            program.stop()
        if ended is None:
            return 0
        status = ended.process.returncode
        sys.stderr.write(f"foredraw: the {ended.name} ended (status {status}), so the service has stopped\n")
        return 1

    def _ended(self) -> Program | None:
        return next((program for program in self._programs if program.process.poll() is not None), None)


def check_address(host: str, port: int) -> None:
    """Raise `SettingsError` where somebody else listens, after a moment's patience with who is still stopping.

    Without it gunicorn would find out, while we take the other's answers for ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + _ADDRESS_PATIENCE_SECONDS
    while True:
        try:
            socket.create_server((host, port), family=family).close()
        except OSError as error:
            if time.monotonic() > deadline:
                reason = os.strerror(error.errno) if error.errno else str(error)
                raise SettingsError(f"{host}:{port} cannot be listened on: {reason}") from error
            time.sleep(_LOOK_SECONDS)
        else:
            return


def start_service(
    settings: Settings, *, host: str, port: int, workers: int = WORKERS, connections: int = CONNECTIONS
) -> Supervisor:
    """Start the background program and gunicorn on an initialised folder."""
    supervisor = Supervisor(settings)
    supervisor.start("background program", ["api.background"])
    supervisor.start("API", gunicorn_arguments(host, port, workers, connections))
    return supervisor


def gunicorn_arguments(
    host: str, port: int, workers: int, connections: int, app: str = "api.app:create_app()"
) -> list[str]:
    """How gunicorn is started. A call that waits for publication holds its connection, and nothing else."""
    return [
        *("gunicorn", "--bind", f"{host}:{port}"),
        *("--workers", str(workers), "--worker-class", "api.gunicorn_worker.Worker"),
        *("--worker-connections", str(connections)),
        *("--keep-alive", "30", "--graceful-timeout", "5", "--log-level", "warning", "--no-control-socket"),
        *("--config", "python:api.gunicorn_hooks", app),
    ]
