"""Which pulse a batch names: one that does not exist yet when the batch is committed, and comes soon (SPEC 4.8)."""

from __future__ import annotations

from dataclasses import dataclass

from api.settings import DEFAULT_FIRST_PULSE, DEFAULT_LATER_PULSE
from fairness.beacon.chain import Beacon
from fairness.times import milliseconds


class PulseKnown(Exception):
    """A batch would name a pulse that exists already: the service's clock is behind."""


@dataclass(frozen=True, slots=True)
class Pulses:
    """The pulses of a beacon that a batch may name: those after the ``newest`` that a relay has."""

    beacon: Beacon
    newest: int


@dataclass(frozen=True, slots=True)
class Waits:
    """How many seconds after its commitment the pulse of a batch comes, at least."""

    first: int = DEFAULT_FIRST_PULSE
    """For a table's first batch, before whose salt nobody can play."""
    later: int = DEFAULT_LATER_PULSE

    def pulse(self, pulses: Pulses, committed: str, *, first: bool) -> int:
        """Return the round of the beacon that a batch names, the ``first`` of its table or a later one. Raises
        `PulseKnown`.
        """
        wait = self.first if first else self.later
        number = pulses.beacon.first_at(milliseconds(committed) + 1000 * wait)
        if number <= pulses.newest:
            raise PulseKnown(
                f"a batch committed at {committed} would name round {number} of the beacon {pulses.beacon.id}, and round"
                f" {pulses.newest} is public already: set the clock right"
            )
        return number
