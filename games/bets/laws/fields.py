"""Races: who is drawn leaves, with its weight (Harville)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from fairness.draws.game import Rules
from games.bets.figures import Figure, Figures, leaves, selected
from games.bets.values import Value


def order_law(figures: Figures, rules: Rules, figure: Figure) -> dict[Value, Fraction]:
    """The chance of each value, by all orders of the first ones that the figure looks at."""
    depth = max(last or 0 for leaf in leaves(figure) for _, _, _, last in selected(leaf[1]))
    law: defaultdict[Value, Fraction] = defaultdict(Fraction)
    weights = tuple(rules[f"w{runner}"] for runner in range(1, rules["runners"] + 1))
    for order, chance in _first(weights, depth):
        law[figures.of(figure, {"order": list(order)})] += chance
    return law


@lru_cache(8)
def _first(weights: tuple[int, ...], depth: int) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    return tuple(_orders(dict(enumerate(weights, 1)), depth))


def _orders(weights: Mapping[int, int], depth: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    if depth == 0:
        yield (), Fraction(1)
        return
    total = sum(weights.values())
    for runner, weight in weights.items():
        rest = {other: each for other, each in weights.items() if other != runner}
        for order, chance in _orders(rest, depth - 1):
            yield (runner, *order), Fraction(weight, total) * chance
