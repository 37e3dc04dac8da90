"""Gaps: how long players wait for something rare."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy

from verifier.stats.numbers.chance import noticed_share, percent, points
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import Sample
from verifier.stats.randomness.chi_square import LEAST_EXPECTED, fit

LEAST_GAPS = 4 * LEAST_EXPECTED
_PARTS = 10
_CERTAIN = 6
"""In only one of 10⁹ honest tables a count is more than this many standard deviations below the mean."""


def gaps(sample: Sample) -> Iterator[Finding]:
    """Yield the first waits against the geometric law.

    The end of a log cuts off a wait, and more often a long one. So the number of waits that are tested
    depends on the number of rounds alone: as many as are practically certain to be over by then.
    """
    if sample.law.event is None:
        return
    name, event = sample.law.event
    chance, rounds = float(sample.law.chances[event].sum()), len(sample)
    mean, deviation = rounds * chance, np.sqrt(rounds * chance * (1 - chance))
    wanted = int(mean - _CERTAIN * deviation)
    unfinished = sample.asked("gap", f"waits for {name}", "Are short and long waits as frequent as they should be?")
    if wanted < LEAST_GAPS:
        needed = f"needs {_rounds_for(chance):,} rounds, so that {LEAST_GAPS} waits are certain to be over"
        yield unfinished.without(needed)
        return
    at = np.flatnonzero(event[sample.classes])
    if len(at) < wanted:
        yield unfinished.with_p(
            float(scipy.stats.binom.cdf(len(at), rounds, chance)),
            null_law=f"exact: binomial, {rounds:,} rounds of chance {percent(chance)}",
            statistic=float(len(at)),
            observed=f"only {len(at):,} waits",
            expected=f"{mean:,.1f} waits",
        )
        return
    waits = np.diff(at[:wanted], prepend=-1)
    edges = _edges(chance, wanted)
    chances = np.diff(1 - (1 - chance) ** np.append(edges - 1, np.inf), prepend=0.0)[1:]
    found = np.bincount(np.searchsorted(edges, waits, side="right") - 1, minlength=len(edges))
    statistic, freedom, p = fit(found, chances * wanted)
    yield unfinished.with_p(
        p,
        statistic=statistic,
        null_law=f"limit: chi-square with {freedom} degrees of freedom over {len(edges)} lengths of the geometric law, {LEAST_EXPECTED} or more expected in each",
        observed=f"{wanted:,} waits of {waits.mean():.2f} rounds on average, the longest {waits.max():,}; chi-square {statistic:.1f}",
        expected=f"{1 / chance:.2f} rounds on average; chi-square near {freedom}",
        power_at=partial(_power, wanted, float(chances[0]), freedom, int(edges[1]) - 1),
    )


def _edges(chance: float, waits: int) -> np.ndarray:
    """Return the shortest wait of each part, from 1: parts of about the same chance, none too rare."""
    parts = min(_PARTS, waits // LEAST_EXPECTED // 2)
    quantiles = np.log1p(-np.arange(parts) / parts) / np.log1p(-chance)
    return np.unique(np.floor(quantiles).astype(np.int64) + 1)


def _rounds_for(chance: float) -> int:
    # Solves mean - 6 deviations = LEAST_GAPS, a quadratic equation in the square root of the rounds.
    slope = _CERTAIN * np.sqrt(1 - chance)
    root = (slope + np.sqrt(slope**2 + 4 * LEAST_GAPS)) / 2
    return int(np.ceil(root**2 / chance)) + 1


def _power(waits: int, chance: float, freedom: int, shortest: int, level: float) -> str:
    shift = noticed_share(waits, chance, freedom, level) - chance
    return f"would have noticed a shift of {points(shift)} in waits of up to {shortest} (now {percent(chance)}) with 90 % chance"
