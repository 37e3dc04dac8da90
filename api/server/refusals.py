"""How fast a process makes refusals that anybody can provoke without end: no token, the wrong listener, no HTTP.

A refusal costs almost as much as the answer to an engine. Some are made at once; if more are asked for, they are
spread out, and the callers wait. A caller who waits takes a place, and is the first whose connection is closed when
places run out.
"""

from __future__ import annotations

import time
from collections.abc import Callable

AT_ONCE = 10
"""Refusals that are made without a wait, after a time without any."""
PER_SECOND = 5
LONGEST_WAIT = 3.0
"""Seconds: less than gunicorn leaves to requests when it ends."""


class Refusals:
    """The pace of one process's refusals."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made = float("-inf")
        """When the last one would have been made at a steady pace: the further back, the more may be made at once."""

    def next(self) -> float:
        """Return for how many seconds the next refusal has to wait."""
        now = self._clock()
        earliest = max(self._made, now - AT_ONCE / PER_SECOND) + 1 / PER_SECOND
        self._made = min(earliest, now + LONGEST_WAIT)
        return max(0.0, self._made - now)
