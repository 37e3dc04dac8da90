"""Calls of one name: one at a time, and those that wait are answered together."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from api.sharing.named_locks import NamedLocks, StillTaken
from api.sharing.together import Together
from tests.support.running_service import wait_until

NAME = "crash-1"


class Shelf:
    """Where things are read: each reading takes until it is let go, and doubles what is wanted; 13 brings bad
    luck.
    """

    def __init__(self, patience_seconds: float = 60) -> None:
        self.readings: list[set[int]] = []
        self.go_on = Event()
        self.together = Together(self._read, patience_seconds)

    def _read(self, _: str, wanted: AbstractSet[int]) -> Mapping[int, int]:
        self.readings.append(set(wanted))
        assert self.go_on.wait(60)
        if 13 in wanted:
            raise LookupError("13")
        return {number: 2 * number for number in wanted if number < 100}

    def waiting(self) -> set[int]:
        """What is wanted by the calls that wait for the present reading to end."""
        return set().union(*(group.wanted for group in self.together._forming.values()))


def asked(shelf: Shelf, threads: ThreadPoolExecutor, first: int, *others: int) -> list[Future[int | None]]:
    """Calls for these things; the others come while the first is being read, and then the readings end."""
    calls = [threads.submit(shelf.together.find, NAME, first)]
    wait_until(lambda: shelf.readings == [{first}], "the first reading")
    calls += [threads.submit(shelf.together.find, NAME, number) for number in others]
    wait_until(lambda: shelf.waiting() == set(others), "all others to wait")
    shelf.go_on.set()
    return calls


def test_calls_that_wait_are_answered_by_one_reading_that_begins_after_them() -> None:
    """A crowd of any size waits for two readings at most; what is not found is said to be so."""
    shelf = Shelf()
    with ThreadPoolExecutor(8) as threads:
        calls = asked(shelf, threads, 1, 2, 3, 4, 100)
        assert [call.result(60) for call in calls] == [2, 4, 6, 8, None]
    assert shelf.readings == [{1}, {2, 3, 4, 100}]
    assert shelf.together.find(NAME, 1) == 2
    assert shelf.readings[2:] == [{1}]


def test_after_a_reading_of_many_that_fails_each_call_looks_by_itself() -> None:
    """What failed may be no thing of theirs; who wanted that thing alone, sees the failure."""
    shelf = Shelf()
    with ThreadPoolExecutor(8) as threads:
        calls = asked(shelf, threads, 1, 12, 13, 14)
        assert [call.result(60) for call in calls] == [2, None, None, None]
    assert shelf.readings == [{1}, {12, 13, 14}]
    with pytest.raises(LookupError, match="13"):
        shelf.together.find(NAME, 13)


def test_nobody_waits_for_another_name_or_without_end() -> None:
    """A call that has waited for long enough looks by itself, and the next reading is as any other."""
    shelf = Shelf(patience_seconds=0.01)
    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(shelf.together.find, NAME, 1)
        wait_until(lambda: shelf.readings == [{1}], "the first reading")
        assert shelf.together.find(NAME, 2) is None
        other = threads.submit(shelf.together.find, "crash-2", 5)
        wait_until(lambda: shelf.readings == [{1}, {5}], "the reading of the other name")
        shelf.go_on.set()
        assert (first.result(60), other.result(60)) == (2, 10)
        assert shelf.together.find(NAME, 3) == 6


def test_a_turn_that_does_not_come_is_reported() -> None:
    """And nothing is remembered of names that nobody waits for."""
    turns = NamedLocks()
    with (
        turns.take(NAME, 0),
        turns.take("crash-2", 0),
        pytest.raises(StillTaken, match=NAME),
        turns.take(NAME, 0.01),
    ):
        raise AssertionError
    with turns.take(NAME, 0):
        assert set(turns._locks) == {NAME}
    assert not turns._locks
