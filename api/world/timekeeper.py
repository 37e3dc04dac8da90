"""Which time a record is given, and how old things are (``docs/operating.md``, "The clock").

A machine's date can be set, by hand or by a time server, and a record's time is never taken back: one step of 400
days ahead would freeze the times of every table for 400 days. So a record gets the date only as long as it runs in
step with the machine's monotonic clock, starting from a pair of both that is kept in a file. If the date has jumped
ahead, nothing is recorded until it is set right, or confirmed. A date that steps back needs no rule here: a table's
last time is used again.

Ages (of a locked round, a session, a sign of life) are counted by the monotonic clock alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from api.problems import Code, Problem
from api.refusal import RefusalError
from api.sharing.bounded import BoundedCache
from api.world.clock import Clock
from api.world.durable import write_durably
from fairness.errors import Malformed
from fairness.times import check_time, format_time

TOLERANCE = timedelta(minutes=5)
"""How far ahead a time server may set the date within an hour: the drift of a machine that was not synchronised for
months.
"""
LONGEST_ABSENCE = timedelta(days=1)
"""How long a machine may have been off. Its monotonic clock started again, so the time off is unknown; a longer one
must be confirmed.
"""
REMEMBERED_EVERY = timedelta(hours=1)

_MOST_ASKED = 4096
_MILLISECOND = timedelta(milliseconds=1)


class ClockJumped(Problem):
    """The machine's date is further ahead than it can be; no record gets it."""

    def __init__(self, shown: datetime, expected: datetime, why: str) -> None:
        self.ahead = shown - expected
        super().__init__(
            Code.CLOCK_JUMPED,
            f"the clock shows {format_time(shown)}, {in_words(self.ahead)} {why} {format_time(expected)}, so nothing is"
            " recorded. Set the clock right; or, if it is right, run `foredraw clock confirm TIME` with the time of"
            " another clock",
        )


class Unconfirmed(RefusalError):
    """The time that was given for confirmation is not the one that the clock shows."""


class _Pair(Struct, forbid_unknown_fields=True):
    """The file: a date that was accepted, and the monotonic clock at that moment."""

    boot: str
    elapsed: int
    """In milliseconds."""
    time: str
    v: int = 1


_DECODER = msgspec.json.Decoder(_Pair)


class Timekeeper:
    """The clock of one process, compared with what all processes of the service remember."""

    def __init__(
        self, clock: Clock, memory: Path, newest: Callable[[], str | None], *, only_looks: bool = False
    ) -> None:
        """``newest`` returns the newest time of any record, or `None`; it is asked when ``memory`` is of another
        boot.

        One that ``only_looks`` writes nothing into ``memory``.
        """
        self._only_looks = only_looks
        self._clock, self._memory, self._newest = clock, memory, newest
        self._opened = clock.elapsed()
        self._asked: BoundedCache[str, timedelta] = BoundedCache(_MOST_ASKED)
        """When the age of a tick of another boot was first asked for."""
        self._booted: datetime | None = None
        """When this run of the machine began, by the latest date that was accepted. A jump ahead moves it."""
        self._noted: timedelta | None = None

    def stamp(self) -> str:
        """Return the present, for a record. Raises `ClockJumped`."""
        shown, elapsed = self._clock.moment(), self._clock.elapsed()
        if self._booted is None or shown - elapsed > self._booted + TOLERANCE:
            self._judge(shown, elapsed)
        return format_time(shown)

    def shown(self) -> str:
        """Return the machine's date as it is, for what is written down at any date."""
        return format_time(self._clock.moment())

    def trouble(self) -> str | None:
        """Return why the machine's date cannot be right; `None` if it may be."""
        return self._clock.trouble()

    def jump(self) -> ClockJumped | None:
        """Return what `stamp` would raise now."""
        try:
            self.stamp()
        except ClockJumped as jumped:
            return jumped
        return None

    def remember(self) -> None:
        """Remember, once an hour, what the clock has reached by now. Raises `ClockJumped`."""
        self.stamp()
        shown, elapsed = self._clock.moment(), self._clock.elapsed()
        if self._booted is None or (self._noted is not None and elapsed - self._noted < REMEMBERED_EVERY):
            return
        self._noted = elapsed
        # A date that was set back is not remembered: setting it forward again would look like a jump.
        self._booted = max(self._booted, shown - elapsed)
        self._write(self._booted + elapsed, elapsed)

    def confirm(self, named: datetime, noting: Callable[[str], None] = lambda _: None) -> str:
        """Accept the clock's date, confirmed with the time of another clock. Raises `Unconfirmed`.

        ``noting`` is called with the date that is going to be accepted.
        """
        shown, elapsed = self._clock.moment(), self._clock.elapsed()
        if abs(shown - named) > TOLERANCE:
            raise Unconfirmed(
                f"the clock shows {format_time(shown)}, which is not {format_time(named)}: set the clock right, or name"
                " the time that you have read off another clock"
            )
        noting(format_time(shown))
        write_durably(self._memory, _spelled(self._clock.boot, elapsed, shown))
        return format_time(shown)

    def tick(self, ago: timedelta = timedelta(0)) -> str:
        """Return this moment, or one before it, for `age`; it is stored with whatever has an age. Ticks of one boot
        compare as text.
        """
        elapsed = max(timedelta(0), self._clock.elapsed() - ago)
        return f"{self._clock.boot} {elapsed // _MILLISECOND:015d}"

    def knows(self, tick: str | None) -> bool:
        """Return whether a tick is of this boot, so that `age` is exact."""
        return tick is not None and tick.startswith(f"{self._clock.boot} ")

    def age(self, tick: str | None) -> timedelta:
        """Return how long ago a tick was, at least: one of another boot, or of another machine, since it was first
        asked for.
        """
        since = self._opened
        if tick is not None:
            since = int(tick.rpartition(" ")[2]) * _MILLISECOND if self.knows(tick) else self._first_asked(tick)
        return max(timedelta(0), self._clock.elapsed() - since)

    def _first_asked(self, tick: str) -> timedelta:
        """Return when a tick of another machine was first asked for: a round that was locked a moment ago must not be
        taken for one that was left behind.
        """
        asked = self._asked.get(tick)
        if asked is None:
            self._asked.put(tick, asked := self._clock.elapsed())
        return asked

    def _judge(self, shown: datetime, elapsed: timedelta) -> None:
        """Accept the date, or raise `ClockJumped`."""
        pair = self._read()
        if pair is not None and pair.boot == self._clock.boot:
            expected = datetime.fromisoformat(pair.time) + elapsed - pair.elapsed * _MILLISECOND
            if shown > expected + TOLERANCE:
                raise ClockJumped(shown, expected, "ahead of what it should show,")
            self._booted = expected - elapsed
            return
        newest = max(pair.time if pair else "", self._newest() or "")
        if newest:
            expected = datetime.fromisoformat(newest)
            if shown > expected + LONGEST_ABSENCE:
                raise ClockJumped(shown, expected, "after the newest time that the service knows,")
            if shown < expected:
                # The date is behind. How long the machine was off is known only when the date has caught up or is
                # corrected.
                return
        self._booted = shown - elapsed
        self._write(shown, elapsed)

    def _read(self) -> _Pair | None:
        try:
            pair = _DECODER.decode(self._memory.read_bytes())
            check_time(pair.time)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, Malformed):
            return None
        return pair

    def _write(self, time: datetime, elapsed: timedelta) -> None:
        if self._only_looks:
            return
        # If the file cannot be written, the next process starts from the newest record again.
        with suppress(OSError):
            write_durably(self._memory, _spelled(self._clock.boot, elapsed, time))


def _spelled(boot: str, elapsed: timedelta, time: datetime) -> bytes:
    return msgspec.json.encode(_Pair(boot, elapsed // _MILLISECOND, format_time(time))) + b"\n"


def in_words(span: timedelta) -> str:
    """Return a span in its largest unit, rounded down: ``400 days``."""
    for unit, size in (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1))):
        if count := span // size:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"
