"""The service on which the pages are tested: six tables with a dealer, and others on which nobody plays any more."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from api.rounds.tables import add_table
from api.settings import LONGEST_TIMEOUT
from tests.support.running_service import SIX_TABLES, RunningService, initialised, opened, wait_until

PACE_SECONDS = 3.0

STILL_TABLES = {f"still-{game}": game for game in SIX_TABLES.values()}
"""Tables on which nobody plays any more; each has the rounds that are named below."""
PLAYED, VOID, GIVEN_UP, LOCKED, COMMITTED = range(1, 6)
OPEN_TABLES = {f"open-{game}": game for game in SIX_TABLES.values()}
"""Tables whose first round is open and stays open."""
DEALT_TABLE = "dealt-blackjack"
"""A table whose first round is over; players decided in it, and the engine was given the first five cards one call at
a time.
"""

HOSTILE_REASONS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{7*7}} ${7*7} {% raw %} %(a)s",
    "\"'><svg onload=alert(1)>&lt;b&gt;&amp;",
    "</script></style></textarea><!-- ",
    "W" * 200,
)
"""The reasons of void rounds, one per still table: printable ASCII, 200 characters at most, to be shown as mere
text.
"""


@contextmanager
def demo_service(folder: Path) -> Iterator[RunningService]:
    """Run a service in a folder; each of its tables has a revealed round, and the still tables have theirs."""
    service = initialised(folder, SIX_TABLES, batch_size=50)
    try:
        service.start()
        # Unnamed, it would play the others, too.
        with dealing(service, PACE_SECONDS, *SIX_TABLES):
            wait_until(lambda: _everybody_played(service), "a round of each game")
            add_tables(service, STILL_TABLES | OPEN_TABLES | {DEALT_TABLE: "blackjack"})
            for table, reason in zip(STILL_TABLES, HOSTILE_REASONS, strict=True):
                _play_still(service, table, reason)
            _deal(service)
            yield service
    finally:
        service.clean_up()


@contextmanager
def dealing(service: RunningService, pace: float, *tables: str) -> Iterator[None]:
    """The demo's dealer at these tables, or at all."""
    calls = ["--url", service.engine_url, "--pace", str(pace), *tables]
    with subprocess.Popen(
        [sys.executable, "-m", "api.programs.cli", "play", *calls],
        env=os.environ | {"FOREDRAW_TOKEN": service.token},
        stdout=subprocess.DEVNULL,
    ) as dealer:
        try:
            yield
        finally:
            dealer.terminate()


def add_tables(service: RunningService, tables: Mapping[str, str]) -> None:
    """Add tables (name and game) that the dealer does not play, and open the first round of each."""
    with opened(service.settings) as parts:
        for name, game in tables.items():
            add_table(parts.writer, name, game, timeout=LONGEST_TIMEOUT)
    for name in tables:
        wait_until(functools.partial(_is_open, service, name), f"{name} to be committed ahead")


def _is_open(service: RunningService, table: str) -> bool:
    return service.act(table, 1, "open").status == 200


def _everybody_played(service: RunningService) -> bool:
    return all(service.get(f"/v1/tables/{table}/rounds/1").document.get("status") == "played" for table in SIX_TABLES)


def _deal(service: RunningService) -> None:
    service.act(DEALT_TABLE, PLAYED, "lock", {"keep_back": True})
    service.act(DEALT_TABLE, PLAYED, "next", {"count": 5, "position": 1})
    hands = {"dealt": {"player": [1, 3, 5], "dealer": [2, 4]}}
    assert service.act(DEALT_TABLE, PLAYED, "reveal", hands).status == 200


def _play_still(service: RunningService, table: str, reason: str) -> None:
    service.play(table, PLAYED)
    service.act(table, VOID, "open")
    service.act(table, VOID, "lock")
    service.act(table, VOID, "void", {"reason": reason})
    service.act(table, GIVEN_UP, "void", {"reason": reason})
    service.act(table, LOCKED, "open")
    locked = service.act(table, LOCKED, "lock")
    assert locked.status == 200, locked.data
