"""Rounds with the state in PostgreSQL, against what the same server does without us."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from api.programs.serve import WORKERS
from api.sql.postgres import CONNECTIONS
from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.running import service
from benchmarks.service import MANY_TABLES, PLAYING_TABLES, prepared, table_names
from tests.support.postgres import PASSWORD, USER, PostgresServer, postgres_server, program

_SECONDS = 8
_CALLS = 3
"""Durable transactions of engines in a round: open, lock and reveal."""
_ROW = "INSERT INTO bare (data) VALUES (repeat('x', 200));\n"


def measure_postgres() -> Iterator[Figure]:
    """Whole rounds, and the wait for an outcome, on a durable PostgreSQL of this machine, against pgbench on the same one."""
    with postgres_server(durable=True) as server:
        database = server.new_database()
        with prepared(MANY_TABLES, server=database) as (folder, token):
            names = table_names(MANY_TABLES)
            before = _transactions_per_second(server)
            environment = {"FOREDRAW_DATABASE": database.secret_address}
            with service(folder, token, "--niceness", "0", environment=environment) as running:
                rounds = running.load("rounds", _SECONDS, names)["rate"]
                waits = running.load("rounds", _SECONDS, names[:PLAYING_TABLES])
            bare = (before + _transactions_per_second(server)) / 2
    yield Figure(
        f"whole rounds in PostgreSQL, {MANY_TABLES} tables at once",
        [
            higher("", rounds, "/s"),
            neutral(f"{_CALLS} bare durable transactions", bare / _CALLS, "/s"),
            higher("ratio", rounds / bare * _CALLS, "", 2),
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
