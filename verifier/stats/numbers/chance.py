"""Tail probabilities of the distributions that the tests need, and the smallest faults that a test would notice."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy

from verifier.stats.numbers.columns import Floats, Ints

POWER = 0.9
"""The chance with which a test would have noticed the fault that it states."""


def binomial_p(count: Ints | int, rounds: int, chance: Floats | float) -> Floats:
    """Return the two-sided p, exact: twice the chance of the smaller tail, including the count itself; at most 1."""
    law = scipy.stats.binom
    tails = np.minimum(law.cdf(count, rounds, chance), law.sf(np.asarray(count) - 1, rounds, chance))
    return np.asarray(np.minimum(1.0, 2 * tails))


def at_least_p(count: int, rounds: int, chance: float) -> float:
    """Return the chance of ``count`` or more: exact, one-sided."""
    return float(scipy.stats.binom.sf(count - 1, rounds, chance))


def normal_p(deviation: float) -> float:
    """Return the two-sided p of a deviation, given in standard deviations."""
    return float(2 * scipy.stats.norm.sf(abs(deviation)))


def chi_square_p(statistic: float, freedom: int) -> float:
    """Return the chance of at least ``statistic``."""
    return float(scipy.stats.chi2.sf(statistic, freedom))


def noticed_chance(rounds: int, chance: float, level: float) -> float:
    """Return the smallest larger chance that a two-sided binomial test at ``level`` notices with `POWER`; exact."""
    critical = float(scipy.stats.binom.isf(level / 2, rounds, chance)) + 1
    if critical > rounds:
        return 1.0
    # P(count >= critical) is the regularised incomplete beta function of the chance.
    return float(scipy.special.betaincinv(critical, rounds - critical + 1, POWER))


def noticed_deviations(level: float) -> float:
    """Return the smallest shift, in standard deviations, that a normal test at ``level`` notices with `POWER`."""
    return float(scipy.stats.norm.isf(level / 2) + scipy.stats.norm.isf(1 - POWER))


def noticed_excess(freedom: int, level: float) -> float:
    """Return the smallest noncentrality that a chi-square test at ``level`` notices with `POWER`."""
    critical = scipy.stats.chi2.isf(level, freedom)
    return float(scipy.special.chndtrinc(critical, freedom, 1 - POWER))


def noticed_share(rounds: int, chance: float, freedom: int, level: float) -> float:
    """Return the smallest larger chance of one class, the others lowered in proportion, that this test notices."""
    return chance + float(np.sqrt(noticed_excess(freedom, level) * chance * (1 - chance) / rounds))


def percent(chance: float | Fraction) -> str:
    """Spell ``4 %``, ``48.5 %``, ``0.0097 %``: at most four significant digits."""
    return f"{100 * float(chance):.4g} %"


def points(shift: float) -> str:
    """Return a shift of a chance, in percentage points, with two significant digits."""
    return f"{100 * shift:.2g} %"


def shift_noticed(rounds: int, chance: float, level: float, what: str) -> str:
    """Return the smallest shift of this chance that a two-sided binomial test at ``level`` notices, as a sentence."""
    return f"would have noticed a shift of {points(noticed_chance(rounds, chance, level) - chance)} in {what} with 90 % chance"


def share_noticed(rounds: int, chance: float, freedom: int, level: float, what: str) -> str:
    """Return the smallest larger chance of one class that a chi-square test at ``level`` notices, as a sentence."""
    share = noticed_share(rounds, chance, freedom, level)
    return f"would have noticed {what} at {percent(share)} instead of {percent(chance)} with 90 % chance"


def correlation_noticed(pairs: int, level: float, with_what: str) -> str:
    """Return the smallest correlation in so many pairs that a normal test at ``level`` notices, as a sentence."""
    found = noticed_deviations(level) / np.sqrt(pairs)
    return f"would have noticed a correlation of {found:.2g} {with_what} with 90 % chance"
