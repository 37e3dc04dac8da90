"""Multipliers against their exact law: as a whole (Kolmogorov-Smirnov), and at the cash-outs that players use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy

from fairness.draws.stream import SMALLEST_MULTIPLIER
from verifier.stats.numbers.chance import binomial_p, percent, points, shift_noticed
from verifier.stats.numbers.columns import Ints
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import Flown, at_least
from verifier.stats.numbers.samples import Drawn

LEAST_ROUNDS = 50
CASH_OUTS = (101, 110, 125, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000)


def of_flights(drawn: Drawn) -> Iterator[Finding]:
    """Yield the tests of multipliers, beside those of the sequence of their tenths."""
    if drawn.flown is not None:
        yield _kolmogorov_smirnov(drawn, drawn.flown)
        yield _cash_outs(drawn, drawn.flown)


def _kolmogorov_smirnov(drawn: Drawn, flown: Flown) -> Finding:
    """Return the largest distance between the share of rounds below a multiplier and its chance.

    The law has atoms at 1.00, at the cap and at every hundredth between, so the classical null distribution
    is wrong for it. The randomised transform (`flights`) makes it continuous, and Kolmogorov's exact law holds.
    """
    rounds = len(flown.uniform)
    unfinished = drawn.asked("kolmogorov-smirnov", "Does the whole distribution fit the law?", "multipliers")
    if rounds < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    found = scipy.stats.kstest(flown.uniform, "uniform", method="exact")
    return unfinished.with_p(
        float(found.pvalue),
        statistic=float(found.statistic),
        null_law="exact: Kolmogorov's law, after the randomised probability transform",
        observed=f"{points(float(found.statistic))} apart at most",
        expected=f"{points(float(scipy.stats.kstwobign.median() / np.sqrt(rounds)))} on average",
        power_at=partial(_power_of_distance, rounds),
    )


def _power_of_distance(rounds: int, level: float) -> str:
    shift = (scipy.stats.kstwobign.isf(level) + scipy.stats.norm.isf(0.1) / 2) / np.sqrt(rounds)
    return f"would have noticed a shift of {points(float(shift))} in the chance of any cash-out with 90 % chance"


@dataclass(frozen=True, slots=True)
class _Reached:
    """How many of the rounds with the same rules reached a multiplier."""

    hundredths: int
    count: int
    rounds: int
    chance: float
    p: float


def _cash_outs(drawn: Drawn, flown: Flown) -> Finding:
    """Return how many rounds reached each of the usual cash-outs and the cap, and whether the largest multiplier is
    too small.

    Exact binomials, for each set of rules. Hardly any other test detects that a cap is not kept, because the
    multipliers near it are the rarest.
    """
    hundredths, rules = flown.hundredths, np.stack([flown.rtp, flown.cap], axis=1)
    question = "Are the cap and each cash-out reached as often as the law says?"
    unfinished = drawn.asked("cash-outs", question, "cash-outs and the cap")
    if len(hundredths) < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    steps = [
        step
        for rtp, cap in np.unique(rules, axis=0).tolist()
        for step in _reached(np.sort(hundredths[(rules == (rtp, cap)).all(axis=1)]), rtp, cap)
    ]
    place, p = smallest_of([step.p for step in steps])
    found, usual = steps[place], min(200, int(flown.cap[-1]))
    chance = float(at_least(np.array(usual), flown.rtp[-1], usual))
    return unfinished.with_p(
        p,
        statistic=float(found.count),
        null_law=f"exact: binomial, {found.rounds:,} rounds of chance {percent(found.chance)}, the most conspicuous of"
        f" {len(steps)} (Bonferroni)",
        observed=f"{_text(found.hundredths)} or more: {found.count:,} times",
        expected=f"{found.rounds * found.chance:,.1f} times",
        power_at=lambda level: shift_noticed(found.rounds, chance, level / len(steps), f"{_text(usual)} and more"),
    )


def _reached(own: Ints, rtp: int, cap: int) -> Iterator[_Reached]:
    """Yield how often each cash-out was reached. ``own`` are all multipliers under these rules, ascending."""
    rounds, largest = len(own), int(own[-1])
    asked = np.array([*(each for each in CASH_OUTS if each < cap), cap])
    for hundredths, chance in zip(asked.tolist(), at_least(asked, rtp, cap).tolist(), strict=True):
        count = rounds - int(np.searchsorted(own, hundredths))
        yield _Reached(hundredths, count, rounds, chance, float(binomial_p(count, rounds, chance)))
    # The chance that no round exceeds the largest multiplier is the exact p of so small a largest one.
    if largest < cap:
        chance = float(at_least(np.array(largest + 1), rtp, cap))
        yield _Reached(largest + 1, 0, rounds, chance, (1 - chance) ** rounds)
    if largest > cap:
        yield _Reached(cap + 1, rounds - int(np.searchsorted(own, cap + 1)), rounds, 0.0, 0.0)


def _text(hundredths: int) -> str:
    return f"{hundredths // SMALLEST_MULTIPLIER:,}.{hundredths % SMALLEST_MULTIPLIER:02}"
