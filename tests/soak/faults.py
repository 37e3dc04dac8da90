"""Which fault happens next, and those of the service's own processes.

Each begins, lasts a moment, and is over when the call returns.
"""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from api.world.supervision import BACKGROUND
from tests.support.engine import Engine
from tests.support.running_service import RunningService, family_of, has_ended, kill, wait_until

Fault = Callable[[], None]
_GRACE_SECONDS = 10.0
"""After a fault, until every process answers again."""
_HALVES = 50
"""Calls of which only half arrives, at once."""
_STARTS = 5
"""How often a machine is started, if it announces that it does not reach its database, which a busy processor may
delay.
"""
_UNREACHED = "cannot be reached"


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
    """Chooses them, one after the other, by a seed: those of the service's machines, and those of what it stands
    on.
    """

    machines: Sequence[RunningService]
    """The service on each of its machines."""
    of_surroundings: Sequence[Fault]
    moments: Moments
    engines: Sequence[Engine] = ()
    done: list[str] = field(default_factory=list)
    repeated: Counter[str] = field(default_factory=Counter)
    """How many starts ended because the database was not reached in time, as was announced."""
    _left: list[Fault] = field(default_factory=list)
    _under_way: bool = False
    _over: float = float("-inf")

    def one(self, *, deadly: bool) -> None:
        """Let one happen, and wait until rounds can be played again; without a ``deadly`` one all processes live
        on.
        """
        fault = self._next(deadly=deadly)
        self.done.append(fault.__name__)
        self._under_way = True
        try:
            fault()
            wait_until(self._are_ready, f"the service to go on after {fault.__name__}")
        finally:
            self._over, self._under_way = time.monotonic(), False

    def _next(self, *, deadly: bool) -> Fault:
        """Each happens once before any happens again."""
        dying = [
            self.kill_everything,
            self.kill_a_machine,
            self.kill_the_background,
            self.kill_a_worker,
            self.stop_and_start,
        ]
        own = [self.pause_the_background, self.pause_a_worker, self.speak_half_a_request, self.let_engines_vanish]
        possible = [*self.of_surroundings, *own, *(dying if deadly else ())]
        self._left = [each for each in self._left if each in possible] or possible
        return self._left.pop(self.moments.chance.randrange(len(self._left)))

    def excuse(self, since: float) -> bool:
        """Whether a fault may be why a connection that was sound at ``since`` failed now; both are monotonic, in
        seconds.
        """
        return self._under_way or since <= self._over + _GRACE_SECONDS

    def _are_ready(self) -> bool:
        for each in self.machines:
            if (status := each.process.poll()) is not None:
                self._start(each)
                raise AssertionError(f"{each.folder.name} ended by itself, with {status}: {each.output[-2000:]}")
        return all(each.is_ready_since(0.0) for each in self.machines)

    def _a_machine(self) -> RunningService:
        return self.moments.chance.choice(self.machines)

    def kill_everything(self) -> None:
        """As if the power had failed on all machines; they are started again."""
        self._kill(self.machines)

    def kill_a_machine(self) -> None:
        """As if one machine had died; it is started again, as systemd does."""
        self._kill([self._a_machine()])

    def _kill(self, machines: Sequence[RunningService]) -> None:
        everybody = [pid for each in machines for pid in family_of(each.process.pid)]
        for pid in everybody:
            kill(pid, signal.SIGKILL)
        for each in machines:
            self._start_again(each, everybody)

    def kill_the_background(self) -> None:
        """Sequencer, keeper and salter of a machine die; the supervisor ends, and is started again."""
        machine = self._a_machine()
        everybody = family_of(machine.process.pid)
        kill(machine.background, signal.SIGKILL)
        self._start_again(machine, everybody)

    def stop_and_start(self) -> None:
        """One machine is stopped as for an upgrade, and started again."""
        machine = self._a_machine()
        everybody = family_of(machine.process.pid)
        machine.stop()
        self._start_again(machine, everybody)

    def kill_a_worker(self) -> None:
        """One process that answers calls dies, with all its connections; its parent starts another."""
        kill(self._a_worker(), signal.SIGKILL)

    def pause_the_background(self) -> None:
        """That of a machine stands still for some seconds: longer than a lease lasts, or not."""
        self._pause(self._a_machine().background)

    def pause_a_worker(self) -> None:
        """One process that answers calls stands still for some seconds, and its connections with it."""
        self._pause(self._a_worker())

    def _pause(self, pid: int) -> None:
        kill(pid, signal.SIGSTOP)
        self.moments.between(1, 8)
        kill(pid, signal.SIGCONT)

    def _a_worker(self) -> int:
        """A process that answers engines or the public, not one that only starts them."""
        children = self._a_machine().children()
        programs = [pid for name, pid in children.items() if name != BACKGROUND]
        return self.moments.chance.choice([worker for pid in programs for worker in family_of(pid)[1:]])

    def speak_half_a_request(self) -> None:
        """Many connections at each port stop in the middle of a call, stay for a while, and vanish."""
        machine = self._a_machine()
        with ExitStack() as open_ones:
            for port in (machine.port, machine.engine_port):
                for number in range(_HALVES):
                    half = open_ones.enter_context(socket.create_connection(("127.0.0.1", port), 10))
                    half.sendall(
                        b"POST /v1/engine/tables/table-0/rounds/1/open HTTP/1.1\r\nHost: a\r\nContent-"[: number + 10]
                    )
            self.moments.between(1, 5)

    def let_engines_vanish(self) -> None:
        """Some leave in the middle of a round, and come back when its time is over."""
        for engine in self.moments.chance.sample(list(self.engines), len(self.engines) // 5):
            engine.vanishing.set()

    def _start_again(self, machine: RunningService, everybody: Sequence[int]) -> None:
        machine.process.wait(60)
        wait_until(lambda: all(has_ended(pid) for pid in everybody), "the end of all processes")
        self._start(machine)

    def _start(self, machine: RunningService) -> None:
        """As often as it takes, as systemd does, if each end was announced."""
        for _ in range(_STARTS):
            written = len(machine.output)
            if _is_started(machine):
                return
            said = machine.output[written:]
            assert _UNREACHED in said, f"{machine.folder.name} did not start: {said[-2000:]}"
            self.repeated[machine.folder.name] += 1
        raise AssertionError(f"{machine.folder.name} did not start {_STARTS} times: {machine.output[-2000:]}")


def _is_started(machine: RunningService) -> bool:
    """Launch it, and wait until it is ready or has ended."""
    begun = time.time()
    machine.launch()
    wait_until(lambda: machine.process.poll() is not None or machine.is_ready_since(begun), "a start")
    return machine.process.poll() is None
