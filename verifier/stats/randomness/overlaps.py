"""Duplicates: sequences of outcomes that occur twice, and tables of a game that show the same outcome at the same
round.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from fairness.draws.stream import SMALLEST_MULTIPLIER
from verifier.stats.numbers.chance import at_least_p, noticed_chance, percent
from verifier.stats.numbers.columns import Ints, TableColumns
from verifier.stats.numbers.devices import devices_of
from verifier.stats.numbers.family import smallest_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import at_least

LEAST_ROUNDS = 100
LEAST_MATCHES = 5
_SMALLEST = 1e-300
"""A chance that a float can hold: that of a whole order of cards may be less."""
_MOST_ROUNDS = 10**12
_COUNTED_THROUGH = 1_000_000
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(31))


def overlaps(tables: Sequence[TableColumns]) -> Iterator[Finding]:
    """Yield the tests of all tables of one game, or of one declaration."""
    tables = _with_common_numbers(tables)
    yield _longest_repeat(tables)
    if len(tables) > 1:
        yield _same_round(tables)


def _with_common_numbers(tables: Sequence[TableColumns]) -> list[TableColumns]:
    """Count outcomes as one list: one has the same number at all tables."""
    numbers: dict[str, int] = {}
    found = []
    for table in tables:
        own = np.array([numbers.setdefault(text, len(numbers)) for text in table.distinct], dtype=np.int64)
        found.append(replace(table, outcome=own[table.outcome]))
    return found


def _longest_repeat(tables: Sequence[TableColumns]) -> Finding:
    sequence, rounds = _end_to_end(tables)
    likeliest = max(_likeliest(table) for table in tables)
    unfinished = Finding(
        "repeat",
        _names(tables),
        "the longest sequence that occurs twice",
        "Were outcomes dealt again, in the same table or in another one?",
        rounds,
    )
    if rounds < LEAST_ROUNDS:
        return unfinished.without(f"needs {LEAST_ROUNDS} rounds")
    if likeliest >= 1:
        return unfinished.without("the law of its outcomes is not known here")
    length, first, second = longest_repeat(sequence)
    places = rounds * (rounds - 1) / 2
    chance_of = np.log(places) + np.log(likeliest) * np.arange(1, rounds + 1)
    expected = int(np.searchsorted(-chance_of, 0.0)) + 1

    def power(level: float) -> str:
        copied = int(np.searchsorted(-chance_of, -np.log(level))) + 1
        return f"would have noticed any {copied} rounds in a row that were dealt twice, for certain"

    where = f", rounds {_in_words(tables, first)} and {_in_words(tables, second)}" if length else ""
    return unfinished.with_p(
        float(min(1.0, np.exp(chance_of[length - 1]))) if length else 1.0,
        statistic=float(length),
        null_law=f"exact bound: {places:.3g} pairs of places, each outcome of chance {percent(likeliest)} at most",
        observed=f"{length} rounds in a row{where}",
        expected=f"{expected} rounds or fewer" if expected > 1 else "none",
        power_at=power,
    )


def _end_to_end(tables: Sequence[TableColumns]) -> tuple[Ints, int]:
    """Return all played rounds' outcomes as single numbers, and after each table a number that occurs nowhere
    else.
    """
    parts: list[Ints] = []
    for place, table in enumerate(tables):
        parts += [table.final, np.array([-1 - place])]
    whole = np.concatenate(parts)
    return whole, len(whole) - len(tables)


def _in_words(tables: Sequence[TableColumns], place: int) -> str:
    for table in tables:
        played = table.round[table.played]
        if place < len(played):
            return f"{played[place]:,} of {table.name}"
        place -= len(played) + 1
    raise ValueError("a place among the tables' rounds")


def longest_repeat(sequence: Ints) -> tuple[int, int, int]:
    """Return the length of the longest sequence that occurs at two places, which may overlap, and these places.

    Each window gets a hash of 64 bits. The length of windows is doubled until none repeats, then a binary search
    finds the exact length. Windows with equal hashes are compared number by number.
    """
    hashes = [_mixed(sequence.astype(np.uint64), np.uint64(0))]
    while _twice(sequence, hashes[-1], 1 << (len(hashes) - 1)) is not None and 2 << (len(hashes) - 1) <= len(
        sequence
    ):
        step = 1 << (len(hashes) - 1)
        hashes.append(_mixed(hashes[-1][:-step], hashes[-1][step:]))
    length, best, where = 0, np.zeros(len(sequence), dtype=np.uint64), (0, 0)
    for power in reversed(range(len(hashes))):
        step = 1 << power
        if length + step >= len(sequence):
            continue
        size = len(sequence) - length - step + 1
        longer = _mixed(best[:size], hashes[power][length : length + size])
        found = _twice(sequence, longer, length + step)
        if found is not None:
            length, best, where = length + step, longer, found
    return length, *where


def _mixed(first: np.ndarray, second: np.ndarray | np.uint64) -> np.ndarray:
    product, other, shift = _MIX
    mixed = (first * product + second) * other
    return np.asarray(mixed ^ (mixed >> shift))


def _twice(sequence: Ints, hashes: np.ndarray, length: int) -> tuple[int, int] | None:
    """Return the first two places with the same hash and the same numbers."""
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    if not len(same):
        return None
    # Others are looked at only if two different windows have one hash.
    for place in (int(same[order[same].argmin()]), *same[:8].tolist()):
        first, second = int(order[place]), int(order[place + 1])
        if np.array_equal(sequence[first : first + length], sequence[second : second + length]):
            return first, second
    return None


def _likeliest(table: TableColumns) -> float:
    """Return a bound on the chance of the likeliest outcome under any of the table's rules; of a flight, and of a
    whole outcome, that chance.

    What comes in every round has no larger chance, and what comes besides only makes it smaller.
    """
    if table.is_flight:
        return max(float(_chances(rules["rtp"], rules["cap"]).max()) for rules in table.all_rules)
    devices = (devices_of(table.declared, rules, table.facts.whole) for rules in table.all_rules)
    return max(_SMALLEST, *(float(np.prod([each.likeliest for each in own])) for own in devices))


@cache
def _chances(rtp: int, cap: int) -> np.ndarray:
    """Return the chance of each multiplier from 1.00 to the cap; those above 10,000.00, too rare to match, are
    combined.
    """
    steps = np.arange(SMALLEST_MULTIPLIER, min(cap, _COUNTED_THROUGH) + 2)
    at_least_each = at_least(steps, rtp, cap)
    return np.append(at_least_each[:-1] - at_least_each[1:], at_least_each[-1])


def _same_round(tables: Sequence[TableColumns]) -> Finding:
    pairs = list(itertools.combinations(tables, 2))
    chance = max(_match(one, other) for one, other in pairs)
    counted = [_matches(one, other) for one, other in pairs]
    unfinished = Finding(
        "overlap",
        _names(tables),
        "the same outcome at the same round",
        "Do two tables show the same more often than chance?",
        sum(rounds for _, rounds in counted),
    )
    tested = [
        (matches, rounds, pair)
        for (matches, rounds), pair in zip(counted, pairs, strict=True)
        if rounds * chance >= LEAST_MATCHES
    ]
    if LEAST_MATCHES / chance > _MOST_ROUNDS:
        return unfinished.without("two rounds alike are too rare to be counted; `repeat` looks for them")
    if not tested:
        return unfinished.without(
            f"needs {int(np.ceil(LEAST_MATCHES / chance)):,} rounds that two tables have both played"
        )
    place, p = smallest_of([at_least_p(matches, rounds, chance) for matches, rounds, _ in tested])
    matches, rounds, (one, other) = tested[place]
    among = f"; the most conspicuous of {len(tested)} pairs (Bonferroni)" if len(tested) > 1 else ""

    def power(level: float) -> str:
        more = noticed_chance(rounds, chance, 2 * level / len(tested)) - chance
        return f"would have noticed one table that copies another in {percent(more / (1 - chance))} of its rounds with 90 % chance"

    return unfinished.with_p(
        p,
        statistic=float(matches),
        null_law=f"exact: binomial, {rounds:,} rounds of chance {percent(chance)}{among}",
        observed=f"{matches:,} times in {one.name} and {other.name}",
        expected=f"{rounds * chance:,.1f} times",
        power_at=power,
    )


def _matches(one: TableColumns, other: TableColumns) -> tuple[int, int]:
    """Return how many rounds show the same outcome at both tables, and how many both have played. Rounds are numbered
    from 1 without gaps.
    """
    size = min(len(one), len(other))
    both = one.played[:size] & other.played[:size]
    same = one.outcome[:size] == other.outcome[:size]
    return int(np.count_nonzero(both & same)), int(np.count_nonzero(both))


def _match(one: TableColumns, other: TableColumns) -> float:
    """Return the chance that two rounds show the same outcome, or a bound on it.

    If rules changed it is the largest, so that p is never too small.
    """
    if not one.is_flight:
        return max(_likeliest(one), _likeliest(other))
    return max(
        float(_padded(_chances(first["rtp"], first["cap"]), _chances(second["rtp"], second["cap"])))
        for first, second in itertools.product(one.all_rules, other.all_rules)
    )


def _padded(first: np.ndarray, second: np.ndarray) -> float:
    size = min(len(first), len(second))
    return float(first[:size] @ second[:size])


def _names(tables: Sequence[TableColumns]) -> tuple[str, ...]:
    return tuple(table.name for table in tables)
