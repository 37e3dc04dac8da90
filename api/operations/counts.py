"""What the processes of a service count together, for `/metrics`: refusals by code, and how long locks waited for
outcomes.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, count

from api.problems import Code
from api.world.shared_count import SharedCount

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Upper ends of the histogram's buckets, in seconds. A lock that gets no outcome within a second is answered 202."""
_MICROSECONDS = 1_000_000


class Histogram:
    """How many times something took how long."""

    def __init__(self, places: count[int]) -> None:
        self._buckets = [SharedCount(next(places)) for _ in (*BOUNDS, None)]
        self._microseconds = SharedCount(next(places))

    def observe(self, seconds: float, *, in_time: bool = True) -> None:
        """Count one. One that is not ``in_time`` has not ended by now, and belongs beyond all bounds."""
        bucket = next((at for at, bound in enumerate(BOUNDS) if in_time and seconds <= bound), len(BOUNDS))
        self._buckets[bucket].add()
        self._microseconds.add(int(seconds * _MICROSECONDS))

    def cumulated(self) -> list[int]:
        """Count, for each bound, how many took no longer; the last number is of all."""
        return list(accumulate(bucket.total for bucket in self._buckets))

    @property
    def seconds(self) -> float:
        """How many seconds all of them took together."""
        return self._microseconds.total / _MICROSECONDS


class Counts:
    """All counts, each at its own place of the shared memory: the order below is the same in all processes."""

    def __init__(self) -> None:
        places = count()
        self.malformed = SharedCount(next(places))
        self.refusals = {code: SharedCount(next(places)) for code in Code}
        self.locks = Histogram(places)


@cache
def counts() -> Counts:
    """Return the counts that this process adds to."""
    return Counts()
