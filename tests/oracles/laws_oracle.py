"""The laws of declared games, written from the regulation and not from their declarations: each outcome's chance.

Only those with few enough outcomes to list. The sections are the regulation's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from fractions import Fraction

from tests.support.declarations import spelled

Law = dict[bytes, Fraction]

FIELD = (7, 5, 3, 1)
"""How likely each of four runners is to win, in sixteenths."""
REELS = (9, 14)
RULES: Mapping[str, dict[str, int]] = {
    "racing": {"runners": 4} | {f"w{runner}": weight for runner, weight in enumerate(FIELD, 1)},
    "prize-wheel": {"segments": 3, "w1": 70, "w2": 29, "w3": 1},
    "slot": {"reels": 2, "reel1": REELS[0], "reel2": REELS[1]},
    "numbers": {"count": 3, "of": 20},
    "lotto": {"count": 3, "of": 12},
}
"""Rules under which those can be listed that have parameters."""


def _uniform(outcomes: Iterable[object]) -> Law:
    found = [spelled(outcome) for outcome in outcomes]
    return dict.fromkeys(found, Fraction(1, len(found)))


def _one(place: str, things: Iterable[object]) -> Law:
    return _uniform({place: thing} for thing in things)


def _shares(place: str, shares: Mapping[str, int] | Mapping[int, int]) -> Law:
    return {spelled({place: thing}): Fraction(share, sum(shares.values())) for thing, share in shares.items()}


def _two_dice() -> Law:
    return _uniform({"dice": dice} for dice in itertools.product(range(1, 7), repeat=2))


def _roulette(place: str = "pocket") -> Law:
    """12.1, 12.18, 12.52: 37 pockets or balls, 0 to 36."""
    return _one(place, range(37))


def _two_cards(packs: int) -> Law:
    """12.39: a card to the player, then one to the dealer, from so many packs: 52 different cards, each so many
    times.
    """
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "hdsc"]
    whole = 52 * packs
    return {
        spelled({"dealer": dealer, "player": player}): Fraction(
            packs * (packs - (dealer == player)), whole * (whole - 1)
        )
        for player, dealer in itertools.product(cards, repeat=2)
    }


def _harville() -> Law:
    """12.42: who is first, then who is first of the others, and on."""
    found = {}
    for order in itertools.permutations(range(4)):
        chance, left = Fraction(1), sum(FIELD)
        for runner in order:
            chance *= Fraction(FIELD[runner], left)
            left -= FIELD[runner]
        found[spelled({"order": [runner + 1 for runner in order]})] = chance
    return found


_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A")
_SHAPES = ("rock", "paper", "scissors")

LAWS: Mapping[str, Law] = {
    "roulette": _roulette(),
    "french-roulette": _roulette(),
    "electronic-roulette": _roulette(),
    "one-bet": _roulette("ball"),
    "american-roulette": _one("pocket", ["00", *map(str, range(37))]),  # 12.1: 38 pockets
    "double-ball-roulette": _uniform({"pockets": balls} for balls in itertools.product(range(37), repeat=2)),  # 12.1
    "wheel": _one("sector", [*map(str, range(1, 19)), "cup"]),  # 12.36: 19 sectors
    "dice-duel": _uniform({"blue": blue, "red": red} for blue in range(1, 7) for red in range(1, 7)),  # 12.40
    "craps": _two_dice(),  # 12.41
    "backgammon": _two_dice(),  # 12.12.1
    "rock-paper-scissors": _uniform({"gold": one, "silver": other} for one in _SHAPES for other in _SHAPES),  # 12.44
    "first-move": _one("first", (1, 2)),
    "crazy-time": _shares(  # 12.31: 54 segments
        "segment",
        {"1": 21, "2": 13, "5": 7, "10": 4} | {"cash-hunt": 2, "pachinko": 2, "coin-flip": 4, "crazy-time": 1},
    ),
    "war-of-bets": _two_cards(6),
    "hi-lo": _uniform(  # 12.21
        [*({"card": rank, "color": color} for rank in _RANKS for color in ("red", "black")), {"card": "Joker"}]
    ),
    "sic-bo": _uniform({"dice": dice} for dice in itertools.product(range(1, 7), repeat=3)),  # 12.25
    "penalty": _uniform(  # 12.29
        [*({"sector": sector} for sector in range(1, 25)), {"result": "bar"}, {"result": "failure"}]
    ),
    "keno-express": _one("number", range(1, 101)),  # 12.33
    "racing": _harville(),
    "prize-wheel": _shares("segment", {1: 70, 2: 29, 3: 1}),
    "slot": _uniform({"stops": stops} for stops in itertools.product(range(REELS[0]), range(REELS[1]))),  # 12.17
    "numbers": _uniform({"numbers": drawn} for drawn in itertools.product(range(1, 21), repeat=3)),
    "lotto": _uniform({"balls": balls} for balls in itertools.permutations(range(1, 13), 3)),
}

SPINS: Mapping[str, Mapping[str, int]] = {
    "dream-catcher": {"1": 23, "2": 15, "5": 7, "10": 4, "20": 2, "40": 1, "2x": 1, "7x": 1},
    "monopoly-live": {"1": 22, "2": 15, "5": 7, "10": 4, "chance": 2, "2-rolls": 3, "4-rolls": 1},
}
"""Wheels of 54 segments that are spun again: how many segments have each label (12.22, 12.27)."""

COUPS = {"banker": 2_292_252_566_437_888, "player": 2_230_518_282_592_256, "tie": 475_627_426_473_216}
"""Of all orders of six cards of eight packs, those in which each wins: numbers that are known everywhere."""

_TWENTY_ONE = {"6": (6,), "7": (7,), "8": (8,), "9": (9,), "T": (10,), "J": (2,), "Q": (3,), "K": (4,), "A": (1, 11)}


def twenty_one(deck: list[str]) -> tuple[list[str], list[str]]:
    """12.54: the two hands that are dealt from this order."""
    first, second, rest = deck[:2], deck[2:4], deck[4:]
    for _ in range(3):
        if ["A", "A"] in ([card[0] for card in first[:2]], [card[0] for card in second[:2]]):
            break
        if _best(first) < 17 and _best(second) <= 21:
            first = [*first, rest.pop(0)]
        if _best(second) < 17 and _best(first) <= 21:
            second = [*second, rest.pop(0)]
    return first, second


def _best(hand: list[str]) -> int:
    """The most points that are not over 21, or else the fewest."""
    totals = {sum(points) for points in itertools.product(*(_TWENTY_ONE[card[0]] for card in hand))}
    return max((total for total in totals if total <= 21), default=min(totals))
