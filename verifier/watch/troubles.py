"""Temporary troubles are reported once; those that last become alarms, once each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class _Trouble:
    since: float
    due: float
    reported: bool = False


class Lasting:
    """The present troubles and when each began, by a clock that nobody can set."""

    def __init__(self, patience: float) -> None:
        """A trouble lasts when it is ``patience`` seconds old."""
        self._patience = patience
        self._troubles: dict[Hashable, _Trouble] = {}

    def begin(self, what: Hashable, now: float, *, after: float = 0.0) -> bool:
        """Take note of a trouble; returns whether it is new. Patience begins ``after`` so many seconds."""
        return self._troubles.setdefault(what, _Trouble(now, now + after + self._patience)).since == now

    def is_due(self, what: Hashable, now: float) -> bool:
        """Return whether it lasts and was not reported yet; from then on it counts as reported."""
        trouble = self._troubles.get(what)
        if trouble is None or trouble.reported or now < trouble.due:
            return False
        trouble.reported = True
        return True

    def end(self, what: Hashable) -> bool:
        """Take note that a trouble is over; returns whether there was one."""
        return self._troubles.pop(what, None) is not None

    def is_present(self, what: Hashable) -> bool:
        """Return whether there is such a trouble now."""
        return what in self._troubles

    def was_told(self, what: Hashable) -> bool:
        """Return whether the alarm was raised."""
        return what in self._troubles and self._troubles[what].reported

    def next_due(self, now: float) -> float | None:
        """Return when the next of them will count as lasting, if there is one."""
        due = (trouble.due for trouble in self._troubles.values() if not trouble.reported)
        return min((moment for moment in due if moment > now), default=None)
