"""Races: who is drawn leaves, with its weight (Harville).

A figure asks which of some runners are among the first, or in which order the first came. So no orders are listed:
the chances of the first ones are added up set by set, as who came before counts only with the sum of its weights.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import perm

from fairness.draws.game import Rules
from games.bets.bet import NoLaw
from games.bets.figures import Figure, Figures, leaves, selected
from games.bets.values import Value

_MOST_ORDERS = 150_000
Weights = tuple[int, ...]
"""The weights of the runners, beginning with runner 1."""


def order_law(figures: Figures, rules: Rules, figure: Figure) -> dict[Value, Fraction]:
    """Return the chance of each value."""
    weights = tuple(rules[f"w{runner}"] for runner in range(1, rules["runners"] + 1))
    found = [last for leaf in leaves(figure) for _, _, _, last in selected(leaf[1])]
    # A whole place, and a place from the end, have all runners before them.
    depth = len(weights) if any(last is None or last < 0 for last in found) else max(last or 0 for last in found)
    kind, selection, *arguments = figure
    reached = min(depth, len(weights))
    if kind == "done" and selection == f"order 1-{depth}":
        return _done_law(weights, reached, arguments[0].listed)
    if kind == "inorder" and selection == f"order 1-{depth}":
        return _inorder_law(weights, reached, arguments[0])
    return _listed_law(figures, weights, reached, figure)


def _done_law(weights: Weights, depth: int, wanted: frozenset[Value]) -> dict[Value, Fraction]:
    """Return at which place the last of the ``wanted`` comes; 0 if one of them is not among the first."""
    if not wanted:
        return {0: Fraction(1)}
    until = [
        sum((chance for runners, chance in _first(weights, at).items() if wanted <= runners), Fraction(0))
        for at in range(depth + 1)
    ]
    law: dict[Value, Fraction] = {at: until[at] - until[at - 1] for at in range(1, depth + 1)}
    return {value: chance for value, chance in (law | {0: 1 - until[depth]}).items() if chance}


def _inorder_law(weights: Weights, depth: int, wanted: Sequence[Value]) -> dict[Value, Fraction]:
    runners = [runner for runner in wanted if isinstance(runner, int) and 0 < runner <= len(weights)]
    if not len(set(runners)) == len(wanted) == depth:
        return {0: Fraction(1)}
    left, chance = sum(weights), Fraction(1)
    for runner in runners:
        chance *= Fraction(weights[runner - 1], left)
        left -= weights[runner - 1]
    return {value: each for value, each in ((1, chance), (0, 1 - chance)) if each}


@lru_cache(32)
def _first(weights: Weights, number: int) -> dict[frozenset[Value], Fraction]:
    """Return the chance of each set of so many runners to be the first, in any order."""
    if number == 0:
        return {frozenset(): Fraction(1)}
    found: defaultdict[frozenset[Value], Fraction] = defaultdict(Fraction)
    for runners, chance in _first(weights, number - 1).items():
        left = {runner: weight for runner, weight in enumerate(weights, 1) if runner not in runners}
        each = Fraction(chance, sum(left.values()))
        for runner, weight in left.items():
            found[runners | {runner}] += each * weight
    return dict(found)


def _listed_law(figures: Figures, weights: Weights, depth: int, figure: Figure) -> dict[Value, Fraction]:
    """Compute any figure, by all orders of the first ones that it looks at."""
    if perm(len(weights), depth) > _MOST_ORDERS:
        raise NoLaw(f"at most {_MOST_ORDERS:,} orders of the first runners")
    law: defaultdict[Value, Fraction] = defaultdict(Fraction)
    for order, chance in _orders(dict(enumerate(weights, 1)), depth):
        law[figures.of(figure, {"order": list(order)})] += chance
    return dict(law)


def _orders(weights: Mapping[int, int], depth: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    if depth == 0:
        yield (), Fraction(1)
        return
    total = sum(weights.values())
    for runner, weight in weights.items():
        rest = {other: each for other, each in weights.items() if other != runner}
        for order, chance in _orders(rest, depth - 1):
            yield (runner, *order), Fraction(weight, total) * chance
