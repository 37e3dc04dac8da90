"""How often each outcome occurs: all counts of a grouping at once, and the most conspicuous one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from verifier.stats.numbers.chance import binomial_p, chi_square_p, percent, share_noticed, shift_noticed
from verifier.stats.numbers.columns import Floats, Ints
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.laws import Grouping
from verifier.stats.numbers.samples import Sample

LEAST_EXPECTED = 40
"""The least number of expected rounds per group for the limit law of chi-square; below it, the far tail is wrong."""
LEAST_ROUNDS = 20


def counts(sample: Sample) -> Iterator[Finding]:
    """Make, for each grouping, a chi-square of all counts, and binomials of each; of two groups one binomial."""
    for grouping in sample.law.groupings:
        found = np.bincount(grouping.groups[sample.classes], minlength=len(grouping.labels))
        if len(found) > 2:
            yield _all_counts(sample, grouping, found)
        if len(found) > 1:
            yield _one_count(sample, grouping, found)


class Fit(NamedTuple):
    """A chi-square of counts."""

    statistic: float
    freedom: int
    p: float


def fit(found: np.ndarray, expected: np.ndarray, stretched: float = 1.0) -> Fit:
    """Return Pearson's statistic, its degrees of freedom, and its p by the limit law.

    ``stretched``: what the statistic is multiplied with, where counts depend on one another.
    """
    statistic, freedom = stretched * float(((found - expected) ** 2 / expected).sum()), len(found) - 1
    return Fit(statistic, freedom, chi_square_p(statistic, freedom))


def merged(found: Ints, expected: Floats, stretched: float = 1.0) -> Fit | None:
    """Return a `fit`, the rarest cells merged until `LEAST_EXPECTED` are expected in each; `None` if one is left."""
    order = np.argsort(expected, kind="stable")
    ends, total = [], 0.0
    for place in order.tolist():
        total += float(expected[place])
        ends.append(total >= LEAST_EXPECTED)
        total = 0.0 if ends[-1] else total
    # What remains belongs to the last whole cell.
    cell = np.minimum(np.cumsum([0, *ends[:-1]]), max(0, sum(ends) - 1))
    counts, wanted = (np.bincount(cell, weights=each[order]) for each in (found, expected))
    return fit(counts, wanted, stretched) if len(counts) > 1 else None


def _all_counts(sample: Sample, grouping: Grouping, found: Ints) -> Finding:
    rounds, chances = len(sample), grouping.chances
    rarest = float(chances.min())
    unfinished = sample.asked("chi-square", grouping.name, f"Do the {len(found)} counts together fit the law?")
    if rounds * rarest < LEAST_EXPECTED:
        needed = int(np.ceil(LEAST_EXPECTED / rarest))
        return unfinished.without(f"needs {needed:,} rounds, {LEAST_EXPECTED} expected of each")
    statistic, freedom, p = fit(found, chances * rounds)
    far, least = farthest(found, rounds * chances), grouping.labels[int(chances.argmin())]
    return unfinished.with_p(
        p,
        statistic=statistic,
        null_law=f"limit: chi-square with {freedom} degrees of freedom, used from {LEAST_EXPECTED} expected in each group",
        observed=f"chi-square {statistic:.1f}; farthest: {grouping.labels[far]} {found[far]:,} times",
        expected=f"chi-square near {freedom}; {grouping.labels[far]} {rounds * chances[far]:,.1f} times",
        power_at=lambda level: share_noticed(rounds, rarest, freedom, level, least),
    )


def _one_count(sample: Sample, grouping: Grouping, found: Ints) -> Finding:
    rounds, chances = len(sample), grouping.chances
    groups = 1 if len(found) == 2 else len(found)
    both, any_of_them = "Do both occur as often as they should?", "Does any of them occur too often or too rarely?"
    unfinished = sample.asked("count", grouping.name, any_of_them if groups > 1 else both)
    if rounds < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    # With two groups, one count determines the other.
    place, p = smallest_of(binomial_p(found, rounds, chances)[-groups:])
    place += len(found) - groups
    likeliest, usual = int(chances.argmax()), float(chances.max())
    among = f", the most conspicuous of {groups} (Bonferroni)" if groups > 1 else ""
    return unfinished.with_p(
        p,
        statistic=float(found[place]),
        null_law=f"exact: binomial, {rounds:,} rounds of chance {percent(chances[place])}{among}",
        observed=f"{grouping.labels[place]}: {found[place]:,} times",
        expected=f"{rounds * chances[place]:,.1f} times",
        power_at=lambda level: shift_noticed(rounds, usual, level / groups, grouping.labels[likeliest]),
    )


def farthest(found: Ints, expected: Floats) -> int:
    """Return the count that is the most standard deviations off, by the limit law."""
    return int((np.abs(found - expected) / np.sqrt(expected)).argmax())
