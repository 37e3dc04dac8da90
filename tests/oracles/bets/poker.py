"""Poker hands (12.2, 12.7, 12.8, 12.10, 12.53): of many cards, the best five of all choices of five."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Drawn = Mapping[str, Any]

ORDER = "23456789TJQKA"
CLASSES = ("high", "pair", "two pairs", "three", "straight", "flush", "full house", "four", "straight flush", "royal")
ROYAL, SIX = 1000, {"four": 100, "full house": 20, "flush": 15, "straight": 10, "three": 7}
BONUS = {"royal": ROYAL, "straight flush": 200, **SIX}
"""5+1, and the bet on six cards."""


def _is_sequence(ranks: Iterable[str]) -> bool:
    at = sorted(ORDER.index(rank) for rank in ranks)
    low = sorted(place if place < 12 else -1 for place in at)
    return any(places == list(range(places[0], places[0] + len(places))) for places in (at, low))


def five(cards: Sequence[str]) -> str:
    """The class of five cards."""
    ranks, suits = [card[0] for card in cards], {card[1] for card in cards}
    times = "".join(map(str, sorted(Counter(ranks).values())))
    if len(suits) == 1 and set(ranks) == set("TJQKA"):
        return "royal"
    if len(suits) == 1 and _is_sequence(ranks):
        return "straight flush"
    named = {"14": "four", "23": "full house"}.get(times)
    if named or len(suits) == 1:
        return named or "flush"
    if _is_sequence(ranks):
        return "straight"
    return {"113": "three", "122": "two pairs", "1112": "pair"}.get(times, "high")


def best(cards: Sequence[str]) -> str:
    """Of five or more."""
    return max((five(each) for each in combinations(cards, 5)), key=CLASSES.index)


def three(cards: Sequence[str]) -> str:
    """Of three: a triplet beats a sequence, and a sequence colours."""
    ranks, is_flush = [card[0] for card in cards], len({card[1] for card in cards}) == 1
    if is_flush and set(ranks) == set("QKA"):
        return "royal"
    if _is_sequence(ranks):
        return "straight flush" if is_flush else "straight"
    if len(set(ranks)) == 1:
        return "three"
    return "flush" if is_flush else "pair" if len(set(ranks)) == 2 else "high"


def _paid(odds: Mapping[str, int | Fraction], name: str) -> Fraction:
    """To one."""
    return Fraction(odds[name]) + 1 if name in odds else Fraction(0)


def side_bet_city(text: str, drawn: Drawn) -> Fraction:
    cards = drawn["cards"].split()
    paid = {
        "3 cards": _paid(
            {"royal": 100, "straight flush": 40, "flush": 4, "straight": 5, "three": 35, "pair": 1}, three(cards[:3])
        ),
        "5 cards": _five_cards(cards[:5]),
        "7 cards": _paid(
            {"royal": 500, "straight flush": 100, "four": 50, "full house": 7, "flush": 5, "straight": 4, "three": 3},
            best(cards),
        ),
    }
    return paid[text] if text in paid else Fraction(0) if any(paid.values()) else Fraction(17, 10)


def _five_cards(cards: Sequence[str]) -> Fraction:
    name = five(cards)
    if name == "pair":
        (rank,) = (rank for rank, times in Counter(card[0] for card in cards).items() if times == 2)
        return Fraction(2 * (rank in "JQKA"))
    odds = {"royal": 1000, "straight flush": 250, "four": 100, "full house": 50, "flush": 40, "straight": 25}
    return _paid({**odds, "three": 7, "two pairs": 4}, name)


def three_card_poker(text: str, drawn: Drawn) -> Fraction:
    player, dealer = drawn["player"].split(), drawn["dealer"].split()
    if text == "6 card":
        return _paid(BONUS, best(player + dealer))
    return _paid(
        {"royal": 100, "straight flush": 40, "three": 30, "straight": 5, "flush": 4, "pair": 1}, three(player)
    )


def casino_holdem(text: str, drawn: Drawn) -> Fraction:
    assert text == "bonus"
    cards = drawn["player"].split() + drawn["board"].split()[:3]
    odds = {"royal": 100, "straight flush": 50, "four": 40, "full house": 30, "flush": 20}
    odds |= dict.fromkeys(("straight", "three", "two pairs"), 7)
    if five(cards) == "pair":
        return Fraction(8 * (sum(card[0] == "A" for card in cards) == 2))
    return _paid(odds, five(cards))


def texas_holdem(text: str, drawn: Drawn) -> Fraction:
    assert text == "trips"
    odds = {"royal": 50, "straight flush": 40, "four": 30, "full house": 8, "flush": 7, "straight": 4, "three": 3}
    return _paid(odds, best(drawn["player"].split() + drawn["board"].split()))


def stud(text: str, drawn: Drawn) -> Fraction:
    """The dealer's first card is the open one."""
    assert text == "5+1"
    return _paid(BONUS, best([*drawn["player"].split(), drawn["dealer"].split()[0]]))


def blackjack(text: str, drawn: Drawn) -> Fraction:
    """Cards are dealt to the boxes in turn, then one to the dealer, then to the boxes again."""
    name, where = text.split(", box ")
    box, boxes = (int(each) for each in where.split(" of "))
    cards = drawn["cards"].split()
    two = [cards[box - 1], cards[boxes + box]]
    return Fraction({"ideal pair": _pair, "suit'em up": _suited}[name](two)) if name in (
        "ideal pair", "suit'em up") else Fraction({"21+3": _with_dealer, "lucky lucky": _lucky}[name]([*two, cards[boxes]]))  # fmt: skip


def _pair(two: Sequence[str]) -> int:
    one, other = two
    if one[0] != other[0]:
        return 0
    is_red = [card[1] in "hd" for card in two]
    return 26 if one == other else 13 if is_red[0] == is_red[1] else 7


def _worth(card: str) -> int:
    return int(card[0]) if card[0].isdecimal() else 11 if card[0] == "A" else 10


def _suited(two: Sequence[str]) -> int:
    one, other = two
    if one[1] != other[1]:
        return 0
    ranks = {one[0], other[0]}
    if ranks == {"A"}:
        return 61
    if "A" in ranks and _worth(one) + _worth(other) == 21:
        return 11
    if len(ranks) == 1:
        return 6
    return 4 if _worth(one) + _worth(other) == 11 else 3


def _with_dealer(cards: Sequence[str]) -> int:
    if len(set(cards)) == 1:
        return 101
    ranks, is_flush = [card[0] for card in cards], len({card[1] for card in cards}) == 1
    if _is_sequence(ranks):
        return 41 if is_flush else 11
    if len(set(ranks)) == 1:
        return 31
    return 6 if is_flush else 0


def _lucky(cards: Sequence[str]) -> int:
    ranks, is_flush = sorted(card[0] for card in cards), len({card[1] for card in cards}) == 1
    if ranks == ["7"] * 3:
        return 201 if is_flush else 51
    if ranks == ["6", "7", "8"]:
        return 101 if is_flush else 31
    total, aces = sum(map(_worth, cards)), ranks.count("A")
    while total > 21 and aces:
        total, aces = total - 10, aces - 1
    if total == 21:
        return 16 if is_flush else 4
    return 3 if total in (19, 20) else 0


PAID: Mapping[str, Callable[[str, Drawn], Fraction]] = {
    "side-bet-city": side_bet_city,
    "three-card-poker": three_card_poker,
    "teen-patti": three_card_poker,
    "casino-holdem": casino_holdem,
    "texas-holdem": texas_holdem,
    "caribbean-stud": stud,
    "casino-stud": stud,
    "blackjack": blackjack,
}
