"""Many tests, one level: of a hundred honest logs at most one raises any alarm at all (Holm 1979)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.stats.numbers.finding import Finding

FALSE_ALARMS = 0.01
"""The chance that an honest log raises any alarm, however tests depend on one another: a level of 99 % for all."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding among all others."""

    finding: Finding
    adjusted: float | None
    """Its p after Holm's adjustment, to be compared with the level. `None` for a test that was not run."""
    strictest: float
    """The level of Holm's first step, the strictest that any test has to meet."""

    @property
    def alarm(self) -> bool:
        """Whether this is stranger than chance explains, all other tests considered."""
        return self.adjusted is not None and self.adjusted <= FALSE_ALARMS

    @property
    def power(self) -> str:
        """What the test would have noticed even at the strictest level, in one sentence; empty if it was not run."""
        return "" if self.finding.power_at is None else self.finding.power_at(self.strictest)


def judge(findings: Sequence[Finding]) -> list[Judged]:
    """Apply Holm's adjustment over all findings that have a p; the order stays."""
    adjusted: dict[int, float] = {}
    tested = [(finding.p, place) for place, finding in enumerate(findings) if finding.p is not None]
    least = 0.0
    for rank, (p, place) in enumerate(sorted(tested)):
        adjusted[place] = least = max(least, min(1.0, (len(tested) - rank) * p))
    strictest = FALSE_ALARMS / max(1, len(tested))
    return [Judged(finding, adjusted.get(place), strictest) for place, finding in enumerate(findings)]


def smallest_of(p_values: Sequence[float] | np.ndarray) -> tuple[int, float]:
    """Return the index of the smallest of several p, and a p adjusted for their number (Bonferroni)."""
    values = np.asarray(p_values, dtype=np.float64)
    place = int(values.argmin())
    return place, float(min(1.0, values[place] * len(values)))
