"""How long to wait before a log is read again."""

from __future__ import annotations

from collections.abc import Callable

LONGEST_PAUSE = 300.0
"""Seconds; if the usual pause is longer than this, it does not grow."""


class BackOff:
    """The user's interval; if a log cannot be read, growing pauses, not in step with other watches."""

    def __init__(self, every: float, random: Callable[[], float]) -> None:
        """``random`` gives numbers from 0 to 1."""
        self._every, self._random, self._failures = every, random, 0

    def pause(self, *, readable: bool) -> float:
        """Return the seconds until the next turn, after one that could read the log or could not."""
        if readable:
            self._failures = 0
            return self._every
        longest = max(self._every, LONGEST_PAUSE)
        # The exponent has a limit, however long a log cannot be read.
        whole = min(longest, self._every * (1 << min(self._failures, 30)))
        self._failures += 1
        return whole * (1 + self._random()) / 2
