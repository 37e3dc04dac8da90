"""Which pulse a batch names: the first one after the wait, and never one that somebody may have."""

from __future__ import annotations

from datetime import datetime

import pytest

from api.beacon.waits import PulseKnown, Pulses, Waits
from fairness.beacon.chain import QUICKNET

WAITS = Waits(first=5, later=10)
NUMBER = 1000
TIMES = {-1: "2023-08-23T15:59:23.999Z", 0: "2023-08-23T15:59:24.000Z", 1: "2023-08-23T15:59:24.001Z"}
"""A millisecond before the time of that round, the time itself, and a millisecond after it."""


def test_the_times_are_right() -> None:
    """Genesis is at 15:09:27 UTC, and 999 periods of three seconds follow."""
    assert datetime.fromisoformat(TIMES[0]).timestamp() == QUICKNET.time_of(NUMBER)


@pytest.mark.parametrize(("first", "expected"), [(True, {-1: 2, 0: 2, 1: 2}), (False, {-1: 4, 0: 4, 1: 4})])
def test_the_first_pulse_after_the_wait(first: bool, expected: dict[int, int]) -> None:
    """Five seconds and ten, with a pulse every three."""
    pulses = Pulses(QUICKNET, NUMBER - 100)
    found = {after: WAITS.pulse(pulses, time, first=first) - NUMBER for after, time in TIMES.items()}
    assert found == expected
    exactly = Waits(first=3, later=6)
    found = {after: exactly.pulse(pulses, time, first=first) - NUMBER for after, time in TIMES.items()}
    assert found == ({-1: 1, 0: 1, 1: 2} if first else {-1: 2, 0: 2, 1: 3})


def test_a_pulse_that_exists_is_not_named() -> None:
    """The clock is behind, if a relay has the pulse already that would be named."""
    assert WAITS.pulse(Pulses(QUICKNET, NUMBER + 1), TIMES[0], first=True) == NUMBER + 2
    with pytest.raises(PulseKnown, match="is public already: set the clock right"):
        WAITS.pulse(Pulses(QUICKNET, NUMBER + 2), TIMES[0], first=True)
