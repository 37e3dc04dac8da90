"""Coupon collector: how many times a complete set of outcomes was collected, starting again after each."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from functools import partial

import numpy as np

from verifier.stats.numbers.chance import noticed_deviations
from verifier.stats.numbers.columns import Ints
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import Sample

LEAST_COLLECTIONS = 5
_NOTHING = 50.0
"""Terms smaller than e to the power of minus this are left out."""


def coupons(sample: Sample) -> Iterator[Finding]:
    """Yield the number of complete collections in these rounds, against its exact law.

    There are at least c collections if and only if the first c took no more rounds than there are. A
    collection of m outcomes is a sum of geometric waits with the chances m/m, (m-1)/m, …, 1/m. The law of c
    collections is the inverse of the c-th power of its Fourier transform.
    """
    kinds, rounds = sample.law.classes, len(sample)
    if not sample.law.is_uniform:
        return
    mean, deviation = _collection(kinds)
    question = f"Does it take as long as it should until every {sample.law.one} has occurred?"
    unfinished = sample.asked("coupon-collector", f"all {kinds} {sample.law.one}s", question)
    if rounds < LEAST_COLLECTIONS * mean:
        needed = int(np.ceil(LEAST_COLLECTIONS * mean))
        yield unfinished.without(f"needs {needed:,} rounds, {LEAST_COLLECTIONS} collections")
        return
    found = _collections(sample.classes, kinds)
    more = _chance_within(found, rounds, kinds) if found else 1.0
    fewer = 1 - _chance_within(found + 1, rounds, kinds)
    yield unfinished.with_p(
        min(1.0, max(0.0, 2 * min(more, fewer))),
        statistic=float(found),
        null_law="exact: the law of a sum of geometric waits, by Fourier transform",
        observed=f"{found:,} collections",
        expected=f"{rounds / mean:,.1f} collections of {mean:.1f} rounds on average",
        power_at=partial(_power, mean, deviation, rounds / mean),
    )


def _collection(kinds: int) -> tuple[float, float]:
    """Return how many rounds a collection takes: mean and standard deviation."""
    chances = np.arange(1, kinds + 1) / kinds
    return float((1 / chances).sum()), float(np.sqrt(((1 - chances) / chances**2).sum()))


def _collections(classes: Ints, kinds: int) -> int:
    count, seen = 0, set[int]()
    for kind in classes.tolist():
        seen.add(kind)
        if len(seen) == kinds:
            count += 1
            seen.clear()
    return count


def _chance_within(collections: int, rounds: int, kinds: int) -> float:
    """Return P(``collections`` take at most ``rounds``): exact except for the rounding of doubles, about 10⁻¹³."""
    mean, deviation = _collection(kinds)
    # What lies beyond the transform's length wraps around, so it is at least twenty standard deviations away.
    length = int(max(rounds, collections * mean) + 20 * np.sqrt(collections) * deviation + 50 * kinds)
    size = 1 << length.bit_length()
    transform = np.zeros(size // 2 + 1, dtype=np.complex128)
    # Each factor's modulus falls with the frequency, so the product's does too, and beyond some frequency it is
    # negligible.
    places = range(len(transform))
    needed = bisect(places, _NOTHING, key=lambda place: -_log_modulus(place / size, collections, kinds))
    turns = np.exp(-2j * np.pi * np.arange(needed) / size)
    one = np.ones_like(turns)
    for found in range(1, kinds + 1):
        one *= (found / kinds) * turns / (1 - (1 - found / kinds) * turns)
    transform[:needed] = one**collections
    law = np.fft.irfft(transform, size)
    return float(np.clip(law[: rounds + 1].sum(), 0, 1))


def _log_modulus(frequency: float, collections: int, kinds: int) -> float:
    chances = np.arange(1, kinds + 1) / kinds
    waits = chances / np.abs(1 - (1 - chances) * np.exp(-2j * np.pi * frequency))
    return float(collections * np.log(waits).sum())


def _power(mean: float, deviation: float, collections: float, level: float) -> str:
    longer = noticed_deviations(level) * deviation / mean / np.sqrt(collections)
    return f"would have noticed collections that take {100 * longer:.2g} % more or fewer rounds with 90 % chance"
