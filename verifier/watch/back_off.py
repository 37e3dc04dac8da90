"""How long to wait before a log is looked at again."""

from __future__ import annotations

from collections.abc import Callable

LONGEST_PAUSE = 300.0
"""Seconds; a log that is looked at less often than this is not waited for longer than usual."""


class BackOff:
    """As often as the user wishes; if a log cannot be read, less and less often, and not in step with other watches."""

    def __init__(self, every: float, random: Callable[[], float]) -> None:
        """``random`` gives numbers from 0 to 1."""
        self._every, self._random, self._failures = every, random, 0

    def pause(self, *, readable: bool) -> float:
        """Seconds until the next turn, after one that could read the log or could not."""
        if readable:
            self._failures = 0
            return self._every
        longest = max(self._every, LONGEST_PAUSE)
        # No number grows without end, however long a log stays away.
        whole = min(longest, self._every * (1 << min(self._failures, 30)))
        self._failures += 1
        return whole * (1 + self._random()) / 2
