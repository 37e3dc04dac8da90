"""What happens to a service and its database: each fault begins, lasts a moment, and is over when the call returns."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.postgres import PostgresServer
from tests.support.proxy import Line
from tests.support.running_service import RunningService, family_of, has_ended, kill, wait_until

Fault = Callable[["Faults"], None]
_GRACE_SECONDS = 10.0
"""After a fault, until every process answers again."""


@dataclass
class Faults:
    """Chooses them, one after the other, by a seed."""

    service: RunningService
    server: PostgresServer
    line: Line
    chance: random.Random
    stopping: threading.Event = field(default_factory=threading.Event)
    done: list[str] = field(default_factory=list)
    _under_way: bool = False
    _over: float = float("-inf")

    def one(self, *, deadly: bool) -> None:
        """Let one happen, and wait until rounds can be played again; without a ``deadly`` one all processes live on."""
        fault = self.chance.choice([*LASTING, *DEADLY] if deadly else LASTING)
        self.done.append(fault.__name__)
        self._under_way = True
        fault(self)
        wait_until(self._is_ready, f"the service to go on after {fault.__name__}")
        self._over, self._under_way = time.monotonic(), False

    def excuse(self, since: float) -> bool:
        """Whether a fault may be why a connection that was sound at ``since`` failed now; both are monotonic, in seconds."""
        return self._under_way or since <= self._over + _GRACE_SECONDS

    def _is_ready(self) -> bool:
        return self.service.process.poll() is None and self.service._is_ready(0.0)

    def kill_everything(self) -> None:
        """As if the machine had died; it is started again, as systemd does."""
        everybody = family_of(self.service.process.pid)
        for pid in everybody:
            kill(pid, signal.SIGKILL)
        self._start_again(everybody)

    def kill_the_background(self) -> None:
        """Sequencer, keeper and salter die; the supervisor ends, and is started again."""
        everybody = family_of(self.service.process.pid)
        kill(self.service.background, signal.SIGKILL)
        self._start_again(everybody)

    def _start_again(self, everybody: list[int]) -> None:
        self.service.process.wait(60)
        wait_until(lambda: all(has_ended(pid) for pid in everybody), "the end of all processes")
        self.service.start()

    def pause_the_background(self) -> None:
        """It stands still for some seconds."""
        pid = self.service.background
        os.kill(pid, signal.SIGSTOP)
        self.stopping.wait(self.chance.uniform(1, 5))
        os.kill(pid, signal.SIGCONT)

    def restart_the_database(self) -> None:
        """It is away for some seconds, after a stop or a crash."""
        self.server.stop(at_once=self.chance.random() < 0.5)
        self.stopping.wait(self.chance.uniform(0, 3))
        self.server.start()

    def cut_connections(self) -> None:
        """The database ends them all."""
        with self.server.administrator() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'foredraw'")

    def slow_the_database(self) -> None:
        """Each packet takes a while."""
        self.line.delay = self.chance.uniform(0.01, 0.1)
        self.stopping.wait(self.chance.uniform(1, 5))
        self.line.delay = 0.0

    def forbid_changes(self) -> None:
        """The database is read-only for some seconds."""
        self.server.set_for_all("default_transaction_read_only = on")
        self.stopping.wait(self.chance.uniform(0, 3))
        self.server.set_for_all("default_transaction_read_only = off")


LASTING: list[Fault] = [
    Faults.pause_the_background,
    Faults.restart_the_database,
    Faults.cut_connections,
    Faults.slow_the_database,
    Faults.forbid_changes,
]
DEADLY: list[Fault] = [Faults.kill_everything, Faults.kill_the_background]
