"""Poker with one exchange against the dealer (regulation 12.4): whoever buys a card gets the one of their own seat.

The order has five cards a seat, the dealer's five, and one card to exchange for each seat. So no decision of a
neighbour changes anybody's cards, and a card that nobody buys is passed over. Stakes are whole numbers of cents.

    FOREDRAW_TOKEN=… python -m examples.exchange_poker exchange-poker-1
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from examples.engine import Engine, Say, Thing, run

RANKS = "23456789TJQKA"
PAYS = (1, 1, 2, 3, 4, 5, 7, 20, 50, 100)
"""Times the raise, by the class of the hand: high card, pair, two pairs, threes, straight, flush, full house, fours,
…
"""
ACE_KING = (0, [RANKS.index("A"), RANKS.index("K")])
"""The least hand with which the dealer qualifies."""
STRAIGHT, FLUSH, STRAIGHT_FLUSH, ROYAL = 4, 5, 8, 9
_CLASSES = {(2, 1): 1, (2, 2): 2, (3, 1): 3, (3, 2): 6, (4, 1): 7}


class Player(Protocol):
    """Who sits at a seat, and decides."""

    def gives_back(self, hand: Sequence[str], shown: str) -> str | None:
        """The card to exchange for another one, for an ante; `None` to keep all five."""

    def raises(self, hand: Sequence[str], shown: str) -> bool:
        """Whether to raise by two antes; else the player folds."""


class Played(NamedTuple):
    """How a round ended."""

    hands: list[list[Thing]]
    dealer: list[Thing]
    wins: list[int]
    """What each seat wins, in cents; a loss is negative."""
    code: str


def worth(hand: Sequence[str]) -> tuple[int, list[int]]:
    """The class of five cards, and their ranks, the most frequent first: the larger one wins."""
    times = Counter(RANKS.index(card[0]) for card in hand)
    ranks = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
    if ranks == [12, 3, 2, 1, 0]:
        # An ace below the two.
        ranks = [3, 2, 1, 0, -1]
    straight = len(ranks) == len(hand) and ranks[0] - ranks[-1] == len(hand) - 1
    flush = len({card[1] for card in hand}) == 1
    if straight and flush:
        return ROYAL if ranks[0] == RANKS.index("A") else STRAIGHT_FLUSH, ranks
    if straight or flush:
        return FLUSH if flush else STRAIGHT, ranks
    first, *rest = (times[rank] for rank in ranks)
    return _CLASSES.get((first, rest[0]), 0), ranks


def win(hand: Sequence[str], dealer: Sequence[str], ante: int) -> int:
    """What a seat that has raised wins: if the dealer does not qualify, one ante; else ante 1:1, and the raise by its
    hand.
    """
    mine, theirs = worth(hand), worth(dealer)
    if theirs < ACE_KING:
        return ante
    if mine == theirs:
        return 0
    return ante + 2 * ante * PAYS[mine[0]] if mine > theirs else -3 * ante


def play(engine: Engine, players: Sequence[Player], ante: int, say: Say) -> Played:
    """Play a round with a player on each seat of the table."""
    number = engine.begin()
    lines = [f"{secrets.token_hex(16)} seat {seat} {ante}".encode() for seat, _ in enumerate(players, 1)]
    order = engine.lock(number, lines)
    hands = [order.take(5) for _ in players]
    dealer = order.take()
    say(f"round {number}: " + " / ".join(" ".join(hand) for hand in hands) + f"; the dealer shows {dealer[0]}")
    # All seats decide before the dealer's closed cards and the cards to exchange leave the service.
    returned = [player.gives_back(hand, dealer[0]) for player, hand in zip(players, hands, strict=True)]
    say("given back: " + ", ".join(card or "none" for card in returned))
    dealer += order.take(4)
    for seat, (hand, card) in enumerate(zip(hands, order.take(len(players)), strict=True)):
        if (old := returned[seat]) is not None:
            hand[list(map(str, hand)).index(old)] = card
            say(f"seat {seat + 1} gets {card} for {old}")
    # From here on the engine knows the dealer's cards, as a dealer could who looks: the minutes have what players
    # decided.
    raised = [player.raises(hand, dealer[0]) for player, hand in zip(players, hands, strict=True)]
    say("raised: " + ", ".join("yes" if each else "no" for each in raised))
    wins = [
        (win(hand, dealer, ante) if stays else -ante) - (ante if old is not None else 0)
        for hand, stays, old in zip(hands, raised, returned, strict=True)
    ]
    seats = {f"seat {seat}": hand for seat, hand in enumerate(hands, 1)}
    code = order.end({**seats, "dealer": dealer}, "players", "dealer", "draws")
    say(f"the dealer has {' '.join(dealer)}; " + ", ".join(f"{each:+}" for each in wins))
    say(code)
    return Played(hands, dealer, wins, code)


class Careful:
    """Without a pair, buys a card for a flush that lacks one; raises with ace-king or better."""

    def gives_back(self, hand: Sequence[str], shown: str) -> str | None:  # noqa: ARG002 -- every player has these
        """The card of the other suit, if four have one."""
        (suit, number), *_ = Counter(card[1] for card in hand).most_common()
        lacks_one = number == 4 and worth(hand)[0] == 0  # noqa: PLR2004 -- as the rules have it
        return next(card for card in hand if card[1] != suit) if lacks_one else None

    def raises(self, hand: Sequence[str], shown: str) -> bool:  # noqa: ARG002 -- every player has these
        """With as much as the dealer needs."""
        return worth(hand) >= ACE_KING


if __name__ == "__main__":
    run("Play poker with one exchange.", lambda engine: play(engine, [Careful(), Careful()], 100, print))
