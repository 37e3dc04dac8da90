"""A table made with bets required: no lock without a digest, in the service and in every check of one round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import to_builtins

from api.http.view import show_table
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from api.rounds.tables import add_table, request_close
from api.settings import DEFAULT_TIMEOUT
from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.player.bets import digest, receipts
from fairness.player.round_code import RoundCode
from tests.support.calls import call_of
from tests.support.damage import lose_database
from tests.support.dishonest_operator import ABSENT, KEY, Operator
from tests.support.in_process_service import InProcessService
from verifier.round.bet_check import check_bet
from verifier.round.check import check_round
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.both_databases("rounds are rows")

TABLE = "keno-1"
LINES = [b"7f3a 37 lower 500 AMD", b"c05e 10-37 1000 AMD"]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with one such table, ready to play."""
    made = InProcessService.create(tmp_path / "data")
    add_table(made.service.writer, TABLE, "keno-express", bets_required=True)
    made.settle()
    yield made
    made.stop()


def test_a_lock_without_a_digest_is_refused_before_anything_is_queued(running: InProcessService) -> None:
    """The round stays open, the log does not grow, and with a digest the same round is locked and played."""
    running.open(TABLE, 1)
    before = running.size, running.state(TABLE)
    with pytest.raises(Problem) as refused:
        running.service.rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1))
    assert (refused.value.code, refused.value.code.status) == (Code.BETS_REQUIRED, 400)
    assert "digest" in refused.value.detail
    running.settle()
    assert (running.size, running.state(TABLE), running.status(TABLE, 1)) == (*before, "open")
    running.lock(TABLE, 1)
    running.reveal(TABLE, 1)
    running.play(TABLE)
    assert running.check().tables[TABLE].counts.played == 2


def test_rounds_that_are_given_up_or_abandoned_end_as_always(running: InProcessService) -> None:
    """A void before the lock and a close need no digest; an abandoned lock is revealed after the time-out."""
    running.void(TABLE, 1)
    running.open(TABLE, 2)
    running.lock(TABLE, 2)
    running.clock.step(DEFAULT_TIMEOUT)
    running.settle()
    assert running.status(TABLE, 2) == "played"
    running.open(TABLE, 3)
    request_close(running.service.writer, TABLE)
    for _ in range(6):
        running.settle()
        running.clock.step(GIVEN_UP_GRACE_SECONDS)
    table = running.check().tables[TABLE]
    assert table.closed
    assert (table.counts.played, table.counts.void_never_opened, table.counts.void_opened) == (1, 1, 1)


def test_everybody_sees_it_and_a_rebuild_keeps_it(running: InProcessService) -> None:
    """It is in the table's record, so it is restored from the log alone."""
    assert show_table(running.service.database, running.service.openings, TABLE).bets_required
    add_table(running.service.writer, "optional", "keno-express")
    running.settle()
    assert not show_table(running.service.database, running.service.openings, "optional").bets_required
    running.stop()
    lose_database(running)
    rebuild(running.settings)
    running.start()
    running.open(TABLE, 1)
    with pytest.raises(Problem) as refused:
        running.service.rounds.lock(TABLE, 1, None, call=call_of(TABLE, 1))
    assert refused.value.code is Code.BETS_REQUIRED


def played(without: int | None = None) -> Operator:
    """Four rounds at such a table, one of them with a lock without a digest."""
    operator = Operator()
    operator.table(TABLE, "keno-express", requires_bets=True)
    operator.batch(TABLE, 8)
    for number in range(1, 5):
        operator.lock(TABLE, bets=ABSENT if number == without else to_builtins(digest(LINES)))
        operator.reveal(TABLE)
    return operator


def by_code(operator: Operator, folder: Path) -> None:
    """Check the fourth round by its code."""
    table = operator.tables[TABLE]
    code = RoundCode.of(table.game, table.table_id, 4, table.seeds_of(4))
    check_round(FolderSource(operator.write(folder)), KEY.verifier_key, str(code))


def by_receipt(operator: Operator, folder: Path) -> None:
    """Check a bet on the fourth round by its receipt."""
    receipt = receipts(LINES, table_id=operator.tables[TABLE].table_id, round_number=4)[0]
    check_bet(FolderSource(operator.write(folder)), KEY.verifier_key, bytes(receipt))


@pytest.mark.parametrize(("check", "without"), [(by_code, 4), (by_code, 1), (by_receipt, 4)])
def test_a_check_of_one_round_names_the_lock(
    check: Callable[[Operator, Path], None], without: int, tmp_path: Path
) -> None:
    """The round's own lock, or one that the check reads to show the lead. With a digest in every lock it holds."""
    check(played(), tmp_path / "honest")
    operator = played(without)
    with pytest.raises(CheckFailed) as failed:
        check(operator, tmp_path / "false")
    assert (failed.value.check, failed.value.index) == (Check.BETS_REQUIRED, operator.tables[TABLE].locks[without])
