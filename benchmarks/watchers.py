"""The live feed's figures: 500 people watch while rounds are played and the service's memory is measured."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.running import Running, service
from benchmarks.service import MANY_TABLES, prepared, table_names

WATCHERS = 500
_SECONDS = 30.0
_LOAD_SECONDS = 8.0
_CONNECTING_SECONDS = 3.0
_LATEST_SECONDS = 1.5
_GROWTH_MIB = 50


def measure_watchers() -> Iterator[Figure]:
    """How soon each of them sees a reveal, their cost in memory, and their effect on the engines."""
    yield from _while_the_dealer_plays()
    yield from _while_engines_play_as_fast_as_they_can()


def _while_the_dealer_plays() -> Iterator[Figure]:
    with prepared(0) as (folder, token), service(folder, token, "--demo", "--pace", "2") as running:
        revealed = _Revealed(running)
        time.sleep(_CONNECTING_SECONDS)
        before, idle = running.memory(), running.computed()
        time.sleep(_SECONDS / 3)
        computed = running.computed()
        idle = (computed - idle) * 3
        with _watching(running, _SECONDS) as result:
            time.sleep(_SECONDS / 2)
            half = running.memory()
            time.sleep(_SECONDS / 2 - 1)
            during = running.memory()
        cost = (running.computed() - computed - idle) / result["answers"]
        # The last rounds were too late to be seen by all, the first ones before all were connected.
        begin, end = result["begun"] + _CONNECTING_SECONDS, result["begun"] + _SECONDS - 2 * _LATEST_SECONDS
        rounds = {name: at for name, at in revealed.at.items() if begin < at < end}
        delays = sorted(seen - at for name, at in rounds.items() for seen in result["seen"].get(name, ()))
    complete = len(delays) == len(rounds) * WATCHERS > 0
    yield Figure(
        f"from a reveal's answer to each of {WATCHERS} watchers",
        [
            neutral("", len(rounds), "rounds"),
            lower("median", delays[len(delays) // 2], "s", 2),
            lower("the last of all", delays[-1], "s", 2),
            lower("", result["bytes"] / _SECONDS / 1000, "kB/s"),
            higher("unchanged", 100 * result["unchanged"] / result["answers"], "%"),
        ],
        f"every one within {_LATEST_SECONDS} s",
        met=complete and delays[-1] <= _LATEST_SECONDS,
        remark="every watcher saw every round" if complete else "NOT every watcher saw every round",
    )
    yield Figure(
        f"what {WATCHERS} watchers cost the service",
        [lower("CPU time of an answer", cost * 1e6, "µs"), lower("of one core", 100 * cost * WATCHERS, "%")],
        "under 25 % of one core",
        met=cost * WATCHERS < 0.25,
    )
    yield Figure(
        f"memory of the service with {WATCHERS} watchers",
        [
            lower("without", before, "MiB"),
            lower(f"after {_SECONDS / 2:.0f} s", half, "MiB"),
            lower(f"after {_SECONDS:.0f} s", during, "MiB"),
        ],
        f"at most {_GROWTH_MIB} MiB more, and no more as time goes on",
        met=during <= before + _GROWTH_MIB and during <= half * 1.05,
    )


def _while_engines_play_as_fast_as_they_can() -> Iterator[Figure]:
    with prepared(MANY_TABLES) as (folder, token), service(folder, token) as running:
        names = table_names(MANY_TABLES)
        alone = running.load("rounds", _LOAD_SECONDS, names)["rate"]
        with _watching(running, _LOAD_SECONDS + _CONNECTING_SECONDS) as result:
            time.sleep(_CONNECTING_SECONDS / 2)
            watched = running.load("rounds", _LOAD_SECONDS, names)["rate"]
        alone = (alone + running.load("rounds", _LOAD_SECONDS, names)["rate"]) / 2
    yield Figure(
        f"whole rounds, {MANY_TABLES} tables at once, with {WATCHERS} watchers",
        [
            higher("", watched, "/s"),
            higher("without watchers", alone, "/s"),
            higher("ratio", watched / alone, "", 2),
            lower("99th percentile of the watchers' wait", result["p99"] * 1000, "ms"),
        ],
        "ratio 0.8 or more, engines and watchers computing on the same machine",
        met=watched >= 0.8 * alone,
    )


class _Revealed:
    """When the dealer received the answer of each reveal, by table and number."""

    def __init__(self, running: Running) -> None:
        self.at: dict[str, float] = {}
        self._output = running.output
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._output:
            found = re.match(r"(\S+) +round (\d+) ", line.decode())
            if found:
                self.at[f"{found[1]} {found[2]}"] = time.monotonic()


@contextmanager
def _watching(running: Running, seconds: float) -> Iterator[dict[str, Any]]:
    """Run watchers during the block; afterwards the dictionary has what they saw."""
    command = [sys.executable, "-m", "benchmarks.watching", str(running.port), str(WATCHERS), str(seconds)]
    result: dict[str, Any] = {"begun": time.monotonic()}
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        yield result
        output, _ = process.communicate()
    result.update(json.loads(output))
    if result["failures"]:
        raise RuntimeError(f"watchers failed: {result['failures']}")
