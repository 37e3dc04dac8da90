"""The machine's two clocks, and its entropy."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fairness.times import format_time

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux it keeps running while the machine sleeps; other systems have the plain monotonic clock."""

RELEASED = datetime(2026, 11, 20, tzinfo=UTC)
"""When this version was made; each release moves it. No clock that is right shows an earlier date."""
_TOLERANCE = timedelta(days=1)


class Clock:
    """The machine's two clocks: the wall clock, which can be set, and the monotonic clock, which cannot."""

    boot: str
    """Identifies this boot: `elapsed` of two boots cannot be compared."""

    def __init__(self) -> None:
        try:
            self.boot = _BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            # The system has no boot id, so each process counts as a boot of its own: ages start with the process.
            self.boot = entropy(16).hex()

    def moment(self) -> datetime:
        """Return the date and time that the machine shows. `Timekeeper` decides whether a record may have it."""
        return datetime.now(UTC)

    def now(self) -> str:
        """Return the same, spelled as in a record: to be shown, not to be recorded."""
        return format_time(self.moment())

    def trouble(self) -> str | None:
        """Return why the date cannot be right; `None` if it may be. A machine without a battery begins in 1970, until
        somebody sets it.
        """
        shown = self.moment()
        if shown >= RELEASED - _TOLERANCE:
            return None
        return (
            f"the clock of this machine shows {format_time(shown)}, and this version of the service was made on"
            f" {RELEASED:%Y-%m-%d}: set the clock right (`timedatectl`), and the service can go on"
        )

    def elapsed(self) -> timedelta:
        """Return how long this run of the machine has lasted, sleep included. No setting of the date changes it."""
        return timedelta(microseconds=time.clock_gettime_ns(_SINCE_BOOT) // 1000)


def entropy(size: int) -> bytes:
    """Return ``size`` bytes from the operating system's CSPRNG; raises if there is none, and never falls back to
    anything else.
    """
    return secrets.token_bytes(size)
