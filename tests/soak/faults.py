"""What happens to a service and its database: each fault begins, lasts a moment, and is over when the call returns."""

from __future__ import annotations

import random
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.postgres import PostgresServer
from tests.support.proxy import Line
from tests.support.running_service import RunningService, family_of, has_ended, kill, wait_until
from tests.support.small_disk import SmallDisk

Fault = Callable[[], None]
_GRACE_SECONDS = 10.0
"""After a fault, until every process answers again."""
_HALVES = 50
"""Calls of which only half arrives, at once."""


@dataclass(frozen=True, slots=True)
class Moments:
    """How long faults last: chosen by a seed, and cut short at the end."""

    chance: random.Random
    stopping: threading.Event = field(default_factory=threading.Event)

    def between(self, least: float, most: float) -> None:
        """Wait for so many seconds."""
        self.stopping.wait(self.chance.uniform(least, most))


@dataclass
class Faults:
    """Chooses them, one after the other, by a seed: the service's own, and those of its database."""

    service: RunningService
    of_database: Sequence[Fault]
    moments: Moments
    done: list[str] = field(default_factory=list)
    _under_way: bool = False
    _over: float = float("-inf")

    def one(self, *, deadly: bool) -> None:
        """Let one happen, and wait until rounds can be played again; without a ``deadly`` one all processes live on."""
        lasting = [*self.of_database, self.pause_the_background, self.pause_a_worker, self.speak_half_a_request]
        dying = [self.kill_everything, self.kill_the_background, self.kill_a_worker]
        fault = self.moments.chance.choice([*lasting, *dying] if deadly else lasting)
        self.done.append(fault.__name__)
        self._under_way = True
        fault()
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

    def kill_a_worker(self) -> None:
        """One process that answers calls dies, with all its connections; its parent starts another."""
        kill(self.moments.chance.choice(self._workers()), signal.SIGKILL)

    def pause_the_background(self) -> None:
        """It stands still for some seconds."""
        self._pause(self.service.background)

    def pause_a_worker(self) -> None:
        """One process that answers calls stands still for some seconds, and its connections with it."""
        self._pause(self.moments.chance.choice(self._workers()))

    def _pause(self, pid: int) -> None:
        kill(pid, signal.SIGSTOP)
        self.moments.between(1, 5)
        kill(pid, signal.SIGCONT)

    def _workers(self) -> list[int]:
        """The processes that answer engines or the public, without those that only start them."""
        programs = [pid for name, pid in self.service.children().items() if name != "api.programs.background"]
        return [worker for pid in programs for worker in family_of(pid)[1:]]

    def speak_half_a_request(self) -> None:
        """Many connections at each port stop in the middle of a call, stay for a while, and vanish."""
        with ExitStack() as open_ones:
            for port in (self.service.port, self.service.engine_port):
                for number in range(_HALVES):
                    half = open_ones.enter_context(socket.create_connection(("127.0.0.1", port), 10))
                    half.sendall(
                        b"POST /v1/tables/table-0/rounds/1/open HTTP/1.1\r\nHost: a\r\nContent-"[: number + 10]
                    )
            self.moments.between(1, 5)


@dataclass(frozen=True, slots=True)
class ServerFaults:
    """What happens to PostgreSQL."""

    server: PostgresServer
    line: Line
    moments: Moments

    @property
    def all(self) -> list[Fault]:
        """All of them."""
        return [self.restart_the_database, self.cut_connections, self.slow_the_database, self.forbid_changes]

    def restart_the_database(self) -> None:
        """It is away for some seconds, after a stop or a crash."""
        self.server.stop(at_once=self.moments.chance.random() < 0.5)
        self.moments.between(0, 3)
        self.server.start()

    def cut_connections(self) -> None:
        """The database ends them all."""
        with self.server.administrator() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'foredraw'")

    def slow_the_database(self) -> None:
        """Each packet takes a while."""
        self.line.delay = self.moments.chance.uniform(0.01, 0.1)
        self.moments.between(1, 5)
        self.line.delay = 0.0

    def forbid_changes(self) -> None:
        """The database is read-only for some seconds."""
        self.server.set_for_all("default_transaction_read_only = on")
        self.moments.between(0, 3)
        self.server.set_for_all("default_transaction_read_only = off")


@dataclass(frozen=True, slots=True)
class FolderFaults:
    """What happens to the data folder with its SQLite files."""

    disk: SmallDisk
    database: Path
    moments: Moments

    @property
    def all(self) -> list[Fault]:
        """All of them."""
        return [self.fill_the_disk, self.hold_the_database]

    def fill_the_disk(self) -> None:
        """Not a byte is left for some seconds, neither for the database nor for the log."""
        self.disk.fill()
        self.moments.between(1, 5)
        self.disk.make_room()

    def hold_the_database(self) -> None:
        """Another program has begun a change, and takes some seconds for it: longer than calls wait, or not."""
        with closing(sqlite3.connect(self.database, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.moments.between(1, 8)
            other.rollback()
