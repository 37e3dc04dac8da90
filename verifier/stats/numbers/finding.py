"""What one test found: a p-value, with everything needed to understand it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Finding:
    """One test of one hypothesis: that these rounds follow the law of their game.

    ``p`` is the chance that honest rounds look at least as strange as these. It may be a little too large, as in
    exact tests of whole numbers, but never too small. A test with too few rounds has no ``p``; ``skipped`` says why.
    """

    test: str
    """The kind of test, such as ``chi-square``: small letters and hyphens."""
    tables: tuple[str, ...]
    subject: str
    """What was tested: ``cards``, ``colours``."""
    question: str
    """The question in plain words, one sentence."""
    rounds: int
    """How many rounds it rests on."""
    null_law: str = ""
    """The distribution of the statistic for honest rounds, and whether it is exact or a limit."""
    statistic: float | None = None
    p: float | None = None
    observed: str = ""
    expected: str = ""
    power_at: Callable[[float], str] | None = field(default=None, repr=False, compare=False)
    """What the test would have noticed at a level, and with what chance, in one sentence. The level depends on the
    number of tests (`family.Judged.power`).
    """
    skipped: str = ""
    """Why there is no p."""

    def without(self, why: str) -> Self:
        """Return this finding as a test that was not run, and why."""
        return replace(self, skipped=why)

    def with_p(
        self,
        p: float,
        *,
        statistic: float,
        null_law: str,
        observed: str,
        expected: str,
        power_at: Callable[[float], str] | None = None,
    ) -> Self:
        """Return this finding as a test that was run."""
        return replace(
            self, p=p, statistic=statistic, null_law=null_law, observed=observed, expected=expected, power_at=power_at
        )
