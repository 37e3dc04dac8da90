"""One soak: what takes part, and what must hold in the end."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from games import GAMES
from tests.oracles.whole_log import check_whole_log
from tests.soak.faults import Faults, Moments
from tests.soak.machines import Machines
from tests.soak.memory import ALLOWED_MIB, Memory
from tests.soak.watchers import Watchers
from tests.support.engine import Engine
from tests.support.postgres import PASSWORD
from tests.support.running_service import RunningService
from tests.support.s3_server import SECRET
from tests.support.unreleased import found_in, unreleased

_SAMPLED_EVERY = 2.0
_AUDITED_EVERY = 30.0
_SAID = 12
"""How often the memory is printed, and the first time at once."""
_MEASURED_FROM = 600
"""Seconds: a shorter soak says nothing about memory."""
_AFTER_TIMEOUT = 3.0
"""Seconds until an engine that vanished comes back, after the time-out of its round."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

    seconds: float = 3600.0
    engines: int = 50
    watchers: int = 500
    pace: float = 2.0
    """The rest of an engine after each round, in seconds."""
    between_faults: float = 20.0
    """The longest rest before a fault, in seconds."""
    timeout: int = 20
    """Of a round whose engine has vanished, in seconds."""
    workers: int = 2
    """Processes of each listener on each machine."""


def soak(size: Size, seed: int, engine: str) -> list[str]:
    """Run it on one of `ENGINES`, and print what was seen. Returns what must not have been."""
    print(f"seed {seed}, {size.seconds:.0f} seconds on {engine}", flush=True)
    games = sorted(GAMES)
    tables = {f"table-{number}": games[number % len(games)] for number in range(size.engines)}
    machines = Machines(tables, size.timeout, size.workers, Moments(random.Random(seed)))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="foredraw-soak-")))
        machines.start(engine, folder, stack)
        return _Soak(size, machines).run(folder)


class _Soak:
    def __init__(self, size: Size, machines: Machines) -> None:
        self._size, self._machines = size, machines
        self._services = machines.services
        self._faults = Faults(self._services, machines.faults, machines.moments)
        self._memory, self._begun = Memory(), time.monotonic()
        self._audits: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._engines, self._watchers = self._make_engines(), self._make_watchers()

    def _make_engines(self) -> list[Engine]:
        size, services = self._size, self._services
        return [
            Engine(
                services[n % len(services)],
                f"table-{n}",
                pace=size.pace,
                outages=True,
                excuse=self._faults.excuse,
                others=services[n % len(services) + 1 :] + services[: n % len(services)],
                absence=size.timeout + _AFTER_TIMEOUT,
            )
            for n in range(size.engines)
        ]

    def _make_watchers(self) -> list[Watchers]:
        each = self._size.watchers // len(self._services)
        return [Watchers(f"{one.url}/log", one.key, each, 10.0, self._faults.excuse) for one in self._services]

    def run(self, folder: Path) -> list[str]:
        """Play, and judge; whatever fails on the way is noted, and hides nothing of the rest."""
        self._faults.engines = self._engines
        threads = self._players
        for thread in threads:
            thread.start()
        self._pass_the_time(folder / "audit")
        self._wrong += [f"{each.name} ended too early" for each in threads if not each.is_alive()]
        for thread in threads:
            thread.stopping.set()
        for thread in threads:
            thread.join(120)
            if thread.is_alive():
                self._wrong.append(f"{thread.name} does not end")
        self._try(self._services[0].settle)
        for address in self._machines.published:
            self._try(partial(self._audit, address, folder / "audit"))
        for each in self._services:
            self._try(partial(self._stop, each))
        for judge in (self._judge_log, self._judge_players, self._judge_output, self._judge_memory):
            self._try(judge)
        self._print()
        return self._wrong

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001 -- an hour's verdict must not be lost to what one step of it raises
            self._wrong.append(f"after {self._second:.0f} s: {error!r}")
            print(f"wrong {self._wrong[-1]}", flush=True)

    def _stop(self, service: RunningService) -> None:
        if (status := service.stop()) != 0:
            self._wrong.append(f"a service ended with {status}")

    @property
    def _second(self) -> float:
        return time.monotonic() - self._begun

    def _pass_the_time(self, state: Path) -> None:
        """Faults, audits and samples, one after the other. In the second half no process dies, so that memory can be
        compared.
        """
        fault = audit = said = 0.0
        addresses = itertools.cycle(self._machines.published)
        while self._second < self._size.seconds:
            if self._second >= fault:
                self._try(partial(self._faults.one, deadly=self._second < self._size.seconds / 2))
                fault = self._second + self._faults.moments.chance.uniform(0, self._size.between_faults)
            if self._second >= audit:
                self._try(partial(self._audit, next(addresses), state))
                audit = self._second + _AUDITED_EVERY
            self._memory.sample([each.process.pid for each in self._services], self._second)
            if self._second >= said:
                print(f"{self._second:5.0f} s: {self._so_far()}; {self._memory.now()}", flush=True)
                said = self._second + min(60.0, self._size.seconds / _SAID)
            self._faults.moments.stopping.wait(_SAMPLED_EVERY)

    def _audit(self, log: str, state: Path) -> None:
        """The auditor's own program, which reads what is new since the last time."""
        command = [sys.executable, "-m", "verifier", "audit", log, "--key", str(self._services[0].key)]
        done = subprocess.run(
            [*command, "--state", str(state)], capture_output=True, text=True, check=False, timeout=600
        )
        self._audits[log] += 1
        if done.returncode:
            self._wrong.append(
                f"an audit of {log} ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
            )

    def _so_far(self) -> str:
        rounds, wrong = sum(len(each.told) for each in self._engines), sum(len(each.wrong) for each in self._players)
        return (
            f"{rounds} rounds, {sum(each.readings for each in self._watchers)} checkpoints read, "
            f"{self._audits.total()} audits, {len(self._faults.done)} faults, {len(self._wrong) + wrong} wrong"
        )

    @property
    def _players(self) -> list[Engine | Watchers]:
        return [*self._engines, *self._watchers]

    def _judge_log(self) -> None:
        service = self._services[0]
        told = {key: outcome for engine in self._engines for key, outcome in engine.told.items()}
        seen = [note for each in self._watchers for note in each.notes.values()]
        whole = check_whole_log(service.settings.log, service.key, checkpoints=seen, told=told)
        self._wrong += [f"{table} hangs" for table, state in whole.tables.items() if state.locked is not None]
        print(f"{len(whole.records)} records, {len(told)} rounds told to {len(self._engines)} engines")

    def _judge_players(self) -> None:
        self._wrong += [f"{each.name}: {answer}" for each in self._players for answer in each.wrong]
        self._wrong += [f"{each.table}: nothing was played" for each in self._engines if not each.revealed]

    def _judge_output(self) -> None:
        output = "".join(each.output for each in self._services)
        self._wrong += [
            f"the service wrote {word}: {output[max(0, output.index(word) - 500) :][:3000]}"
            for word in ("Traceback", PASSWORD, SECRET)
            if word in output
        ]
        if found_in(unreleased(self._services[0], self._machines.tables), output.encode()):
            self._wrong.append("the service wrote a seed that was not released")

    def _judge_memory(self) -> None:
        memory, half = self._memory, self._size.seconds / 2
        lasting = memory.lasting(half)
        if not lasting:
            self._wrong.append("no process ran all through the second half")
        for pid in lasting:
            growth, slope = memory.growth(pid, half), memory.slope(pid, half)
            size = memory.samples[pid][-1][1]
            print(f"{memory.names[pid]:18} {size:7.1f} MiB, {growth:+.1f} MiB in the second half, {slope:+.1f} MiB/h")
            if self._size.seconds >= _MEASURED_FROM and growth > ALLOWED_MIB:
                self._wrong.append(f"{memory.names[pid]} grew by {growth:.1f} MiB, more than {ALLOWED_MIB} MiB")

    def _print(self) -> None:
        outages = sum((each.outages for each in self._watchers), Counter[str]())
        announced = sum((each.announced for each in self._engines), Counter[str]())
        print(f"{self._so_far()}; outages of {self._size.watchers} watchers: {_listed(outages)}")
        print(f"faults: {_listed(Counter(self._faults.done))}; repeated starts: {_listed(self._faults.repeated)}")
        print(f"{sum(len(engine.left) for engine in self._engines)} rounds were left by their engines")
        again = sum(engine.repeated for engine in self._engines)
        print(f"announced to engines: {_listed(announced)}; {again} calls met the end of a silent connection")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "nothing"
