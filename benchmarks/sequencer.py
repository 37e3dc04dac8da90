"""Records through the sequencer into a folder: from the commit that queues them to the checkpoint that covers them.

The records are a made log's, queued again by another process, ``python -m benchmarks.sequencer``, at a steady pace.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from api.log.keys import load_signing_key
from api.log.recovery import records_between
from api.programs.background.run import SEQUENCER_SECONDS
from api.programs.background.terms import start_sequencer
from api.programs.setup import initialise
from api.service import open_service
from api.settings import Server, Settings
from api.sql.connection import Connection
from api.store import statements as sql
from api.store.models import QueuedRow
from api.store.schema import disposed, open_database
from benchmarks.figure import Figure, higher, lower
from benchmarks.made_log import make_log
from benchmarks.running import on
from fairness.records.record import encode_record
from games import GAMES
from tests.support.postgres import postgres_server

_ORIGIN = "bench.example/log"
_SECONDS = 6
_PACES = (2_000, 20_000)
_MANY_TABLES = 1_000
_STEP_SECONDS = 0.01
_MOST_WAITING_SECONDS = 30.0
"""After the last record was queued."""


def measure_sequencer() -> Iterator[Figure]:
    """At two paces and on both databases: how many records a second are published, and how late."""
    with postgres_server(durable=True) as server:
        for pace in _PACES:
            for name, database in (("PostgreSQL", server.new_database()), ("SQLite", None)):
                rate, waits = _published(pace, database)
                late = waits[len(waits) * 99 // 100] * 1000
                quantities = [
                    higher("", rate, "/s"),
                    lower("median from commit to checkpoint", waits[len(waits) // 2] * 1000, "ms"),
                    lower("99th percentile", late, "ms"),
                ]
                what = f"records published from {name}, {pace:,}/s queued"
                if pace == min(_PACES):
                    yield Figure(what, quantities, "99th percentile under 300 ms", met=late < 300)
                else:
                    yield Figure(what, quantities, "20,000/s", met=rate >= 0.97 * pace)


def measure_many_tables() -> Iterator[Figure]:
    """The same at the slower pace, from PostgreSQL, with many tables: each has files of its own among the finding
    aids.
    """
    with postgres_server(durable=True) as server:
        _, waits = _published(min(_PACES), server.new_database(), ["keno-express"] * _MANY_TABLES)
    late = waits[len(waits) * 99 // 100] * 1000
    quantities = [
        lower("median from commit to checkpoint", waits[len(waits) // 2] * 1000, "ms"),
        lower("99th percentile", late, "ms"),
        lower("longest", waits[-1] * 1000, "ms"),
    ]
    what = f"records of {_MANY_TABLES:,} tables published, {min(_PACES):,}/s queued"
    yield Figure(what, quantities, "99th percentile under 300 ms", met=late < 300)


def _published(pace: int, server: Server | None, games: Sequence[str] = tuple(GAMES)) -> tuple[float, list[float]]:
    """Records published per second, and how long each step of them waited, in order."""
    with TemporaryDirectory(prefix="foredraw-bench-") as name:
        place = Path(name)
        settings = Settings(place / "data", server=server)
        initialise(settings, _ORIGIN)
        key = load_signing_key(settings)
        (place / "made").mkdir()
        make_log(place / "made", pace * _SECONDS // 2, key, games=games)
        with closing(open_service(settings)) as service:
            sequencer = start_sequencer(service, key)
            # A table and its first batch for each game.
            begun_with = 2 * len(games)
            service.database.write(partial(_enqueue, _rows(place / "made")[:begun_with]))
            while sequencer.turn():
                pass
            # As the supervisor does before it forks the background program: what was there before is no garbage.
            gc.freeze()
            ends: list[tuple[int, float]] = []
            size, last = 0, time.monotonic()
            with _feeder(settings, place / "made", pace, begun_with) as feeder:
                while feeder.poll() is None or time.monotonic() < last + _MOST_WAITING_SECONDS:
                    begun = time.monotonic()
                    if done := sequencer.turn():
                        size, last = size + done, time.monotonic()
                        ends.append((size, last))
                    elif feeder.poll() is not None:
                        break
                    time.sleep(max(0.0, SEQUENCER_SECONDS - (time.monotonic() - begun)))
                output, _ = feeder.communicate()
    queued: list[tuple[int, float]] = json.loads(output)
    sizes = [end for end, _ in ends]
    waits = sorted(ends[bisect_right(sizes, count - 1)][1] - at for count, at in queued)
    return (ends[-1][0] - ends[0][0]) / (ends[-1][1] - ends[0][1]), waits


def _feeder(settings: Settings, made: Path, pace: int, start: int) -> subprocess.Popen[str]:
    environment = {**os.environ, **on(settings.server)}
    command = [sys.executable, "-m", "benchmarks.sequencer", str(settings.folder), str(made), str(pace), str(start)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def _rows(made: Path) -> list[QueuedRow]:
    """The records of a made log as rows of the queue."""
    size = int((made / "checkpoint").read_text().splitlines()[1])
    records = records_between(lambda path: (made / path).read_bytes(), 0, size)
    return [QueuedRow(record.table, encode_record(record)) for _, record in records]


def _feed(folder: Path, made: Path, pace: int, start: int) -> list[tuple[int, float]]:
    """Queue the records of a made log from ``start`` on; returns after each commit how many are queued, and when."""
    rows = _rows(made)[start:]
    address = os.environ.get("FOREDRAW_DATABASE")
    settings = Settings(folder, server=None if address is None else Server.parse(address))
    queued: list[tuple[int, float]] = []
    with disposed(open_database(settings)) as database:
        begun, done = time.monotonic(), 0
        while done < len(rows):
            due = min(len(rows), int((time.monotonic() - begun) * pace))
            if due > done:
                database.write(partial(_enqueue, rows[done:due]))
                done = due
                queued.append((done, time.monotonic()))
            time.sleep(_STEP_SECONDS)
    return queued


def _enqueue(rows: list[QueuedRow], connection: Connection) -> None:
    sql.ENQUEUE.run_many(connection, rows)


if __name__ == "__main__":
    print(msgspec.json.encode(_feed(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))).decode())
