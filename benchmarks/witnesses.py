"""What witnesses cost those who play: two of ours on this machine, each a process of its own, and both are demanded.

The tables have no salt: the witnesses see each of their heads all the same.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from api.programs.outsiders import Outsiders
from api.settings import Settings
from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.running import Running, module, service
from benchmarks.service import MANY_TABLES, PLAYING_TABLES, prepared, table_names

_PAIRS = 6
_SECONDS = 6.0
_NOBODY_READS_HERE = "http://127.0.0.1/log"
"""Where the policy says that the log is; the witnesses read its folder."""


def measure_witnesses() -> Iterator[Figure]:
    """The wait for an outcome, and whole rounds with witnesses and without, in turn."""
    with (
        prepared(MANY_TABLES) as (folder, token),
        prepared(MANY_TABLES) as (other, other_token),
        _witnesses(folder) as (environment, witnesses),
        service(folder, token, environment=environment) as witnessed,
        service(other, other_token) as alone,
    ):
        yield from _wait(witnessed, alone)
        yield from _pairs(witnessed, alone, witnesses)


def _wait(witnessed: Running, alone: Running) -> Iterator[Figure]:
    without = alone.load("rounds", _SECONDS, table_names(PLAYING_TABLES))
    waits = witnessed.load("rounds", _SECONDS, table_names(PLAYING_TABLES))
    yield Figure(
        f"from lock to outcome with two witnesses, {PLAYING_TABLES} tables playing",
        [
            lower("median", waits["median"] * 1000, "ms"),
            lower("99th percentile", waits["p99"] * 1000, "ms"),
            neutral("the median without", without["median"] * 1000, "ms"),
        ],
        "median under 120 ms",
        met=waits["median"] < 0.12,
    )


def _pairs(witnessed: Running, alone: Running, witnesses: list[Running]) -> Iterator[Figure]:
    with_witnesses, without = _Windows(witnessed, *witnesses), _Windows(alone)
    for number in range(_PAIRS):
        # Every second pair begins with the other one, so that drift of the machine favours neither.
        for windows in (with_witnesses, without) if number % 2 else (without, with_witnesses):
            windows.play()
    ratios = [one / other for one, other in zip(with_witnesses.rates, without.rates, strict=True)]
    ratio = statistics.median(ratios)
    cost, *own = with_witnesses.cost_of_a_round()
    yield Figure(
        f"whole rounds, {MANY_TABLES} tables at once, with two witnesses",
        [
            higher("", statistics.median(with_witnesses.rates), "/s"),
            higher("without", statistics.median(without.rates), "/s"),
            higher("median ratio", ratio, "", 2),
            neutral("the lowest", min(ratios), "", 2),
            neutral("the highest", max(ratios), "", 2),
            lower("CPU time of the service per round", cost * 1000, "ms", 2),
            lower("without", without.cost_of_a_round()[0] * 1000, "ms", 2),
            lower("of each witness", statistics.mean(own) * 1000, "ms", 2),
        ],
        "ratio 0.8 or more, engines, service and witnesses computing on the same machine",
        met=ratio >= 0.8,
    )


class _Windows:
    """The times in which one service is played, and what its programs compute in them."""

    def __init__(self, *programs: Running) -> None:
        """The service is the first."""
        self._programs = programs
        self.rates: list[float] = []
        self._computed = [0.0] * len(programs)

    def play(self) -> None:
        """Play for a while more."""
        before = [program.computed() for program in self._programs]
        self.rates.append(self._programs[0].load("rounds", _SECONDS, table_names(MANY_TABLES))["rate"])
        for at, program in enumerate(self._programs):
            self._computed[at] += program.computed() - before[at]

    def cost_of_a_round(self) -> list[float]:
        """Seconds of CPU time, for each program."""
        return [computed / (sum(self.rates) * _SECONDS) for computed in self._computed]


@contextmanager
def _witnesses(folder: Path) -> Iterator[tuple[Mapping[str, str], list[Running]]]:
    """The demo's witnesses; with what a service of this folder needs to know to publish nothing without them."""
    outsiders = Outsiders.find(Settings(folder), _NOBODY_READS_HERE, make=True)
    if outsiders is None:
        raise RuntimeError("FOREDRAW_POLICY, FOREDRAW_BEACON or FOREDRAW_RELAYS is set, so there are other witnesses")
    with ExitStack() as running:
        programs = [
            running.enter_context(module(arguments, outsiders.witness_ports[name]))
            for name, arguments in outsiders.witness_programs()
        ]
        yield outsiders.environment, programs
