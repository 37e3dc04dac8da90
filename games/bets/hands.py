"""Poker hands: the class of three, five, six or seven cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

RANKS = "23456789TJQKA"
_STRAIGHT, _THREE_CARDS = 5, 3
_ROYAL = {_STRAIGHT: set("TJQKA"), _THREE_CARDS: set("QKA")}


def hand_of(cards: Sequence[str], high: str = "") -> str:
    """Return the best class: of three cards among the classes of three, of more among those of five.

    A pair is a ``pair``, or a ``high pair`` if its rank is in ``high``.
    """
    size = min(len(cards), _STRAIGHT)
    suits = Counter(card[-1] for card in cards)
    flush = {card[0] for card in cards if suits[card[-1]] >= size}
    return best_class(Counter(card[0] for card in cards), flush, high, size)


def best_class(ranks: Counter[str], flush: Collection[str], high: str, size: int) -> str:
    """Return the best class; ``flush`` are the ranks of a suit that has at least ``size`` cards, if one has."""
    times = [*sorted(ranks.values(), reverse=True), 0]
    pairs = [rank for rank, number in ranks.items() if number > 1]
    of_five = size == _STRAIGHT
    suited = bool(flush) and is_straight(flush, size)
    classes = (
        ("royal flush", suited and _ROYAL[size] <= set(flush)),
        ("straight flush", suited),
        ("four", times[0] == 4),  # as many suits as there are
        ("full house", of_five and times[0] == 3 and times[1] > 1),
        ("flush", bool(flush)),
        ("straight", is_straight(ranks, size)),
        ("three", times[0] == 3),
        ("two pairs", of_five and len(pairs) > 1),
        ("high pair", bool(pairs) and pairs[0] in high),
        ("pair", bool(pairs)),
    )
    return next((name for name, has in classes if has), "high card")


def is_straight(ranks: Collection[str], size: int) -> bool:
    """Return whether so many of the ranks follow each other; an ace may be low."""
    held = ["A" in ranks, *(rank in ranks for rank in RANKS)]
    return any(all(held[low : low + size]) for low in range(len(held) - size + 1))
