"""A log of more than 70,000 records, all published by the service's own sequencer.

Sixty-four tables play at once: an engine locks a round on every table before the sequencer takes one
turn for all, as it does when engines call at the same time. Some rounds are given up, some voided,
and a few tables are closed in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from api.answers.rounds import Ended, Pending
from api.rounds.tables import request_close
from fairness.log.notes import VerifierKey
from games import GAMES
from tests.support.calls import call_of
from tests.support.in_process_service import VOID_REASON, InProcessService, bets_of

RECORDS = 70_000
TABLES = 64
_BATCH_SIZE = 150
_GIVEN_UP, _VOID = 40, 41
"""Every fortieth round is given up, and the next one voided after its lock."""
_CLOSED = 5


@dataclass(frozen=True, slots=True)
class LargeLog:
    """The folder of a log, its key, and every checkpoint that was signed, oldest first."""

    folder: Path
    key: VerifierKey
    checkpoints: list[bytes]


@contextmanager
def large_log() -> Iterator[LargeLog]:
    """Make the log, and remove it afterwards."""
    # No crash is tested here, so the log is in memory, where its many commits are fast.
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="foredraw-", dir=memory if memory.is_dir() else None) as name:
        games = sorted(GAMES)
        tables = [(f"{games[i % len(games)]}-{i}", games[i % len(games)]) for i in range(TABLES)]
        running = InProcessService.create(Path(name) / "data", batch_size=_BATCH_SIZE, tables=tables)
        number = 0
        while running.size < RECORDS:
            number += 1
            _play_everywhere(running, [table for table, _ in tables], number)
        for table, _ in tables[:_CLOSED]:
            request_close(running.service.writer, table)
        running.settle()
        running.stop()
        yield LargeLog(running.settings.log, running.key, running.disk.checkpoints)


def _play_everywhere(running: InProcessService, tables: list[str], number: int) -> None:
    service, given_up = running.service, number % _GIVEN_UP == 0
    running.keeper.turn()
    with running.background_paused():
        for table in tables:
            if given_up:
                assert isinstance(service.rounds.void(table, number, VOID_REASON), Pending)
            else:
                service.rounds.open(table, number)
                locking = service.rounds.lock(table, number, bets_of(table, number), call=call_of(table, number))
                assert not locking.is_published
    running.turn()
    for table in tables:
        if given_up or number % _VOID == 0:
            running.void(table, number)
        else:
            assert isinstance(service.rounds.reveal(table, number), Ended)
