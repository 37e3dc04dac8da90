"""Multipliers against their exact law: all of it at once (Kolmogorov-Smirnov), and at the cash-outs that players use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from scipy import stats

from fairness.stream import SMALLEST_MULTIPLIER
from verifier.stats.chance import binomial_p, noticed_chance, percent, points
from verifier.stats.columns import Floats, TableColumns
from verifier.stats.family import smallest_of
from verifier.stats.finding import Finding
from verifier.stats.laws import Sample, at_least, parameter

LEAST_ROUNDS = 50
CASH_OUTS = (101, 110, 125, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000, 10_000_000)


def kolmogorov_smirnov(sample: Sample) -> Iterator[Finding]:
    """The largest distance between the share of rounds below a multiplier and its chance.

    The law has atoms, at 1.00, at the cap and at every hundredth between, where the classical null would
    be too strict. The randomised transform (`laws`) makes it continuous, so Kolmogorov's exact law holds.
    """
    if sample.uniform is None:
        return
    rounds = len(sample)
    unfinished = Finding(
        "kolmogorov-smirnov", sample.tables, "multipliers", "Does the whole distribution fit the law?", rounds
    )
    if rounds < LEAST_ROUNDS:
        yield unfinished.without(f"needs {LEAST_ROUNDS} rounds")
        return
    found = stats.kstest(sample.uniform, "uniform", method="exact")
    yield unfinished.with_p(
        float(found.pvalue),
        statistic=float(found.statistic),
        null="exact: Kolmogorov's law, after the randomised probability transform",
        observed=f"{points(float(found.statistic))} apart at most",
        expected=f"{points(float(stats.kstwobign.median() / np.sqrt(rounds)))} on average",
        power_at=partial(_power_of_distance, rounds),
    )


def _power_of_distance(rounds: int, level: float) -> str:
    shift = (stats.kstwobign.isf(level) + stats.norm.isf(0.1) / 2) / np.sqrt(rounds)
    return f"would have noticed a shift of {points(float(shift))} in the chance of any cash-out with 90 % chance"


def cash_outs(tables: Sequence[TableColumns]) -> Iterator[Finding]:
    """How many rounds reached each of the usual cash-outs, and the cap itself: exact binomials, per set of rules.

    A cap that is not kept shows here and hardly anywhere else: the multipliers near it are the rarest.
    """
    hundredths = np.concatenate([table.final[:, 0] for table in tables])
    rules = np.concatenate([np.stack([parameter(t, "rtp"), parameter(t, "cap")], axis=1)[t.played] for t in tables])
    unfinished = Finding(
        "cash-outs",
        tuple(table.name for table in tables),
        "cash-outs and the cap",
        "Is each cash-out reached, and the cap, as often as the law says?",
        len(hundredths),
    )
    if len(hundredths) < LEAST_ROUNDS:
        yield unfinished.without(f"needs {LEAST_ROUNDS} rounds")
        return
    asked: list[tuple[float, int, int, int, float]] = []
    for rtp, cap in np.unique(rules, axis=0).tolist():
        own = np.sort(hundredths[(rules == (rtp, cap)).all(axis=1)])
        steps = np.array([*(each for each in CASH_OUTS if each < cap), cap, cap + 1])
        reached, chances = len(own) - np.searchsorted(own, steps), at_least(steps, rtp, cap)
        asked += zip(
            _p_values(reached, len(own), chances),
            steps.tolist(),
            reached.tolist(),
            [len(own)] * len(steps),
            chances.tolist(),
            strict=True,
        )
    place, p = smallest_of([each[0] for each in asked])
    _, at, count, rounds, chance = asked[place]
    yield unfinished.with_p(
        p,
        statistic=float(count),
        null=f"exact: binomial, {rounds:,} rounds of chance {percent(chance)}, the most conspicuous of {len(asked)} (Bonferroni)",
        observed=f"{_text(at)} or more: {count:,} times",
        expected=f"{rounds * chance:,.1f} times",
        power_at=partial(_power, rounds, len(asked), int(rules[-1, 0]), min(200, int(rules[-1, 1]))),
    )


def _p_values(reached: np.ndarray, rounds: int, chances: Floats) -> list[float]:
    # Nothing is above the cap: a single round that is has no chance at all.
    return [float(each) for each in np.where(chances > 0, binomial_p(reached, rounds, chances), (reached == 0) * 1.0)]


def _power(rounds: int, asked: int, rtp: int, hundredths: int, level: float) -> str:
    chance = float(at_least(np.array(hundredths), rtp, hundredths))
    shift = noticed_chance(rounds, chance, level / asked) - chance
    return f"would have noticed a shift of {points(shift)} in {_text(hundredths)} and more with 90 % chance"


def _text(hundredths: int) -> str:
    return f"{hundredths // SMALLEST_MULTIPLIER:,}.{hundredths % SMALLEST_MULTIPLIER:02}"
