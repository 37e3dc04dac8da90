"""One soak: what takes part, and what must hold in the end."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from api.settings import Server
from games import GAMES
from tests.oracles.whole_log import check_whole_log
from tests.soak.faults import Fault, Faults, FolderFaults, Moments, ServerFaults
from tests.soak.memory import ALLOWED_MIB, Memory
from tests.soak.watchers import Watchers
from tests.support.engine import Engine
from tests.support.postgres import PASSWORD, postgres_server
from tests.support.proxy import line_to
from tests.support.running_service import RunningService, initialised
from tests.support.small_disk import small_disk

_SAMPLED_EVERY = 2.0
_AUDITED_EVERY = 30.0
_SAID = 12
"""How often the memory is printed, and the first time at once."""
_MEASURED_FROM = 600
"""Seconds: a shorter soak says nothing about memory."""
_DISK_BYTES = 1 << 30
"""Of a data folder that is filled now and then: more than an hour writes."""


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


def soak(size: Size, seed: int, engine: str) -> list[str]:
    """Run it on one of `ENGINES`, and print what was seen. Returns what must not have been."""
    print(f"seed {seed}, {size.seconds:.0f} seconds on {engine}", flush=True)
    moments = Moments(random.Random(seed))  # noqa: S311
    games = sorted(GAMES)
    tables = {f"table-{number}": games[number % len(games)] for number in range(size.engines)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="foredraw-soak-")))
        faults: list[Fault]
        if engine == "postgresql":
            server = stack.enter_context(postgres_server())
            line = stack.enter_context(line_to(server.port))
            address = server.new_database().secret_address.replace(f":{server.port}/", f":{line.port}/")
            service = initialised(folder / "data", tables, batch_size=200, database=Server.parse(address))
            faults = ServerFaults(server, line, moments).all
        else:
            service = initialised(folder / "data", tables, batch_size=200)
            disk = stack.enter_context(small_disk(folder / "data", size=_DISK_BYTES))
            faults = FolderFaults(disk, service.settings.database, moments).all
        stack.callback(service.clean_up)
        service.start()
        service.settle()
        return _Soak(size, service, Faults(service, faults, moments)).run(folder)


class _Soak:
    def __init__(self, size: Size, service: RunningService, faults: Faults) -> None:
        self._size, self._service, self._faults = size, service, faults
        self._memory, self._begun = Memory(), time.monotonic()
        self._audits = 0
        self._wrong: list[str] = []

    def run(self, folder: Path) -> list[str]:
        size, service = self._size, self._service
        excuse = self._faults.excuse
        engines = [
            Engine(service, f"table-{n}", pace=size.pace, outages=True, excuse=excuse) for n in range(size.engines)
        ]
        watchers = Watchers(f"{service.url}/log", service.key, size.watchers, 10.0, excuse)
        for each in (*engines, watchers):
            each.start()
        self._pass_the_time(folder / "audit")
        self._wrong += [f"{each.name} ended too early" for each in (*engines, watchers) if not each.is_alive()]
        for engine in engines:
            engine.stopping.set()
        watchers.stopping.set()
        for thread in (*engines, watchers):
            thread.join(120)
            if thread.is_alive():
                self._wrong.append(f"{thread.name} does not end")
        service.settle()
        self._audit(folder / "audit")
        if service.stop() != 0:
            self._wrong.append("the service did not end well")
        return self._judge(engines, watchers)

    @property
    def _second(self) -> float:
        return time.monotonic() - self._begun

    def _pass_the_time(self, state: Path) -> None:
        """Faults, audits and samples, one after the other. In the second half no process dies, so that memory can be compared."""
        fault = audit = said = 0.0
        while self._second < self._size.seconds:
            if self._second >= fault:
                self._faults.one(deadly=self._second < self._size.seconds / 2)
                fault = self._second + self._faults.moments.chance.uniform(0, self._size.between_faults)
            if self._second >= audit:
                self._audit(state)
                audit = self._second + _AUDITED_EVERY
            self._memory.sample(self._service.process.pid, self._second)
            if self._second >= said:
                print(f"{self._second:5.0f} s: {self._memory.now()}", flush=True)
                said = self._second + self._size.seconds / _SAID
            self._faults.moments.stopping.wait(_SAMPLED_EVERY)

    def _audit(self, state: Path) -> None:
        """The auditor's own program, which reads what is new since the last time."""
        service = self._service
        command = [sys.executable, "-m", "verifier", "audit", f"{service.url}/log", "--key", str(service.key)]
        done = subprocess.run(
            [*command, "--state", str(state)], capture_output=True, text=True, check=False, timeout=600
        )
        self._audits += 1
        if done.returncode:
            self._wrong.append(f"an audit ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")

    def _judge(self, engines: list[Engine], watchers: Watchers) -> list[str]:
        service, wrong = self._service, self._wrong
        told = {key: outcome for engine in engines for key, outcome in engine.told.items()}
        whole = check_whole_log(service.settings.log, service.key, told=told)
        wrong += [f"{engine.table}: {answer}" for engine in engines for answer in engine.wrong]
        wrong += [f"{engine.table}: nothing was played" for engine in engines if not engine.revealed]
        wrong += watchers.wrong
        output = service.output
        wrong += [f"the service wrote {word}" for word in ("Traceback", PASSWORD) if word in output]
        print(f"{len(whole.records)} records, {len(told)} rounds told to {len(engines)} engines")
        print(
            f"{watchers.readings} checkpoints read by {self._size.watchers} watchers, outages: {_listed(watchers.outages)}"
        )
        print(f"{self._audits} audits; faults: {_listed(Counter(self._faults.done))}")
        print(f"announced to engines: {_listed(sum((engine.announced for engine in engines), Counter()))}")
        return wrong + self._judge_memory()

    def _judge_memory(self) -> list[str]:
        memory, half, wrong = self._memory, self._size.seconds / 2, []
        lasting = memory.lasting(half)
        if not lasting:
            wrong.append("no process ran all through the second half")
        for pid in lasting:
            growth, slope = memory.growth(pid, half), memory.slope(pid, half)
            size = memory.samples[pid][-1][1]
            print(f"{memory.names[pid]:16} {size:7.1f} MiB, {growth:+.1f} MiB in the second half, {slope:+.1f} MiB/h")
            if self._size.seconds >= _MEASURED_FROM and growth > ALLOWED_MIB:
                wrong.append(f"{memory.names[pid]} grew by {growth:.1f} MiB, more than {ALLOWED_MIB} MiB")
        return wrong


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "nothing"
