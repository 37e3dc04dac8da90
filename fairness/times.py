"""The one spelling of a time: ``2026-11-20T22:49:01.123Z`` (SPEC 4.1).

Because its width is fixed, times compare as text.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from fairness.errors import Malformed

EARLIEST_TIME = "2000-01-01T00:00:00.000Z"
"""No record has a time before it."""

_START = re.compile(r"2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]", re.ASCII)
_START_SIZE = 18
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = (datetime(3000, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
_MILLISECOND = timedelta(milliseconds=1)
_ENDS = frozenset(f"{second}.{millisecond:03}Z" for second in range(10) for millisecond in range(1000))


def check_time(text: str) -> None:
    """Raise `Malformed` unless ``text`` is a time, spelled so."""
    # Neighbouring records share their ten seconds, so the calendar is asked once for many of them; the
    # rest of a time is looked up. This takes a third of the time of a pattern and a calendar.
    if text[_START_SIZE:] not in _ENDS or not _is_start(text[:_START_SIZE]):
        raise Malformed("time", expected="a real date like 2026-11-20T22:49:01.123Z, 2000 to 2999", found=text)


@lru_cache(maxsize=4096)
def _is_start(text: str) -> bool:
    """Return whether the first 18 characters of a time name ten real seconds of the years 2000 to 2999."""
    if not _START.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text + "0Z")
    except ValueError:
        return False
    return True


def format_time(moment: datetime) -> str:
    """Spell a moment, cut to milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_in_words(seconds: int) -> str:
    """Spell a number of seconds since 1970, like ``2026-11-20T22:49:13Z``; as a number if it is after the year
    2999.
    """
    return time_of_second(seconds) or f"{seconds} s after 1970"


def time_of_second(seconds: int) -> str | None:
    """Spell a number of seconds since 1970 by RFC 3339; `None` after the year 2999."""
    if seconds >= _LAST_SECOND:
        return None
    return (_EPOCH + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def milliseconds(text: str) -> int:
    """Return a time, which `check_time` accepted, in milliseconds since 1970."""
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
