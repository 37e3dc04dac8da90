"""Blackjack (regulation 12.2): what the players decide moves along an order of cards that was fixed before their bets.

The engine never has a card before it is dealt: each `take` is one call, after the decision that it follows from.
Splitting, insurance and surrender are left out; they move along the same order. Stakes are whole numbers of cents.

    FOREDRAW_TOKEN=… python -m examples.blackjack blackjack-1
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from examples.engine import Engine, Order, Say, run

BEST, DEALER_STANDS = 21, 17
Move = Literal["hit", "stand", "double"]
Decide = Callable[[str, list[str], str], Move]
"""What a player does: by the player's name, the player's cards, and the dealer's open card."""


class Played(NamedTuple):
    """How a round ended."""

    hands: dict[str, list[str]]
    dealer: list[str]
    wins: dict[str, int]
    """What each player wins, in cents; a loss is negative."""
    code: str


def points(hand: list[str]) -> int:
    """What a hand is worth; an ace is 11 unless that is too much."""
    total = sum({"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in hand)
    return total + 10 if total <= BEST - 10 and any(card[0] == "A" for card in hand) else total


def is_blackjack(hand: list[str]) -> bool:
    """An ace and a card of ten points, the first two."""
    return len(hand) == 2 and points(hand) == BEST  # noqa: PLR2004


def win(hand: list[str], dealer: list[str], stake: int) -> int:
    """What a hand wins against the dealer's: a Blackjack 3:2, others 1:1."""
    if points(hand) > BEST:
        return -stake
    if is_blackjack(hand) or is_blackjack(dealer):
        return (is_blackjack(hand) - is_blackjack(dealer)) * (stake * 3 // 2 if is_blackjack(hand) else stake)
    if points(dealer) > BEST or points(hand) > points(dealer):
        return stake
    return -stake if points(hand) < points(dealer) else 0


def play(engine: Engine, stakes: Mapping[str, int], decide: Decide, say: Say) -> Played:
    """Play a round in which each player has one hand."""
    number = engine.begin()
    lines = [f"{secrets.token_hex(16)} {player} {stake}".encode() for player, stake in stakes.items()]
    order = engine.lock(number, lines)
    hands = {player: order.take(2) for player in stakes}
    dealer = order.take()
    say(f"round {number}: " + ", ".join(f"{player} {' '.join(hand)}" for player, hand in hands.items()))
    say(f"the dealer shows {dealer[0]}")
    staked = dict(stakes)
    for player, hand in hands.items():
        staked[player] *= _decided(player, hand, dealer[0], order, decide, say)
    while points(dealer) < DEALER_STANDS:
        dealer += order.take()
    say(f"the dealer has {' '.join(dealer)}")
    wins = {player: win(hand, dealer, staked[player]) for player, hand in hands.items()}
    code = order.end("cards")
    say(f"{len(order.given)} cards were dealt; {', '.join(f'{player} {each:+}' for player, each in wins.items())}")
    say(code)
    return Played(hands, dealer, wins, code)


def _decided(player: str, hand: list[str], shown: str, order: Order, decide: Decide, say: Say) -> int:
    """Deal to one player's hand until it stands; how many times the stake is on it."""
    while points(hand) < BEST:
        move = decide(player, hand, shown)
        # The decision is in the minutes before anybody, the engine included, has the next card.
        say(f"{player} has {' '.join(hand)}: {move}")
        if move == "stand":
            return 1
        hand += order.take()
        if move == "double":
            return 2
    return 1


def simple(player: str, hand: list[str], shown: str) -> Move:  # noqa: ARG001
    """Double 10 and 11; stand from 17 on, and from 12 on if the dealer shows 2 to 6."""
    if len(hand) == 2 and points(hand) in {10, 11}:  # noqa: PLR2004
        return "double"
    return "stand" if points(hand) >= (12 if shown[0] in "23456" else 17) else "hit"


if __name__ == "__main__":
    run("Play Blackjack.", lambda engine: play(engine, {"ani": 1000, "bo": 500}, simple, print))
