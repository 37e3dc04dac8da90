"""Every rule about records, broken once: the check that detects it, and the record.

The lies are in ``tests/lies``. Each is told in the middle of an honest log, by an operator that signs
what it wrote; after it, an unrelated table continues to play.
"""

from __future__ import annotations

import doctest

import msgspec
import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.records import replay as replay_module
from fairness.records.replay import Replay
from games import GAMES
from tests.lies import Lie, history, started
from tests.lies.catalogue import LIES, told
from tests.support.dishonest_operator import ORIGIN, Operator

every_lie = pytest.mark.parametrize("lie", LIES, ids=str)


def replayed(operator: Operator) -> Replay:
    """Replay a whole log; an error names the record that is refused."""
    replay = Replay(ORIGIN, GAMES)
    for index, data in enumerate(operator.records):
        try:
            replay.advance(data)
        except CheckFailed as error:
            raise error.at(index=index) from error
    return replay


def test_the_example_at_the_top_of_replay_runs_as_printed() -> None:
    """It is what a newcomer reads first."""
    results = doctest.testmod(replay_module)
    assert results.attempted > 10
    assert results.failed == 0


def test_the_honest_log_is_accepted() -> None:
    """The log in which the lies are told is honest, and counted as it was played."""
    found = replayed(started()).tables
    counts = {name: (table.counts.played, table.next_round, table.committed_through) for name, table in found.items()}
    assert counts == {"keno-1": (5, 6, 12), "crash-1": (2, 3, 20), "sic-bo-1": (0, 1, 10)}


def test_a_long_honest_history_is_accepted() -> None:
    """Six games, every kind of end, eight custodians: all figures agree."""
    found = replayed(history()).tables
    counts = {name: (table.counts.played, table.counts.void, table.counts.unused) for name, table in found.items()}
    assert counts == {f"{game}-1": (5, 0, 0) for game in GAMES} | {
        "keno-express-1": (25, 4, 0),
        "eight": (30, 0, 10),
        "unused": (0, 0, 40),
    }
    distances = {
        name: table.smallest_distance for name, table in found.items() if table.smallest_distance is not None
    }
    assert distances == {"keno-express-1": 2, "eight": 2}
    ends = found["keno-express-1"].counts
    assert (ends.void_never_opened, ends.void_opened, ends.void_locked) == (2, 1, 1)
    assert {name for name, table in found.items() if table.closed} == {"eight", "unused"}
    assert {name for name, table in found.items() if not table.batches} == {"eight", "unused"}


def test_the_smallest_distance_is_counted_in_played_rounds() -> None:
    """Consecutive rounds that are given up bring the commitment nearer to the round; the smallest distance is
    reported.
    """
    operator = Operator()
    operator.table("x", "keno-express")
    operator.batch("x", 4)
    operator.play("x", 2)
    operator.batch("x", 6)
    # Between batch 2 and its round 5 only round 3 is played; between batch 2 and its round 6, 3 and 5.
    operator.play("x").drop("x").play("x", 2)
    assert replayed(operator).tables["x"].smallest_distance == 1


@every_lie
def test_replay_refuses_the_lie(lie: Lie) -> None:
    """Everything before the false record is accepted; the false record breaks the intended rule."""
    operator, index = told(lie)
    with pytest.raises(CheckFailed) as refused:
        replayed(operator)
    assert (refused.value.check, refused.value.index) == (lie.check, index)


@every_lie
def test_a_refused_record_leaves_no_trace(lie: Lie) -> None:
    """After the refusal, every table's state is what it was before, byte for byte."""
    operator, index = told(lie)
    replay = Replay(ORIGIN, GAMES)
    for data in operator.records[:index]:
        replay.advance(data)
    before = msgspec.json.encode(replay.tables)
    with pytest.raises(CheckFailed):
        replay.advance(operator.records[index])
    assert msgspec.json.encode(replay.tables) == before


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie.has_honest_twin], ids=str)
def test_the_same_steps_told_honestly_are_accepted(lie: Lie) -> None:
    """Only the lie is refused, nothing else in its log."""
    operator, _ = told(lie, honest=True)
    assert replayed(operator).tables["sic-bo-1"].counts.played == 1


@pytest.mark.parametrize("lie", [lie for lie in LIES if not lie.has_honest_twin], ids=str)
def test_without_the_misplaced_record_the_log_is_accepted(lie: Lie) -> None:
    """Only the misplaced record is refused; nothing after it depends on it."""
    operator, index = told(lie)
    del operator.records[index]
    assert replayed(operator).tables["sic-bo-1"].counts.played == 1


def test_no_two_lies_have_the_same_name() -> None:
    """Names identify cases."""
    assert len({lie.name for lie in LIES}) == len(LIES)


RECORD_CHECKS = list(Check)[: list(Check).index(Check.NOTE_FORM)]
UNREACHABLE = {Check.BATCH_LAST}
"""No log is long enough to reach round 2^48; ``test_limits`` starts just before it."""


def test_every_check_on_records_has_its_lie() -> None:
    """No rule of replay is without a case that breaks it."""
    assert {lie.check for lie in LIES} == set(RECORD_CHECKS) - UNREACHABLE


def test_rounds_are_counted_one_by_one() -> None:
    """Several of each kind, in each class: all counts accumulate."""
    operator = started()
    for times in range(1, 3):
        operator.lock("crash-1")
        operator.void("crash-1")
        operator.give_up("crash-1", was_open=True)
        operator.reveal("crash-1")
        operator.drop("crash-1")
        counts = replayed(operator).tables["crash-1"].counts
        assert (counts.played, counts.void_locked, counts.void_opened, counts.void_never_opened) == (2, *[times] * 3)
