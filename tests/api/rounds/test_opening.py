"""What stands before a round is opened: the custodian is asked outside of the transaction, and no known outcome is
offered again.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from api.answers.rounds import Ended, LockedOutcome
from api.custody.custodian import Custodian
from api.custody.mark import Mark
from api.problems import Code, Problem
from tests.support.calls import call_of
from tests.support.in_process_service import InProcessService
from tests.support.running_service import PATIENCE_SECONDS

CRASH = [("crash-1", "crash"), ("crash-2", "crash")]


@pytest.mark.parametrize("call", ["open", "lock"])
def test_no_other_table_waits_while_the_custodian_works(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another table's lock is answered while the custodian looks up the mark for an opening or a lock."""
    running = InProcessService.create(tmp_path / "data", tables=CRASH)
    rounds, read = running.service.rounds, Custodian.mark
    slow = running.state("crash-1").table_id
    rounds.open("crash-2", 1)
    if call == "lock":
        rounds.open("crash-1", 1)
    asked, answered = threading.Event(), threading.Event()

    def sleep(custodian: Custodian, table_id: bytes) -> Mark | None:
        if table_id == slow:
            asked.set()
            assert answered.wait(PATIENCE_SECONDS)
        return read(custodian, table_id)

    monkeypatch.setattr(Custodian, "mark", sleep)
    calls = {
        "open": lambda: rounds.open("crash-1", 1),
        "lock": lambda: rounds.lock("crash-1", 1, None, call=call_of("crash-1", 1)),
    }
    calling = threading.Thread(target=calls[call])
    calling.start()
    try:
        assert asked.wait(PATIENCE_SECONDS)
        locking = threading.Thread(target=running.locking, args=("crash-2", 1), daemon=True)
        locking.start()
        locking.join(PATIENCE_SECONDS / 10)
        assert not locking.is_alive(), "the lock waits for the custodian of another table"
    finally:
        answered.set()
        calling.join()
    assert isinstance(rounds.lock("crash-1", 1, None, call=call_of("crash-1", 1)).answer, LockedOutcome)
    running.stop()


def copy_over(source: Path, target: Path) -> None:
    """What an operator does who puts a copy back with SQLite's own backup, which writes into the open file."""
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        here.backup(there)


@pytest.mark.one_database("SQLite's backup; tests/api/store/postgres has an older database behind an address")
@pytest.mark.parametrize("moment", ["committed", "open"])
def test_a_database_put_back_under_the_service_offers_no_known_outcome(tmp_path: Path, moment: str) -> None:
    """Neither its opening nor its lock is answered, not once, although this process has played the table's rounds
    before.
    """
    running = InProcessService.create(tmp_path / "data", tables=CRASH[:1])
    rounds, kept = running.service.rounds, tmp_path / "kept.db"
    for number in (1, 2, 3):
        if number == 3 and moment == "committed":
            copy_over(running.settings.database, kept)
        rounds.open("crash-1", number)
        if number == 3 and moment == "open":
            copy_over(running.settings.database, kept)
        assert isinstance(rounds.lock("crash-1", number, None, call=call_of("crash-1", number)).answer, LockedOutcome)
        assert isinstance(rounds.reveal("crash-1", number), Ended)
    copy_over(kept, running.settings.database)
    for _ in range(2):
        with pytest.raises(Problem) as refused:
            rounds.open("crash-1", 3)
        assert refused.value.code is Code.SEEDS_UNAVAILABLE
        assert (
            "the database is older than the published log. Stop the service and run `foredraw rebuild`"
            in refused.value.detail
        )
    with pytest.raises(Problem) as refused:
        rounds.lock("crash-1", 3, None, call=call_of("crash-1", 3))
    assert refused.value.code is {"committed": Code.OUT_OF_ORDER, "open": Code.SEEDS_UNAVAILABLE}[moment]
    running.stop()
