"""The exact law of a sum of independent whole numbers, and the p-value of an observed sum."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from verifier.stats.numbers.columns import Floats, Ints

_DEVIATIONS = 14
"""A law is kept within this many standard deviations, plus the square of that number, around its mean."""
_LEFT_OUT = 1e-40
"""More than the chance of all that some hundred laws leave out, each less than exp(-98) on either side
(Bernstein).
"""


@dataclass(frozen=True, slots=True, eq=False)
class WholeSum:
    """A law on consecutive whole numbers: ``chances[i]`` is the chance of ``first + i``."""

    first: int
    chances: Floats

    @classmethod
    def binomial(cls, n: int, chance: float) -> Self:
        """Return how many of ``n`` rounds win."""
        values = _values_around(n * chance, n * chance * (1 - chance), 0, n)
        return cls(int(values[0]), scipy.stats.binom.pmf(values, n, chance))

    @classmethod
    def of_rounds(cls, chances: Floats) -> Self:
        """Return how many of some rounds win, each with its own chance."""
        alike, counts = np.unique(chances, return_counts=True)
        return cls.total(cls.binomial(int(n), float(chance)) for chance, n in zip(alike, counts, strict=True))

    @classmethod
    def hypergeometric(cls, rounds: int, winning: int, drawn: int) -> Self:
        """Return how many winning rounds are among ``drawn`` of all ``rounds``, if each choice is equally likely."""
        share = winning / rounds
        variance = drawn * share * (1 - share) * (rounds - drawn) / max(1, rounds - 1)
        values = _values_around(drawn * share, variance, max(0, drawn + winning - rounds), min(drawn, winning))
        # By the ratio of neighbouring chances: a hundred times as fast as scipy's function, and as exact.
        k = values[:-1].astype(np.float64)
        steps = (winning - k) * (drawn - k) / ((k + 1) * (rounds - winning - drawn + k + 1))
        logarithms = np.concatenate([np.zeros(1), np.cumsum(np.log(steps))])
        chances = np.exp(logarithms - logarithms.max())
        return cls(int(values[0]), chances / chances.sum())

    @classmethod
    def total(cls, parts: Iterable[WholeSum]) -> Self:
        """Return the sum of independent parts."""
        first, chances = 0, np.ones(1)
        for part in parts:
            first, chances = first + part.first, np.convolve(chances, part.chances)
        return cls(first, chances)

    @property
    def mean(self) -> float:
        """The expectation."""
        return float(self.chances @ self._values)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self.chances @ (self._values - self.mean) ** 2))

    @property
    def _values(self) -> Floats:
        return self.first + np.arange(len(self.chances), dtype=np.float64)

    def at_most(self, value: int) -> float:
        """Return the chance of ``value`` or less."""
        return min(1.0, float(self.chances[: max(0, value - self.first + 1)].sum()) + _LEFT_OUT)

    def at_least(self, value: int) -> float:
        """Return the chance of ``value`` or more."""
        return min(1.0, float(self.chances[max(0, value - self.first) :].sum()) + _LEFT_OUT)

    def either_side(self, value: int) -> float:
        """Return twice the smaller of both: a two-sided p-value."""
        return min(1.0, 2 * min(self.at_most(value), self.at_least(value)))

    def critical(self, level: float, most: int) -> int | None:
        """Return the least value, up to ``most``, that has a one-sided p of at most ``level``; `None` if none has."""
        return next((value for value in range(self.first, most + 1) if self.at_least(value) <= level), None)

    def z(self, value: int) -> float:
        """Return how many standard deviations ``value`` is above the mean; 0 if the law has no spread."""
        return (value - self.mean) / self.deviation if self.deviation else 0.0


def _values_around(mean: float, variance: float, least: int, most: int) -> Ints:
    reach = _DEVIATIONS * math.sqrt(variance) + _DEVIATIONS**2
    return np.arange(max(least, math.floor(mean - reach)), min(most, math.ceil(mean + reach)) + 1)
