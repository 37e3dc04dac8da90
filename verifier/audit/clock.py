"""How wrong the operator's clock was, by pulses and by witnesses, whose times are not its own (SPEC 8.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct

from fairness.log.tiles import WIDTH
from verifier.audit.bundle_times import Moment, TimesAround

_SECOND = 1000


class Pulse(Struct, frozen=True):
    """A salt at ``index``: it was written at ``time`` or later, in seconds since 1970, and so was every record after
    it.
    """

    index: int
    time: int


class Seen(Struct, frozen=True):
    """The first ``size`` records were written before the second ``time`` was over: witnesses count whole seconds."""

    size: int
    time: int

    @property
    def end(self) -> int:
        """When they had been written at the latest: milliseconds since 1970."""
        return (self.time + 1) * _SECOND


class ClockError(Struct, frozen=True):
    """The least error that explains the own time of a record."""

    milliseconds: int
    record: int


class Clock(Struct, frozen=True):
    """What is known of the operator's clock, up to some record."""

    slow: ClockError | None = None
    fast: ClockError | None = None
    newest_pulse: int | None = None
    """The latest time of a pulse whose salt is in the log: seconds since 1970."""
    latest_time: int | None = None
    """The latest time of a record: milliseconds since 1970."""
    latest_record: int = 0

    @property
    def latest(self) -> Moment | None:
        """The latest time of a record, and the record."""
        return None if self.latest_time is None else (self.latest_time, self.latest_record)


@dataclass(frozen=True, slots=True)
class NewRecords:
    """What is known about the times of the records since an earlier clock."""

    times: TimesAround
    pulses: Sequence[Pulse]
    """In the order of the log."""
    seen: Sequence[Seen]

    def then(self, later: NewRecords) -> NewRecords:
        """Join the records that follow to these; ``later`` alone if it does not begin where these end."""
        if later.times.start != self.times.size:
            return later
        return NewRecords(self.times.then(later.times), [*self.pulses, *later.pulses], [*self.seen, *later.seen])

    def with_seen(self, seen: Sequence[Seen]) -> NewRecords:
        """Join what more files show to this."""
        return NewRecords(self.times, self.pulses, [*self.seen, *seen])

    def divided(self, before: Clock) -> Iterator[int]:
        """Yield the bundles that a pulse or a witness divides, where that may matter; in the order in which
        `clock_after` reads them.
        """
        for pulse in self.pulses:
            if _may_be_behind(pulse, self.times):
                yield pulse.index // WIDTH
        for each in self.seen:
            if _may_be_ahead(each, self.times, before.latest):
                yield each.size // WIDTH


def clock_after(before: Clock, new: NewRecords, moments_of: Callable[[int], Sequence[Moment]]) -> Clock:
    """Return what is known of the clock after ``new`` records; ``moments_of`` reads the times of a bundle's records
    again.
    """
    slow, fast = [before.slow], [before.fast]
    if before.newest_pulse is not None:
        slow.append(_behind(before.newest_pulse, new.times.earliest))
    for pulse in new.pulses:
        earliest = new.times.earliest_from(pulse.index // WIDTH)
        if _may_be_behind(pulse, new.times):
            bundle = pulse.index // WIDTH
            after = [each for each in moments_of(bundle) if each[1] > pulse.index]
            earliest = _first([*after, new.times.earliest_from(bundle + 1)])
        slow.append(_behind(pulse.time, earliest))
    for each in new.seen:
        latest = _last([before.latest, new.times.latest_through(each.size // WIDTH)])
        if _may_be_ahead(each, new.times, before.latest):
            bundle = each.size // WIDTH
            until = [moment for moment in moments_of(bundle) if moment[1] < each.size]
            latest = _last([before.latest, new.times.latest_through(bundle - 1), *until])
        fast.append(_ahead(each, latest))
    pulses = [pulse.time for pulse in new.pulses]
    newest = max([*pulses, *([] if before.newest_pulse is None else [before.newest_pulse])], default=None)
    latest_time, latest_record = _last([before.latest, new.times.latest]) or (None, 0)
    return Clock(_worst(slow), _worst(fast), newest, latest_time, latest_record)


def _may_be_behind(pulse: Pulse, times: TimesAround) -> bool:
    """Return whether a record of the pulse's bundle may be after it and before its time, and has to be read again to
    know.
    """
    earliest = times.earliest_from(pulse.index // WIDTH)
    return earliest is not None and earliest[1] <= pulse.index and _behind(pulse.time, earliest) is not None


def _may_be_ahead(seen: Seen, times: TimesAround, before: Moment | None) -> bool:
    latest = times.latest_through(seen.size // WIDTH)
    return (
        latest is not None
        and latest[1] >= seen.size
        and (before is None or latest > before)
        and _ahead(seen, latest) is not None
    )


def _behind(pulse: int, moment: Moment | None) -> ClockError | None:
    """Return the error of a record that was written after a pulse, and has an earlier time."""
    if moment is None or moment[0] >= pulse * _SECOND:
        return None
    return ClockError(pulse * _SECOND - moment[0], moment[1])


def _ahead(seen: Seen, moment: Moment | None) -> ClockError | None:
    """Return the error of a record that witnesses had seen, and has a later time."""
    if moment is None or moment[0] <= seen.end:
        return None
    return ClockError(moment[0] - seen.end, moment[1])


def _first(moments: Sequence[Moment | None]) -> Moment | None:
    return min((each for each in moments if each is not None), default=None)


def _last(moments: Sequence[Moment | None]) -> Moment | None:
    return max((each for each in moments if each is not None), default=None)


def _worst(errors: Sequence[ClockError | None]) -> ClockError | None:
    """Return the largest; of several, the one of the first record."""
    found = [each for each in errors if each is not None]
    return max(found, key=lambda each: (each.milliseconds, -each.record), default=None)
