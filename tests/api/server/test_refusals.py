"""Refusals of calls without a token have a limited rate; the wait for the next one depends on the earlier ones."""

from __future__ import annotations

import pytest

from api.server.refusals import AT_ONCE, LONGEST_WAIT, PER_SECOND, Refusals


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The time now."""
        return self.now


@pytest.fixture
def time() -> Time:
    """A clock that only the test moves."""
    return Time()


@pytest.fixture
def refusals(time: Time) -> Refusals:
    """The refusals of a process that has not made any yet."""
    return Refusals(time)


def test_some_are_made_at_once_and_the_next_one_after_another(refusals: Refusals) -> None:
    """Each waits longer, so that the rate is constant."""
    assert [refusals.next() for _ in range(AT_ONCE)] == pytest.approx([0.0] * AT_ONCE)
    assert [refusals.next() for _ in range(3)] == pytest.approx([n / PER_SECOND for n in (1, 2, 3)])


def test_nobody_waits_longer_than_the_longest_wait(refusals: Refusals, time: Time) -> None:
    """However many earlier callers there were: most have disconnected or were closed since."""
    waits = [refusals.next() for _ in range(AT_ONCE + 100 * PER_SECOND)]
    assert max(waits) == waits[-1] == LONGEST_WAIT
    time.now += LONGEST_WAIT
    assert refusals.next() == pytest.approx(1 / PER_SECOND)


def test_after_a_time_without_any_some_are_made_at_once_again(refusals: Refusals, time: Time) -> None:
    """As many as fit into that time, never more than at the beginning."""
    for passed, at_once in ((0.0, AT_ONCE), (5 / PER_SECOND, 5), (3600.0, AT_ONCE)):
        time.now += passed
        waits = [refusals.next() for _ in range(AT_ONCE)]
        assert sum(wait < 1e-9 for wait in waits) == at_once
        time.now += waits[-1]
