"""A hand of Blackjack against the dealer, as the demo plays it: by fixed rules, and without bets."""

from __future__ import annotations

from collections.abc import Callable

_BEST, _STANDS = 21, 17
_TENS = "TJQK"

Take = Callable[[int], list[str]]
"""Returns the next so many cards of the order."""


def deal(take: Take) -> dict[str, list[int]]:
    """Deal a round, and return the positions of the cards in each hand.

    A player below 17 takes a card, and so does the dealer, unless the player has lost.
    """
    cards, player, dealer = take(3), [1, 3], [2]

    def points(hand: list[int]) -> int:
        return _points([cards[position - 1] for position in hand])

    for hand in (player, dealer):
        while points(hand) < _STANDS and points(player) <= _BEST:
            cards += take(1)
            hand.append(len(cards))
    return {"player": player, "dealer": dealer}


def _points(cards: list[str]) -> int:
    """Return what cards are worth; an ace is 11 unless that is too much."""
    total = sum(1 if card[0] == "A" else 10 if card[0] in _TENS else int(card[0]) for card in cards)
    return total + 10 if total <= _BEST - 10 and any(card[0] == "A" for card in cards) else total
