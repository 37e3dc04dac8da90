"""Serial correlation: do high outcomes follow high ones, up to twenty rounds later? And are all pairs equally
frequent?
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier.stats.numbers.chance import correlation_noticed, normal_p, share_noticed
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import Sample
from verifier.stats.randomness.chi_square import LEAST_EXPECTED, fit

LAGS = 20
LEAST_ROUNDS = 1000
MOST_KINDS = 100
"""Pairs are tested in games with at most this many outcomes."""


def serial(sample: Sample) -> Iterator[Finding]:
    """Yield correlation with earlier rounds, and pairs of neighbours."""
    yield _correlation(sample)
    if sample.law.classes <= MOST_KINDS:
        yield _pairs(sample)


def _correlation(sample: Sample) -> Finding:
    unfinished = sample.asked(
        "serial", "correlation with earlier rounds", f"Do outcomes depend on those of 1 to {LAGS} rounds before?"
    )
    if len(sample) < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS:,} rounds")
    scores = sample.scores
    # Scores have mean 0 and variance 1 by the law, so a sum of m products has variance m, exactly.
    products = [(float(scores[lag:] @ scores[:-lag]), len(scores) - lag) for lag in range(1, LAGS + 1)]
    place, p = smallest_of([normal_p(total / np.sqrt(size)) for total, size in products])
    total, size = products[place]
    return unfinished.with_p(
        p,
        statistic=total / size,
        null_law=f"limit: normal with the exact variance, used from {LEAST_ROUNDS:,} rounds; the most conspicuous of {LAGS} (Bonferroni)",
        observed=f"correlation {total / size:+.4f} at lag {place + 1}",
        expected=f"0 ± {1 / np.sqrt(size):.4f}",
        power_at=lambda level: correlation_noticed(size, level / LAGS, "with an earlier round"),
    )


def _pairs(sample: Sample) -> Finding:
    kinds, pairs = sample.law.classes, len(sample) // 2
    chances = np.outer(sample.law.chances, sample.law.chances).ravel()
    rarest = float(chances.min())
    is_uniform, one = sample.law.is_uniform, sample.law.one
    frequent = "equally frequent" if is_uniform else "as frequent as they should be"
    question = f"Are all {kinds**2:,} pairs of neighbours {frequent}?"
    unfinished = Finding("pairs", sample.tables, f"pairs of {one}s", question, 2 * pairs)
    # Of equally likely pairs the product of floats would be a little off.
    needed = LEAST_EXPECTED * kinds**2 if is_uniform else int(np.ceil(LEAST_EXPECTED / rarest))
    if pairs < needed:
        return unfinished.without(f"needs {2 * needed:,} rounds, {LEAST_EXPECTED} pairs expected of each kind")
    # No round is in two pairs, so the counts are exactly multinomial.
    drawn = sample.classes[: 2 * pairs]
    found = np.bincount(drawn[::2] * kinds + drawn[1::2], minlength=kinds**2)
    statistic, freedom, p = fit(found, chances * pairs)
    return unfinished.with_p(
        p,
        statistic=statistic,
        null_law=f"limit: chi-square with {freedom:,} degrees of freedom, used from {LEAST_EXPECTED} expected of each pair",
        observed=f"chi-square {statistic:,.1f}",
        expected=f"chi-square near {freedom:,}",
        power_at=lambda level: share_noticed(pairs, rarest, freedom, level, "one pair"),
    )
