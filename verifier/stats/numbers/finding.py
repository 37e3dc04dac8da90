"""What one test found: a p-value, with everything that it takes to understand it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Finding:
    """One test of one hypothesis: that these rounds follow the law of their game.

    ``p`` is the chance that honest rounds look at least as strange as these. It may be a little too large, as exact tests
    of whole numbers are, and never too small. A test that had too little to go by has no ``p``, and says so in ``skipped``.
    """

    test: str
    """The family of tests, as in `chi-square`: small letters and hyphens."""
    tables: tuple[str, ...]
    subject: str
    """What was looked at: ``cards``, ``colours``."""
    question: str
    """What was asked, in plain words, one sentence."""
    rounds: int
    """How many rounds it rests on."""
    null: str = ""
    """The distribution that the statistic has for honest rounds, and whether that is exact or a limit."""
    statistic: float | None = None
    p: float | None = None
    observed: str = ""
    expected: str = ""
    power: str = ""
    """What the test would have noticed, with which chance; one sentence."""
    power_at: Callable[[float], str] | None = field(default=None, repr=False, compare=False)
    """That sentence for a level, where it depends on how many tests there are; `family.Judged.power` knows how many."""
    skipped: str = ""
    """Why there is no p."""

    def without(self, why: str) -> Self:
        """There was too little to go by."""
        return replace(self, skipped=why)

    def with_p(
        self,
        p: float,
        *,
        statistic: float,
        null: str,
        observed: str,
        expected: str,
        power_at: Callable[[float], str] | None = None,
    ) -> Self:
        """The test was run."""
        return replace(
            self, p=p, statistic=statistic, null=null, observed=observed, expected=expected, power_at=power_at
        )
