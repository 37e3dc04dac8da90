"""What a witness's terminal shows: growth now and then, each trouble once, and alarms at once (as `watch` does).

A trouble that comes and goes is reported when it comes back, and then once more when it has stayed away for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fairness.errors import CheckFailed
from verifier.watch.events import Event, EventKind

GROWTH_EVERY = 10.0
"""Seconds between two reports that the log grew."""
PATIENCE = 300.0
"""Seconds after which a log that cannot be read is an alarm, as for `watch`."""
STEADY = 10.0
"""Seconds after which a trouble that came back is over."""


@dataclass(slots=True)
class _Trouble:
    begun: float
    since: float
    """When it came last; that is ``begun``, unless it comes and goes."""
    times: int = 1
    """How often it was met."""
    over_since: float | None = None
    """Since when it is not met any more, until it is forgotten."""
    comes_and_goes: bool = False
    is_alarm: bool = False


@dataclass(slots=True)
class News:
    """Reports events, and no event twice as long as it lasts."""

    report: Callable[[Event], None]
    clock: Callable[[], float] = time.monotonic
    """Seconds, never set."""
    _standing: dict[str, _Trouble] = field(default_factory=dict)
    """What lasts, by the words for its end."""
    _announced: set[str] = field(default_factory=set)
    _next_growth: float = float("-inf")
    _records: int = 0
    _cosigned: int = 0

    def announce(self, kind: EventKind, text: str, size: int) -> None:
        """Report something."""
        self.report(Event(kind, text, size))

    def announce_once(self, kind: EventKind, text: str, size: int) -> None:
        """Report something that is to be read once in a run."""
        if text not in self._announced:
            self._announced.add(text)
            self.announce(kind, text, size)

    def begin(self, kind: EventKind, text: str, size: int, *, over: str, failure: CheckFailed | None = None) -> None:
        """Report a trouble or an alarm that may end; ``over`` is what is said then."""
        self.look(size)
        now, known = self.clock(), self._standing.get(over)
        if known is None:
            self._standing[over] = _Trouble(now, now)
            self.report(Event(kind, text, size, failure))
            return
        known.times += 1
        if known.over_since is not None:
            known.over_since, known.since, known.is_alarm = None, now, False
            if not known.comes_and_goes:
                known.comes_and_goes = True
                self.report(Event(kind, f"again, {text}", size, failure))

    def begin_unreadable(self, text: str, size: int, *, over: str) -> None:
        """Report that the log cannot be read: a trouble, and an alarm when it lasts."""
        self.begin(EventKind.TROUBLE, text, size, over=over)
        trouble = self._standing[over]
        if not trouble.is_alarm and self.clock() >= trouble.since + PATIENCE:
            trouble.is_alarm = True
            self.announce(EventKind.UNREADABLE, f"for {PATIENCE:g} s now, {text}", size)

    def end(self, over: str, size: int) -> None:
        """End a trouble, if there was one."""
        known = self._standing.get(over)
        if known is not None and known.over_since is None:
            known.over_since = self.clock()
            if not known.comes_and_goes:
                self.announce(EventKind.RECOVERED, over, size)
        self.look(size)

    def look(self, size: int) -> None:
        """Forget each trouble that has stayed away, and report that if it came and went."""
        now = self.clock()
        for over, known in list(self._standing.items()):
            if known.over_since is not None and now - known.over_since >= STEADY:
                del self._standing[over]
                if known.comes_and_goes:
                    lasted = known.over_since - known.begun
                    text = f"{over}, after {known.times:,} failures in {lasted:,.0f} s"
                    self.announce(EventKind.RECOVERED, text, size)

    def cosigned(self, size: int, new: int, *, replayed: bool) -> None:
        """Report that a checkpoint of ``size`` records, ``new`` of them, was cosigned."""
        self._records += new
        self._cosigned += 1
        now = self.clock()
        if now < self._next_growth:
            return
        follow = ", follow the rules" if replayed else ""
        heads = "1 checkpoint" if self._cosigned == 1 else f"{self._cosigned:,} checkpoints"
        self.announce(
            EventKind.GREW, f"{size:,} records, {self._records:,} of them new{follow}; {heads} cosigned", size
        )
        self._records, self._cosigned, self._next_growth = 0, 0, now + GROWTH_EVERY
