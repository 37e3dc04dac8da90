"""How many hands of one pack of 52 cards have each poker class, counted by their ranks.

A hand's ranks say what it is but for flushes. Of hands with the same ranks, those with a flush are counted by the
ranks that are in its suit: more than one suit cannot have as many cards as a flush needs, in up to seven cards.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import comb, prod

from games.bets.hands import RANKS, best_class

_SUITS = 4


@lru_cache(16)
def hand_counts(cards: int, high: str = "") -> Mapping[str | int, int]:
    """Return how many of all hands of so many cards have each class of `games.bets.hands.hand_of`."""
    size = min(cards, 5)
    counts: Counter[str | int] = Counter()
    for ranks in _ranks(cards):
        every = prod(comb(_SUITS, number) for number in ranks.values())
        for flush, ways in _flushes(ranks, size):
            counts[best_class(ranks, flush, high, size)] += ways
            every -= ways
        counts[best_class(ranks, (), high, size)] += every
    return counts


def _ranks(cards: int) -> Iterator[Counter[str]]:
    for chosen in itertools.combinations_with_replacement(RANKS, cards):
        ranks = Counter(chosen)
        if max(ranks.values()) <= _SUITS:
            yield ranks


def _flushes(ranks: Counter[str], size: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield which ranks may be of one suit, and in how many hands just these are."""
    for number in range(size, len(ranks) + 1):
        for suited in itertools.combinations(ranks, number):
            ways = _SUITS
            for rank, times in ranks.items():
                # Of a rank in the suit, the other cards are of the three other suits; of another rank, all are.
                ways *= comb(_SUITS - 1, times - (rank in suited))
            if ways:
                yield suited, ways
