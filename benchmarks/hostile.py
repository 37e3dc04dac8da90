"""What engines lose to strangers: 500 hostile connections, and 100 of the most expensive public calls each second."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from api.settings import Server
from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.running import Running, on, service
from benchmarks.service import MANY_TABLES, prepared, table_names
from games import GAMES
from tests.support.postgres import postgres_server

CONNECTIONS = 500
CALLS = 100
_PAIRS = 8
_SECONDS = 6.0
_LONGEST_REST = 60
_AT_REST = 0.3
"""Seconds of CPU time per second: more than the background program uses while nobody plays."""
_RECORDS = 60_000
"""The records of an earlier history of the log: each of its tables has more rounds than a search looks through."""


def measure_hostile() -> Iterator[Figure]:
    """The engines' pace with and without the attack, in turn; the results of the attack; and its own CPU time."""
    yield from _attacked(None)


def measure_hostile_postgres() -> Iterator[Figure]:
    """The same with the state in PostgreSQL, on the same machine."""
    with postgres_server(durable=True) as server:
        yield from _attacked(server.new_database())


def _attacked(server: Server | None) -> Iterator[Figure]:
    where = "" if server is None else " in PostgreSQL"
    with (
        prepared(MANY_TABLES, records=_RECORDS, server=server) as (folder, token),
        service(folder, token, environment=on(server)) as running,
    ):
        alone, attacked = [], []
        for number in range(_PAIRS):
            # Every second pair begins with the attack, so that drift of the log or the machine favours neither.
            if number % 2 == 0:
                alone.append(_play(running))
            attacked.append(_play_under_attack(running))
            if number % 2:
                alone.append(_play(running))
    attacks = [under["attack"] for under in attacked]
    ratios = [under["rate"] / free["rate"] for under, free in zip(attacked, alone, strict=True)]
    ratio = statistics.median(ratios)
    windows = [f"{under['rate']:.0f} and {free['rate']:.0f}/s" for under, free in zip(attacked, alone, strict=True)]
    rates = {
        what: _median([attack["rates"] for attack in attacks], what) for attack in attacks for what in attack["rates"]
    }
    yield Figure(
        f"whole rounds{where}, {MANY_TABLES} tables at once, under {CONNECTIONS} hostile connections"
        f" and {CALLS} expensive calls/s",
        [
            higher("", _median(attacked, "rate"), "/s"),
            higher("without", _median(alone, "rate"), "/s"),
            *(higher(f"ratio of pair {number}", each, "", 2) for number, each in enumerate(ratios, 1)),
            higher("median ratio", ratio, "", 2),
            lower("standard deviation of the ratios", statistics.stdev(ratios), "", 2),
            lower("lock's 99th percentile", _median(attacked, "p99") * 1000, "ms"),
            lower("without", _median(alone, "p99") * 1000, "ms"),
        ],
        "ratio 0.9 or more, engines and strangers computing on the same machine",
        met=ratio >= 0.9,
        remark=f"pairs: {', '.join(windows)}",
    )
    yield Figure(
        f"what became of that attack{where}",
        [
            *(neutral(what, rate, "/s") for what, rate in sorted(rates.items())),
            neutral("its own program computed, of one core", 100 * _median(attacks, "cpu"), "%"),
        ],
        "no target",
        met=None,
    )


def _let_it_rest(running: Running) -> None:
    """Wait until the service has answered the attackers' remaining calls, which would slow down the next round
    without them.
    """
    for _ in range(_LONGEST_REST):
        before = running.computed()
        time.sleep(1)
        if running.computed() - before < _AT_REST:
            return
    raise RuntimeError(f"{_LONGEST_REST} seconds after the attack the service is still at work")


def _play(running: Running) -> dict[str, Any]:
    return running.load("rounds", _SECONDS, table_names(MANY_TABLES))


def _play_under_attack(running: Running) -> dict[str, Any]:
    with _attack(running) as attack:
        played = _play(running)
    _let_it_rest(running)
    return {**played, "attack": attack}


@contextmanager
def _attack(running: Running) -> Iterator[dict[str, Any]]:
    """Attack during the block, which begins once all connections are in place; afterwards the results are filled
    in.
    """
    tables = [f"{game}-1" for game in sorted(GAMES)]
    ports = [str(running.port), str(running.engine_port)]
    command = [sys.executable, "-m", "benchmarks.attack", *ports, str(CONNECTIONS), str(CALLS), *tables]
    result: dict[str, Any] = {}
    # Real attackers compute elsewhere: here they have a lower priority, like the service's public part.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        if process.stdout is None or process.stdout.readline() != "standing\n":
            raise RuntimeError("the attack could not take up its connections")
        yield result
        output, _ = process.communicate()
    result.update(json.loads(output))


def _median(results: list[dict[str, Any]], key: str) -> float:
    return float(statistics.median(result.get(key, 0.0) for result in results))
