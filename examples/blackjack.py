"""Blackjack (regulation 12.2): what the players decide moves along an order of cards that was fixed before their
bets.

The engine never has a card before it is dealt: each `take` is one call, after the decision that it follows from.
Surrender is left out; it moves along the same order. Stakes are whole numbers of cents.

    FOREDRAW_TOKEN=… python -m examples.blackjack blackjack-1
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from examples.engine import Engine, Order, Say, Thing, run

BEST, DEALER_STANDS, TWO = 21, 17, 2
Move = Literal["hit", "stand", "double", "split"]


@dataclass
class Hand:
    """Cards, and what is staked on them."""

    cards: list[Thing]
    stake: int
    is_split: bool = False
    """A hand of a pair that was split: it is not split again, and its ace and ten are no Blackjack."""

    @property
    def may_split(self) -> bool:
        """Whether it is a pair of two first cards, by their points."""
        return len(self.cards) == TWO and not self.is_split and len({points([card]) for card in self.cards}) == 1


Decide = Callable[[str, Hand, str], Move]
"""What a player does: by the player's name, the hand, and the dealer's open card."""
Insures = Callable[[str, Hand], bool]
"""Whether a player insures the stake where the dealer shows an ace."""


class Played(NamedTuple):
    """How a round ended."""

    hands: dict[str, list[Hand]]
    dealer: list[Thing]
    wins: dict[str, int]
    """What each player wins, in cents; a loss is negative."""
    code: str


def points(cards: Sequence[str]) -> int:
    """What cards are worth; an ace is 11 unless that is too much."""
    total = sum({"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in cards)
    return total + 10 if total <= BEST - 10 and any(card[0] == "A" for card in cards) else total


def is_blackjack(cards: Sequence[str]) -> bool:
    """An ace and a card of ten points, the first two."""
    return len(cards) == TWO and points(cards) == BEST


def win(hand: Hand, dealer: Sequence[str]) -> int:
    """What a hand wins against the dealer's: a Blackjack 3:2, others 1:1."""
    own, stake = points(hand.cards), hand.stake
    if own > BEST:
        return -stake
    is_best = is_blackjack(hand.cards) and not hand.is_split
    if is_best or is_blackjack(dealer):
        return (is_best - is_blackjack(dealer)) * (stake * 3 // 2 if is_best else stake)
    if points(dealer) > BEST or own > points(dealer):
        return stake
    return -stake if own < points(dealer) else 0


def play(
    engine: Engine, stakes: Mapping[str, int], decide: Decide, say: Say, insures: Insures | None = None
) -> Played:
    """Play a round in which each player has one box."""
    number = engine.begin()
    lines = [f"{secrets.token_hex(16)} {player} {stake}".encode() for player, stake in stakes.items()]
    order = engine.lock(number, lines)
    hands = {player: [Hand(order.take(), stake)] for player, stake in stakes.items()}
    dealer = order.take()
    for (hand,) in hands.values():
        hand.cards += order.take()
    say(f"round {number}: " + ", ".join(f"{player} {' '.join(hand.cards)}" for player, (hand,) in hands.items()))
    say(f"the dealer shows {dealer[0]}")
    asked = [player for player, (hand,) in hands.items() if dealer[0][0] == "A" and insures and insures(player, hand)]
    insured = {player: stakes[player] // 2 for player in asked}
    say(f"insured: {', '.join(insured) or 'nobody'}")
    for player, own in hands.items():
        _decided(player, own, dealer[0], order, decide, say)
    while points(dealer) < DEALER_STANDS:
        dealer += order.take()
    say(f"the dealer has {' '.join(dealer)}")
    wins = {player: sum(win(hand, dealer) for hand in own) for player, own in hands.items()}
    for player, stake in insured.items():
        wins[player] += 2 * stake if is_blackjack(dealer) else -stake
    code = order.end({"dealer": dealer, **_named(hands)}, "cards")
    say(f"{len(order.given)} cards were dealt; {', '.join(f'{player} {each:+}' for player, each in wins.items())}")
    say(code)
    return Played(hands, dealer, wins, code)


def _named(hands: Mapping[str, list[Hand]]) -> dict[str, list[Thing]]:
    """Every hand by its player's name; of a pair that was split, the second hand has a number."""
    return {
        player if number == 1 else f"{player} {number}": hand.cards
        for player, own in hands.items()
        for number, hand in enumerate(own, 1)
    }


def _decided(player: str, hands: list[Hand], shown: str, order: Order, decide: Decide, say: Say) -> None:
    """Deal to one player's hands until they stand; a split adds one."""
    for hand in hands:
        move: Move = "hit"
        while move not in {"stand", "double"} and points(hand.cards) < BEST:
            move = decide(player, hand, shown)
            # The decision is in the minutes before anybody, the engine included, has the next card.
            say(f"{player} has {' '.join(hand.cards)}: {move}")
            if move == "split":
                hands.append(_split(hand, order))
            elif move != "stand":
                hand.cards += order.take()
                hand.stake *= 2 if move == "double" else 1


def _split(hand: Hand, order: Order) -> Hand:
    """Make two hands of a pair, with a card more to each; the stake of the second is one more."""
    if not hand.may_split:
        raise ValueError(f"{' '.join(hand.cards)} cannot be split")
    other = Hand([hand.cards.pop()], hand.stake, is_split=True)
    hand.is_split = True
    hand.cards += order.take()
    other.cards += order.take()
    return other


def simple(player: str, hand: Hand, shown: str) -> Move:  # noqa: ARG001 -- every player has these
    """Split aces and eights; double 10 and 11; stand from 17 on, and from 12 on if the dealer shows 2 to 6."""
    total = points(hand.cards)
    if hand.may_split and hand.cards[0][0] in "A8":
        return "split"
    if len(hand.cards) == TWO and total in {10, 11}:
        return "double"
    return "stand" if total >= (12 if shown[0] in "23456" else 17) else "hit"


if __name__ == "__main__":
    run("Play Blackjack.", lambda engine: play(engine, {"ani": 1000, "bo": 500}, simple, print))
