"""The service's figures, each with a bare measure of the same machine in the same run."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from api.access.tokens import ALL_TABLES, Role, create_token
from api.log.keys import load_signing_key
from api.programs.background.terms import start_sequencer
from api.programs.setup import initialise
from api.rounds.batches import needs_batch
from api.rounds.tables import add_table
from api.service import Service, open_service
from api.settings import Server, Settings
from api.store import statements as sql
from api.store.contents import decode_state
from benchmarks.bare import commits_per_second
from benchmarks.figure import Figure, higher, lower, neutral
from benchmarks.made_log import LogMaker, make_log
from benchmarks.running import Running, bare_application, foredraw, service
from fairness.records.table_state import TableState
from games import GAMES
from games.facts import FACTS

ORIGIN = "bench.example/log"
MANY_TABLES = 64
PLAYING_TABLES = 50
_SECONDS = 8.0


def measure_play() -> Iterator[Figure]:
    """Whole rounds, the wait for an outcome, and reading a round, against bare requests and commits."""
    with _folder() as folder:
        token = _prepare(folder, MANY_TABLES)
        names = table_names(MANY_TABLES)
        # The bare application has normal priority, so what is compared with it must, too.
        with bare_application() as bare, service(folder, token, "--niceness", "0") as running:
            before = _bare_rounds(bare, folder)
            rounds = running.load("rounds", _SECONDS, names)["rate"]
            bare_rounds = (before + _bare_rounds(bare, folder)) / 2
            yield Figure(
                f"whole rounds, {MANY_TABLES} tables at once",
                [
                    higher("", rounds, "/s"),
                    neutral("three bare requests and commits", bare_rounds, "/s"),
                    higher("ratio", rounds / bare_rounds, "", 2),
                ],
                "ratio 0.5 or more",
                met=rounds >= 0.5 * bare_rounds,
            )
            waits = running.load("rounds", _SECONDS, names[:PLAYING_TABLES])
            yield Figure(
                f"from lock to outcome, {PLAYING_TABLES} tables playing",
                [
                    lower("median", waits["median"] * 1000, "ms"),
                    lower("99th percentile", waits["p99"] * 1000, "ms"),
                ],
                "under 80 ms and 250 ms",
                met=waits["median"] < 0.08 and waits["p99"] < 0.25,
            )
            yield from reading(bare, running)


def _bare_rounds(bare: Running, folder: Path) -> float:
    """How often per second three bare requests and three bare commits could be made, one after the other."""
    requests = bare.load("post", _SECONDS / 2, ["/bare"] * MANY_TABLES)["rate"]
    commits = commits_per_second(folder, _SECONDS / 4)
    return 1 / float(3 / requests + 3 / commits)


def reading(bare: Running, running: Running, where: str = "") -> Iterator[Figure]:
    """Reading rounds that have ended, against a route that does nothing; ``where`` says which database they are
    in.
    """
    names = table_names(PLAYING_TABLES)
    plain = bare.load("get", _SECONDS / 2, ["/bare"] * PLAYING_TABLES)["rate"]
    # The first of the two also opens the service's connections to the database, which then stay open.
    again = running.load("get", _SECONDS / 2, [f"/v1/tables/{name}/rounds/1" for name in names])["rate"]
    once = running.load("walk", _SECONDS / 2, names)["rate"]
    plain = (plain + bare.load("get", _SECONDS / 2, ["/bare"] * PLAYING_TABLES)["rate"]) / 2
    for read, which in ((once, "each of them once"), (again, f"{PLAYING_TABLES} of them over and over")):
        yield Figure(
            f"GET of revealed rounds{where}, {which}",
            [higher("", read, "/s"), neutral("bare route", plain, "/s"), higher("ratio", read / plain, "", 2)],
            "ratio 0.7 or more",
            met=read >= 0.7 * plain,
        )


def measure_batches() -> Iterator[Figure]:
    """The CPU time of making and committing a batch of 1000 rounds, over all threads."""
    with _folder() as folder:
        _prepare(folder, 1)
        opened = open_service(Settings(folder))
        start_sequencer(opened, load_signing_key(opened.settings)).turn()
        batches = 20
        started = time.process_time()
        for _ in range(batches):
            opened.batches.commit(_state(opened, "t-0"), FACTS["crash"].default_rules)
        cpu = (time.process_time() - started) / batches
        opened.close()
    measured = lower("CPU time", cpu * 1000, "ms", 1)
    yield Figure("making and committing a batch of 1000", [measured], "under 20 ms", met=cpu < 0.02)


def measure_position() -> Iterator[Figure]:
    """The wait for an outcome at the beginning and at the end of a batch, at a table that plays all of it."""
    with _folder() as folder:
        token = _prepare(folder, 1)
        with service(folder, token) as running:
            waits = running.load("rounds", 3 * _SECONDS, ["t-0"])
    first, last = waits["median_of_first_tenth"], waits["median_of_last_tenth"]
    yield Figure(
        "from lock to outcome by position in the batch",
        [
            lower("first tenth", first * 1000, "ms", 1),
            lower("last tenth", last * 1000, "ms", 1),
            neutral("ratio", last / first, "", 2),
        ],
        "no dependence: ratio within 0.8 to 1.25",
        met=0.8 <= last / first <= 1.25,
    )


def measure_log_size(small: int = 1_000, large: int = 1_000_000) -> Iterator[Figure]:
    """The wait for an outcome on a log of 1,000 and on one of 1,000,000 records."""
    medians = {}
    for records in (small, large):
        with _folder() as folder:
            token = _prepare(folder, 10, records=records)
            with service(folder, token) as running:
                medians[records] = running.load("rounds", _SECONDS, table_names(10))["median"]
    ratio = medians[large] / medians[small]
    yield Figure(
        "from lock to outcome by size of the log",
        [
            *(lower(f"{records:,} records", medians[records] * 1000, "ms", 1) for records in (small, large)),
            neutral("ratio", ratio, "", 2),
        ],
        "no dependence: ratio within 0.8 to 1.25",
        met=0.8 <= ratio <= 1.25,
    )


@contextmanager
def prepared(tables: int, *, records: int = 0, server: Server | None = None) -> Iterator[tuple[Path, str]]:
    """The folder and the token of a service, ready to play, with this many tables and a log of this many records."""
    with _folder() as folder:
        yield folder, _prepare(folder, tables, records=records, server=server)


@contextmanager
def with_history(records: int, kind: type[LogMaker]) -> Iterator[tuple[Path, list[str]]]:
    """The folder of a service whose log has this many records, of tables that are closed; and codes of its rounds."""
    with _folder() as folder:
        settings = Settings(folder)
        initialise(settings, ORIGIN)
        yield folder, list(_make_history(settings, records, kind).codes.values())


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="foredraw-bench-") as name:
        yield Path(name) / "data"


def table_names(count: int) -> list[str]:
    """The names of the tables."""
    return [f"t-{i}" for i in range(count)]


def _prepare(folder: Path, tables: int, *, records: int = 0, server: Server | None = None) -> str:
    """Make a service with tables whose first batches are published and a log of this many records; returns its
    token.
    """
    settings = Settings(folder, server=server)
    initialise(settings, ORIGIN)
    if records:
        _make_history(settings, records, LogMaker)
    opened = open_service(settings)
    games = sorted(GAMES)
    for i, name in enumerate(table_names(tables)):
        add_table(opened.writer, name, games[i % len(games)])
    token = create_token(opened.database, opened.clock, "bench", Role.ENGINE, [ALL_TABLES])
    sequencer, keeper = start_sequencer(opened, load_signing_key(settings)), opened.keeper()
    while any(needs_batch(_state(opened, name), settings.batch_size) for name in table_names(tables)):
        keeper.turn()
        sequencer.turn()
    opened.close()
    return token


def _make_history(settings: Settings, records: int, kind: type[LogMaker]) -> LogMaker:
    """Write an earlier history of the same log at once; the database is rebuilt from it."""
    shutil.rmtree(settings.log)
    maker = make_log(settings.log, records // 2, load_signing_key(settings), kind=kind, close=True)
    foredraw(settings.folder, "rebuild", server=settings.server)
    opened = open_service(settings)
    # That history ended on a date in `made_log`, and a clock that far ahead of it must be confirmed.
    opened.timekeeper.confirm(datetime.now(UTC))
    opened.close()
    return maker


def _state(opened: Service, table: str) -> TableState:
    with opened.database.read() as connection:
        return decode_state(sql.ONE_TABLE.one(connection, name=table).queued_state)
