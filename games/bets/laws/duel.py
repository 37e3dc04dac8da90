"""The law of 21 Bet's deal (SPEC 3.8): two hands of one pack of 36, counted by their ranks, card by card."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, lcm, prod

from fairness.draws.game import Outcome

_RANKS = "6789TJQKA"
_WORTH = {"6": 6, "7": 7, "8": 8, "9": 9, "T": 10, "J": 2, "Q": 3, "K": 4, "A": 1}
_BEST, _ENOUGH, _ROUNDS = 21, 17, 3
_SUITS, _CARDS = 4, 36
_GOLDEN = "AA"

_STEP = lcm(*range(27, 33))
"""Of 36 cards, 27 to 32 are left for the next one."""

Hands = tuple[str, str]
"""The ranks of both hands, each sorted."""


@lru_cache(1)
def twenty_one() -> tuple[tuple[Outcome, Fraction], ...]:
    """Return outcomes that stand for all whose winner, numbers of cards and points are the same."""
    weights = _dealt()
    total = sum(weights.values()) * _STEP ** (2 * _ROUNDS)
    ended: defaultdict[tuple[object, ...], int] = defaultdict(int)
    alike: dict[tuple[object, ...], Hands] = {}
    for at in range(2 * _ROUNDS + 1):
        goes_on: defaultdict[Hands, int] = defaultdict(int)
        for hands, weight in weights.items():
            if at == 2 * _ROUNDS or _is_over(hands):
                key = tuple((len(hand), points(hand), hand == _GOLDEN) for hand in hands)
                ended[key] += weight * _STEP ** (2 * _ROUNDS - at)
                alike[key] = hands
            else:
                _take(goes_on, hands, at % 2, weight)
        weights = goes_on
    return tuple((_outcome(alike[key]), Fraction(weight, total)) for key, weight in ended.items())


@lru_cache(None)
def points(hand: str) -> int:
    """Count points: an ace has 11, or 1 where 11 would be over 21."""
    total = sum(map(_WORTH.__getitem__, hand))
    return total + 10 if "A" in hand and total + 10 <= _BEST else total


def _dealt() -> dict[Hands, int]:
    """Return two cards each, in any order."""
    pairs = ["".join(pair) for pair in combinations_with_replacement(_RANKS, 2)]
    ways = {}
    for first in pairs:
        for second in pairs:
            left = {rank: _SUITS - first.count(rank) for rank in _RANKS}
            ways[first, second] = _ways(first, dict.fromkeys(_RANKS, _SUITS)) * _ways(second, left)
    return ways


def _ways(hand: str, left: Mapping[str, int]) -> int:
    return prod(comb(left[rank], times) for rank, times in Counter(hand).items())


def _is_over(hands: Hands) -> bool:
    totals = tuple(map(points, hands))
    return _GOLDEN in hands or max(totals) > _BEST or min(totals) >= _ENOUGH


def _take(goes_on: dict[Hands, int], hands: Hands, at: int, weight: int) -> None:
    """Deal a card to one hand, if it takes one."""
    if points(hands[at]) >= _ENOUGH:
        goes_on[hands] += weight * _STEP
        return
    both = hands[0] + hands[1]
    each = weight * (_STEP // (_CARDS - len(both)))
    for rank in _RANKS:
        left = _SUITS - both.count(rank)
        if left:
            hand = _with(hands[at], rank)
            goes_on[(hand, hands[1]) if at == 0 else (hands[0], hand)] += each * left


@lru_cache(None)
def _with(hand: str, rank: str) -> str:
    return "".join(sorted(hand + rank, key=_RANKS.index))


def _outcome(hands: Hands) -> Outcome:
    first, second = (" ".join(f"{rank}c" for rank in hand) for hand in hands)
    return {"first": first, "second": second}
