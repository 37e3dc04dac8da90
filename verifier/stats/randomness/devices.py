"""Games by the kind of their devices: places, pairs of them, what comes together, what a round keeps of the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import scipy

from verifier.stats.numbers.chance import (
    binomial_p,
    noticed_chance,
    noticed_share,
    percent,
    share_noticed,
    shift_noticed,
)
from verifier.stats.numbers.columns import Bools, Floats, Ints
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.samples import MOST_PLACES, Drawn, Part
from verifier.stats.numbers.whole_sums import WholeSum
from verifier.stats.randomness.chi_square import LEAST_EXPECTED, LEAST_ROUNDS, farthest, merged

_TWO = 2
_MOST_PAIRED = 200
"""Pairs of more different things are not counted."""
_LEAST_ROUNDS = 100
"""Rounds that a test of many cells needs: fewer would show nothing."""


def of_devices(part: Part) -> Iterator[Finding]:
    """Yield the tests of all devices of one game under one set of rules, beside those of the sequence at a place."""
    for drawn in part.drawn:
        if drawn.device.size > 1:
            yield _places(drawn)
            if drawn.device.way == "taken" and drawn.device.size < drawn.device.things:
                yield from _piles(drawn)
            if drawn.device.way != "returned":
                yield _neighbours(drawn)
        if (drawn.further >= 0).any():
            yield _further(drawn)
    yield from _independent(part)


def _places(drawn: Drawn) -> Finding:
    """Return the counts at every place."""
    device, rounds = drawn.device, len(drawn)
    unfinished = drawn.asked("places", "Is each of them as frequent as it should be at every place?")
    chances = device.at_places()
    if rounds < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    labels = len(device.labels)
    tested = []
    for at in range(device.size):
        found = np.bincount(drawn.codes[:, at], minlength=labels)
        one, p_one = smallest_of(binomial_p(found, rounds, chances[at]))
        tested.append((p_one, at, one, int(found[one])))
        if fit := merged(found, rounds * chances[at]):
            tested.append((fit.p, at, one, int(found[one])))
    place, p = smallest_of([each[0] for each in tested])
    _, at, one, count = tested[place]
    chance = float(chances[at, one])
    return unfinished.with_p(
        p,
        statistic=float(count),
        null_law=f"exact: binomials, and the limit law of chi-square; the most conspicuous of {len(tested)} (Bonferroni)",
        observed=f"{device.labels[one]} {count:,} times at {device.place(at)}",
        expected=f"{rounds * chance:,.1f} times",
        power_at=lambda level: (
            f"would have noticed {device.labels[one]} at {percent(noticed_chance(rounds, chance, level / len(tested) / labels))}"
            f" instead of {percent(chance)} at one place with 90 % chance"
        ),
    )


def _piles(drawn: Drawn) -> Iterator[Finding]:
    counts = drawn.counts
    yield _inclusion(drawn, counts)
    yield _pairs(drawn, counts > 0)
    if drawn.device.has_each_once:
        yield _kept(drawn, counts)


def _inclusion(drawn: Drawn, counts: Ints) -> Finding:
    """Return how often each thing is among those that a round takes.

    The counts of one round have the covariance of the multivariate hypergeometric law: that of as many draws with
    return, times (n - k) / (n - 1) for k of n things. So Pearson's statistic times (n - 1) / (n - k) has the limit
    law of chi-square.
    """
    device, rounds = drawn.device, len(drawn)
    question = f"Is each of them as often among the {device.size} of a round as it should be?"
    unfinished = drawn.asked("inclusion", question)
    found, expected = counts.sum(axis=0), rounds * device.size * device.chances
    fit = merged(found, expected, stretched=(device.things - 1) / (device.things - device.size))
    if fit is None:
        needed = int(np.ceil(LEAST_EXPECTED / device.size / float(device.chances.min())))
        return unfinished.without(f"needs some {needed:,} rounds, {LEAST_EXPECTED} expected of each")
    far, chance = farthest(found, expected), float(device.chances.min())
    return unfinished.with_p(
        fit.p,
        statistic=fit.statistic,
        null_law=f"limit: chi-square with {fit.freedom} degrees of freedom, of counts without return: times (n - 1)/(n - k) for"
        f" {device.size} of {device.things}; used from {LEAST_EXPECTED} expected in each cell",
        observed=f"chi-square {fit.statistic:.1f}; farthest: {device.labels[far]} {found[far]:,} times",
        expected=f"chi-square near {fit.freedom}; {device.labels[far]} {expected[far]:,.1f} times",
        power_at=lambda level: (
            f"would have noticed one of them at {percent(noticed_share(rounds * device.size, chance, fit.freedom, level))}"
            f" of what is drawn instead of {percent(chance)} with 90 % chance"
        ),
    )


def _pairs(drawn: Drawn, has: Bools) -> Finding:
    """Return how often two things are in one round."""
    device, labels = drawn.device, drawn.device.labels
    unfinished = drawn.asked("together", "Do any two of them come in one round too often or too rarely?")
    if why := _too_little(drawn):
        return unfinished.without(why)
    one, other = np.triu_indices(len(labels), 1)
    both = has.astype(np.float32)
    found = np.rint((both.T @ both)[one, other]).astype(np.int64)

    def none(of_these: Floats) -> Floats:
        return np.asarray(scipy.stats.hypergeom.pmf(0, device.things, of_these.astype(np.int64), device.size))

    weights = device.weights
    chances = np.clip(1 - none(weights)[one] - none(weights)[other] + none(weights[one] + weights[other]), 0.0, 1.0)

    def named(place: int) -> str:
        return f"{labels[one[place]]} and {labels[other[place]]} in"

    return _of_pairs(unfinished, found, chances, named, ("rounds", "one pair"))


def _of_pairs(
    unfinished: Finding, found: Ints, chances: Floats, named: Callable[[int], str], words: tuple[str, str]
) -> Finding:
    """Return the count of the most conspicuous pair. The ``words``: the unit of counts, and what a pair is called."""
    unit, pair = words
    place, p = smallest_of(binomial_p(found, unfinished.rounds, chances))
    rounds, chance = unfinished.rounds, float(chances[place])
    return unfinished.with_p(
        p,
        statistic=float(found[place]),
        null_law=f"exact: binomial, the most conspicuous of {len(found):,} pairs (Bonferroni)",
        observed=f"{named(place)} {found[place]:,} {unit}",
        expected=f"{rounds * chance:,.1f} {unit}",
        power_at=lambda level: shift_noticed(rounds, chance, level / len(found), pair),
    )


def _too_little(drawn: Drawn) -> str:
    if len(drawn.device.labels) > _MOST_PAIRED:
        return f"has more than {_MOST_PAIRED} different things: too many pairs"
    return "" if len(drawn) >= LEAST_ROUNDS else f"needs {LEAST_ROUNDS} rounds"


def _kept(drawn: Drawn, counts: Ints) -> Finding:
    """Return how many things a round has in common with the one before.

    Whatever the round before took, this number is hypergeometric, so the numbers of all rounds are independent.
    """
    device, pairs = drawn.device, max(0, len(drawn) - 1)
    unfinished = drawn.asked("kept", "Do rounds repeat what the round before took?")
    common = (counts[1:] * counts[:-1]).sum(axis=1)
    law = scipy.stats.hypergeom.pmf(np.arange(device.size + 1), device.things, device.size, device.size)
    found = np.bincount(common, minlength=device.size + 1)
    fit = merged(found, pairs * law)
    if fit is None:
        return unfinished.without(f"needs more rounds, {LEAST_EXPECTED} expected in each of two cells")
    mean = device.size**2 / device.things
    return unfinished.with_p(
        fit.p,
        statistic=fit.statistic,
        null_law=f"limit: chi-square with {fit.freedom} degrees of freedom, of hypergeometric numbers; used from {LEAST_EXPECTED} expected"
        " in each cell",
        observed=f"{common.sum() / pairs:.3f} in common on average; chi-square {fit.statistic:.1f}",
        expected=f"{mean:.3f}; chi-square near {fit.freedom}",
        power_at=lambda level: share_noticed(pairs, float(law.max()), fit.freedom, level, "one of these numbers"),
    )


def _neighbours(drawn: Drawn) -> Finding:
    """Return how often one thing comes right before another; if things are there several times, at the first two."""
    device, labels = drawn.device, drawn.device.labels
    unfinished = drawn.asked("neighbours", "Does one of them come right before another one too often?")
    if why := _too_little(drawn):
        return unfinished.without(why)
    anywhere = device.way == "taken" and device.has_each_once
    codes = drawn.codes if anywhere else drawn.codes[:, :_TWO]
    # Of things that are there once, a round has each pair of neighbours at most once.
    found = np.bincount((codes[:, :-1] * len(labels) + codes[:, 1:]).ravel(), minlength=len(labels) ** 2)
    chances = device.at_first_two().ravel() * (codes.shape[1] - 1)
    possible = np.flatnonzero(chances > 0)
    where = "" if anywhere else " at the first two places"

    def named(place: int) -> str:
        first, second = divmod(int(possible[place]), len(labels))
        return f"{labels[first]} before {labels[second]}{where}"

    return _of_pairs(unfinished, found[possible], chances[possible], named, ("times", "one pair of neighbours"))


def _further(drawn: Drawn) -> Finding:
    """Return what follows in some rounds, such as a third card: each thing as often as it is still there.

    Whether one follows depends on those before it alone, so given these it is any of what is left.
    """
    device, labels = drawn.device, len(drawn.device.labels)
    gone, tested = drawn.counts.astype(np.int16), list[tuple[float, int, int, int, WholeSum]]()
    for at in range(drawn.further.shape[1]):
        has = drawn.further[:, at] >= 0
        if has.any():
            found = np.bincount(drawn.further[has, at], minlength=labels)
            one, law = _farthest(found, gone[has], device.weights, device.things - device.size - at)
            tested.append((law.either_side(int(found[one])), at, one, int(found[one]), law))
        gone += drawn.further[:, at, None] == np.arange(labels)
    place, p = smallest_of([each[0] for each in tested])
    _, at, one, count, law = tested[place]
    rounds = int((drawn.further[:, at] >= 0).sum())
    return drawn.asked("further", "Is what follows in some rounds as frequent as what is left allows?").with_p(
        min(1.0, p * labels),
        statistic=float(count),
        null_law=f"exact: sums of binomials, given what came before; the most conspicuous of {labels * len(tested):,} (Bonferroni)",
        observed=f"{device.labels[one]} {count:,} times as no. {device.size + at + 1}",
        expected=f"{law.mean:,.1f} times in {rounds:,} rounds",
        power_at=lambda level: shift_noticed(rounds, law.mean / rounds, level / labels / len(tested), "one of them"),
    )


def _farthest(found: Ints, gone: np.ndarray, weights: Floats, left: int) -> tuple[int, WholeSum]:
    """Return the thing whose count is the most standard deviations off, and the law of this count.

    It is a sum of binomials, one for each number of these things that are gone already. Its p times the number of
    things is valid, whichever thing is chosen (Bonferroni).
    """
    before = np.arange(int(gone.max()) + 1)[:, None]
    rounds = np.array([(gone == number).sum(axis=0) for number in before.ravel()])
    chances = np.clip((weights - before) / left, 0.0, 1.0)
    deviation = np.sqrt((rounds * chances * (1 - chances)).sum(axis=0))
    off = np.abs(found - (rounds * chances).sum(axis=0)) / np.maximum(deviation, np.finfo(float).tiny)
    one = int(off.argmax())
    parts = zip(rounds[:, one].tolist(), chances[:, one].tolist(), strict=True)
    return one, WholeSum.total(WholeSum.binomial(number, chance) for number, chance in parts if number)


def _independent(part: Part) -> Iterator[Finding]:
    """Yield places that are drawn with return: all pairs of them in one round."""
    returned = [drawn for drawn in part.drawn if drawn.device.way == "returned"]
    places = [(drawn, at) for drawn in returned for at in range(drawn.device.size)][:MOST_PLACES]
    if len(places) < _TWO:
        return
    rounds, names = len(part.drawn[0]), ", ".join(dict.fromkeys(drawn.device.name for drawn, _ in places))
    question = "Does one place depend on another one in the same round?"
    unfinished = part.drawn[0].asked("pairs-of-places", question, names)
    if rounds < _LEAST_ROUNDS:
        yield unfinished.without(f"needs {_LEAST_ROUNDS} rounds")
        return
    pairs = list(combinations(places, 2))
    tested = [_two(*one, *other) for one, other in pairs]
    pair, p = smallest_of([p for p, *_ in tested])
    _, count, observed, expected = tested[pair]
    (drawn, at), (other, beside) = pairs[pair]
    chance, cells = float(drawn.device.chances.max() * other.device.chances.max()), len(drawn.device.labels)
    yield unfinished.with_p(
        p,
        statistic=float(count),
        null_law=f"exact: binomials of each pair of results, and the limit law of chi-square; the most conspicuous of {len(tested)} pairs of"
        " places (Bonferroni)",
        observed=f"{observed} at {drawn.device.place(at)} and {other.device.place(beside)}",
        expected=expected,
        power_at=lambda level: shift_noticed(rounds, chance, level / len(tested) / 2 / cells, "one pair of results"),
    )


def _two(drawn: Drawn, at: int, other: Drawn, beside: int) -> tuple[float, int, str, str]:
    """Return the smaller of both p, twice, and how often the most conspicuous pair of results came."""
    device, labels, rounds = drawn.device, other.device.labels, len(drawn)
    chances = np.outer(device.chances, other.device.chances).ravel()
    found = np.bincount(drawn.codes[:, at] * len(labels) + other.codes[:, beside], minlength=len(chances))
    place, p = smallest_of(binomial_p(found, rounds, chances))
    fit = merged(found, rounds * chances)
    p = min(1.0, 2 * min(p, 1.0 if fit is None else fit.p))
    observed = f"{device.labels[place // len(labels)]} and {labels[place % len(labels)]} in {found[place]:,} rounds"
    return p, int(found[place]), observed, f"{rounds * chances[place]:,.1f} rounds"
