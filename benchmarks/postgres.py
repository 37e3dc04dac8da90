"""Rounds with the state in PostgreSQL, against what the same server does without us."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection as Alchemy

from api.programs.serve import WORKERS
from api.settings import Server, Settings
from api.sql.postgres import CONNECTIONS
from api.store.schema import disposed, open_database
from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.running import bare_application, computed, on, service
from benchmarks.service import MANY_TABLES, PLAYING_TABLES, prepared, reading, table_names
from tests.support.postgres import PASSWORD, USER, PostgresServer, postgres_server, program

_SECONDS = 8
_CALLS = 3
"""Durable transactions of engines in a round: open, lock and reveal. What the sequencer commits is shared by many
rounds.
"""
_ROW = "INSERT INTO bare (data) VALUES (repeat('x', 200));\n"
_BEHIND = (10_000, 1_000_000)
"""Rounds of an earlier history in the same database."""
_HISTORY = """
INSERT INTO rounds ("table", round, status, opened, locked, given_up, outcome, seeds, code)
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {rounds})
SELECT 'past-' || (n / 10000), n - n / 10000 * 10000 + 1, 'played', '2026-11-20T22:49:01.123Z', '2026-11-20T22:49:02.123Z', false,
    '{{"multiplier":"21.23"}}', '["{seed}"]', 'crash1{seed}' FROM numbers
"""
"""Both engines read it. A log of so many rounds takes a quarter of an hour to be replayed; `measure_log_size` has
one.
"""
_TURNS = 3


def measure_postgres() -> Iterator[Figure]:
    """Whole rounds, the wait for an outcome, and reading, on a durable PostgreSQL of this machine, against pgbench on
    the same one.
    """
    with postgres_server(durable=True) as server:
        database = server.new_database()
        with prepared(MANY_TABLES, server=database) as (folder, token):
            names = table_names(MANY_TABLES)
            before = _transactions_per_second(server)
            with (
                bare_application() as route,
                service(folder, token, "--niceness", "0", environment=on(database)) as running,
            ):
                ours, its = running.computed(), computed(server.pid)
                rounds = running.load("rounds", _SECONDS, names)["rate"]
                each = 1000 / (rounds * _SECONDS)
                ours, its = (running.computed() - ours) * each, (computed(server.pid) - its) * each
                waits = running.load("rounds", _SECONDS, names[:PLAYING_TABLES])
                read = list(reading(route, running, " in PostgreSQL"))
                requests = route.load("post", _SECONDS / 2, ["/bare"] * MANY_TABLES)["rate"]
            bare = (before + _transactions_per_second(server)) / 2
            possible = 1 / (_CALLS / requests + _CALLS / bare)
    yield Figure(
        f"whole rounds in PostgreSQL, {MANY_TABLES} tables at once",
        [
            higher("", rounds, "/s"),
            neutral(f"{_CALLS} bare durable transactions", bare / _CALLS, "/s"),
            higher("ratio", rounds / bare * _CALLS, "", 2),
            # No service in Python reaches the target over HTTP: what an empty one does says how far it could come.
            neutral(f"{_CALLS} of them and as many bare requests", possible, "/s"),
            higher("ratio to those", rounds / possible, "", 2),
            lower("CPU time of a round in the service", ours, "ms", 1),
            lower("in PostgreSQL", its, "ms", 1),
        ],
        "ratio 0.5 or more",
        met=rounds >= 0.5 * bare / _CALLS,
    )
    yield Figure(
        f"from lock to outcome in PostgreSQL, {PLAYING_TABLES} tables playing",
        [lower("median", waits["median"] * 1000, "ms"), lower("99th percentile", waits["p99"] * 1000, "ms")],
        "under 80 ms and 250 ms",
        met=waits["median"] < 0.08 and waits["p99"] < 0.25,
    )
    yield from read


def measure_history() -> Iterator[Figure]:
    """Whole rounds with few and with many rounds behind them, in turn, in each database."""
    with postgres_server(durable=True) as server:
        for name, databases in (("PostgreSQL", [server.new_database() for _ in _BEHIND]), ("SQLite", [None, None])):
            few, many = _in_turn(server, databases)
            yield Figure(
                f"whole rounds in {name} by rounds behind them, {MANY_TABLES} tables at once",
                [
                    quantity
                    for behind, (rate, cost) in zip(_BEHIND, (few, many), strict=True)
                    for quantity in (
                        higher(f"{behind:,} rounds", rate, "/s"),
                        lower("CPU time of a round, PostgreSQL's included", cost * 1000, "ms", 1),
                    )
                ]
                + [neutral("ratio", many[0] / few[0], "", 2)],
                "no lower: ratio 0.9 or more",
                met=many[0] >= 0.9 * few[0],
            )


def _in_turn(server: PostgresServer, databases: Sequence[Server | None]) -> list[tuple[float, float]]:
    """The median rate of rounds and the CPU seconds of a round, of each of these services; all run, and they are
    measured in turn.
    """
    names = table_names(MANY_TABLES)
    measured: list[list[tuple[float, float]]] = [[] for _ in databases]
    with ExitStack() as until_then:
        services = []
        for behind, database in zip(_BEHIND, databases, strict=True):
            folder, token = until_then.enter_context(prepared(MANY_TABLES, server=database))
            with disposed(open_database(Settings(folder, server=database))) as opened:
                opened.alter(partial(insert_history, behind))
            services.append(
                until_then.enter_context(service(folder, token, "--niceness", "0", environment=on(database)))
            )
        # Whatever else the machine does, it does to both.
        for place in [0, 1, 1, 0] * _TURNS:
            before = services[place].computed() + computed(server.pid)
            rate = services[place].load("rounds", _SECONDS / 4, names)["rate"]
            spent = services[place].computed() + computed(server.pid) - before
            measured[place].append((rate, spent / (rate * _SECONDS / 4)))
    return [
        (statistics.median(rate for rate, _ in each), statistics.median(cost for _, cost in each))
        for each in measured
    ]


def insert_history(rounds: int, connection: Alchemy) -> None:
    """Insert so many rounds of tables that play no more."""
    connection.exec_driver_sql(_HISTORY.format(rounds=rounds, seed="5e" * 32))


def _transactions_per_second(server: PostgresServer) -> float:
    """What pgbench commits, a small row each, over as many connections as the engines' processes have."""
    database = server.new_database()
    with server.administrator(database.name) as connection:
        connection.execute(
            f"CREATE TABLE bare (id bigserial PRIMARY KEY, data text); ALTER TABLE bare OWNER TO {USER}".encode()
        )
    with TemporaryDirectory(prefix="foredraw-pgbench-") as name:
        script = Path(name) / "row.sql"
        script.write_text(_ROW, encoding="ascii")
        done = subprocess.run(
            [
                *(program("pgbench"), "--no-vacuum", "--protocol", "prepared", "--file", str(script)),
                *("--client", str(WORKERS * CONNECTIONS), "--jobs", str(WORKERS), "--time", str(_SECONDS // 2)),
                *("--host", "127.0.0.1", "--port", str(server.port), "--username", USER, database.name),
            ],
            env={"PGPASSWORD": PASSWORD, "LANG": "C"},
            capture_output=True,
            text=True,
            check=True,
        )
    found = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    if found is None:
        raise ValueError(f"expected a line tps = …, found {done.stdout}")
    return float(found[1])
