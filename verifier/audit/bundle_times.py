"""The earliest and the latest time of the records of each bundle: all that an audit keeps of their times (SPEC 8.1).

A table's times never decrease, so of its records in a bundle only the first and the last are looked at.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from fairness.log.tiles import WIDTH
from fairness.times import milliseconds

_OWN = re.compile(rb'"(?:created|committed|salted|locked|revealed|ended|closed)":"([^"]*)"')
_REVEAL, _REVEALED = b'{"outcome":', b'"revealed":"'
_PER_BUNDLE = 5
_FAR = 1 << 62
"""Beyond every time."""

Moment = tuple[int, int]
"""A record's own time, in milliseconds since 1970, and its index."""


def own_time(data: bytes) -> str:
    """Return the time that a known record, which replay accepted, has of itself."""
    # No string in a record has a quotation mark that is not escaped, so this is a key. Only a reveal has keys of
    # others before its own, those of its outcome, and none behind it has that name.
    found = _OWN.search(data, data.rfind(_REVEALED) if data.startswith(_REVEAL) else 0)
    if found is None:
        raise ValueError("every record has a time")
    return found[1].decode()


def moment_of(index: int, data: bytes) -> Moment:
    """Return a record's own time, and its index."""
    return milliseconds(own_time(data)), index


class BundleTimes:
    """Collects them; in five numbers a bundle, which pass between processes as they are."""

    def __init__(self) -> None:
        self._packed = array("q")
        self._ends: dict[int, list[tuple[str, int]]] = {}
        """By bundle: the first and the last time of each table, with the index of the record."""

    def add(self, run: Sequence[tuple[int, bytes]]) -> None:
        """Add some records of one table in their order, each with its index."""
        at = 0
        while at < len(run):
            bundle = run[at][0] // WIDTH
            after = bisect_left(run, ((bundle + 1) * WIDTH,), at)
            ends = [(own_time(data), index) for index, data in (run[at], run[after - 1])]
            self._ends.setdefault(bundle, []).extend(ends)
            at = after

    def end_bundles(self) -> None:
        """End the bundles so far: all their records were added."""
        for bundle, times in self._ends.items():
            (first, first_at), (last, last_at) = min(times), max(times)
            self._packed.extend((bundle, milliseconds(first), first_at, milliseconds(last), last_at))
        self._ends.clear()

    def packed(self) -> bytes:
        """Return all bundles that have ended."""
        return self._packed.tobytes()


class TimesAround:
    """The latest time up to each bundle, and the earliest from each bundle on, of the records of a log from ``start``
    on.
    """

    def __init__(self, packed: Iterable[bytes], start: int, size: int) -> None:
        """Join what several workers collected."""
        self.start, self.size, self._packed = start, size, list(packed)
        self._first = start // WIDTH
        count = max(0, -(-size // WIDTH) - self._first)
        # Arrays, because a log may have millions of bundles.
        self._latest = _Moments(count, -_FAR)
        self._earliest = _Moments(count, _FAR)
        for part in self._packed:
            numbers = array("q", part)
            each = iter(numbers)
            for bundle, first, first_at, last, last_at in zip(*[each] * _PER_BUNDLE, strict=True):
                self._earliest.put(
                    bundle - self._first, min(self._earliest.at(bundle - self._first), (first, first_at))
                )
                self._latest.put(bundle - self._first, max(self._latest.at(bundle - self._first), (last, last_at)))
        for at in range(1, count):
            self._latest.put(at, max(self._latest.at(at - 1), self._latest.at(at)))
        for at in reversed(range(count - 1)):
            self._earliest.put(at, min(self._earliest.at(at), self._earliest.at(at + 1)))

    def then(self, later: TimesAround) -> TimesAround:
        """Return the times of these records and of those that follow them."""
        return TimesAround([*self._packed, *later._packed], self.start, later.size)

    @property
    def latest(self) -> Moment | None:
        """The latest time of all that were read."""
        return self.latest_through(self._first + self._latest.count - 1)

    @property
    def earliest(self) -> Moment | None:
        """The earliest time of all that were read."""
        return self.earliest_from(self._first)

    def latest_through(self, bundle: int) -> Moment | None:
        """Return the latest time up to the end of a bundle, and the last record that has it; `None` if no such record
        was read.
        """
        # The bundle after the last has no record yet.
        found = self._latest.at(min(bundle - self._first, self._latest.count - 1))
        return None if found[0] == -_FAR else found

    def earliest_from(self, bundle: int) -> Moment | None:
        """Return the earliest time from the beginning of a bundle on, and the first record that has it; `None`
        likewise.
        """
        found = self._earliest.at(max(0, bundle - self._first))
        return None if found[0] == _FAR else found


class _Moments:
    """A moment for each bundle, in few bytes."""

    def __init__(self, count: int, default: int) -> None:
        self._times, self._indexes, self._default = array("q", [default]) * count, array("q", [0]) * count, default

    @property
    def count(self) -> int:
        return len(self._times)

    def at(self, number: int) -> Moment:
        if not 0 <= number < len(self._times):
            return self._default, 0
        return self._times[number], self._indexes[number]

    def put(self, number: int, moment: Moment) -> None:
        self._times[number], self._indexes[number] = moment
