"""Duplicates: sequences of outcomes that occur twice, and tables that show the same outcome at the same round."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from fairness.draws.stream import SMALLEST_MULTIPLIER
from verifier.stats.numbers.chance import at_least_p, noticed_chance, percent
from verifier.stats.numbers.columns import Floats, Ints, TableColumns
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
    # After each table comes a number that occurs nowhere else.
    sequence = np.concatenate([np.append(table.final, -1 - place) for place, table in enumerate(tables)])
    rounds = len(sequence) - len(tables)
    likeliest = max(_likeliest(table) for table in tables)
    subject = "the longest sequence that occurs twice"
    question = "Were outcomes dealt again, in the same table or in another one?"
    unfinished = Finding("repeat", _names(tables), subject, question, rounds)
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


def _in_words(tables: Sequence[TableColumns], place: int) -> str:
    for table in tables:
        played = table.round[table.played]
        if place < len(played):
            return f"{played[place]:,} of {table.name}"
        place -= len(played) + 1
    raise ValueError("a place among the tables' rounds")


def longest_repeat(sequence: Ints) -> tuple[int, int, int]:
    """Return the length of the longest sequence that occurs at two places, which may overlap, and these places.

    All windows of one length are numbered, equal ones alike. The length is doubled until no window repeats, then a
    binary search finds the exact length.
    """
    windows, twice = _numbered(sequence - sequence.min())
    by_power = [windows]
    while twice is not None and 2 << (len(by_power) - 1) <= len(sequence):
        step = 1 << (len(by_power) - 1)
        windows, twice = _numbered(_end_to_end(by_power[-1][:-step], by_power[-1][step:]))
        by_power.append(windows)
    length, best, where = 0, np.zeros(len(sequence), dtype=np.int64), (0, 0)
    for power, windows in reversed(list(enumerate(by_power))):
        longer = length + (1 << power)
        size = len(sequence) - longer + 1
        if longer < len(sequence):
            numbers, twice = _numbered(_end_to_end(best[:size], windows[length : length + size]))
            if twice is not None:
                length, best, where = longer, numbers, twice
    return length, *where


def _end_to_end(first: Ints, second: Ints) -> Ints:
    """Return one number for each pair of windows, from the numbers of both."""
    return first * (int(second.max()) + 1) + second


def _numbered(windows: Ints) -> tuple[Ints, tuple[int, int] | None]:
    """Return equal windows as equal numbers from 0, and the first two places with the same one."""
    order = np.argsort(windows, kind="stable")
    is_new = np.diff(windows[order], prepend=-1) > 0
    numbers = np.empty_like(windows)
    numbers[order] = np.cumsum(is_new) - 1
    again = np.flatnonzero(~is_new)
    if not len(again):
        return numbers, None
    place = again[order[again - 1].argmin()]
    return numbers, (int(order[place - 1]), int(order[place]))


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
def _chances(rtp: int, cap: int) -> Floats:
    """Return the chance of each multiplier up to the cap; those above 10,000.00, too rare to match, are combined."""
    steps = np.arange(SMALLEST_MULTIPLIER, min(cap, _COUNTED_THROUGH) + 2)
    at_least_each = at_least(steps, rtp, cap)
    return np.append(at_least_each[:-1] - at_least_each[1:], at_least_each[-1])


def _same_round(tables: Sequence[TableColumns]) -> Finding:
    pairs = list(itertools.combinations(tables, 2))
    chance = max(_match(*pair) for pair in pairs)
    counted = [(*_matches(*pair), pair) for pair in pairs]
    tested = [(matches, rounds, pair) for matches, rounds, pair in counted if rounds * chance >= LEAST_MATCHES]
    subject, question = "the same outcome at the same round", "Do two tables show the same more often than chance?"
    unfinished = Finding("overlap", _names(tables), subject, question, sum(rounds for _, rounds, _ in counted))
    if LEAST_MATCHES / chance > _MOST_ROUNDS:
        return unfinished.without("two rounds alike are too rare to be counted; `repeat` looks for them")
    if not tested:
        needed = int(np.ceil(LEAST_MATCHES / chance))
        return unfinished.without(f"needs {needed:,} rounds that two tables have both played")
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
    """Return how many rounds show the same outcome at both tables, and how many both have played."""
    # Rounds are numbered from 1 without gaps.
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
    laws, others = ([_chances(each["rtp"], each["cap"]) for each in table.all_rules] for table in (one, other))
    return max(_meet(*pair) for pair in itertools.product(laws, others))


def _meet(first: Floats, second: Floats) -> float:
    size = min(len(first), len(second))
    return float(first[:size] @ second[:size])


def _names(tables: Sequence[TableColumns]) -> tuple[str, ...]:
    return tuple(table.name for table in tables)
