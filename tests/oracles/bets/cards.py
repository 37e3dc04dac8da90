"""Games of a few cards, compared by their ranks (12.14 to 12.17, 12.23, 12.24, 12.37, 12.39, 12.51, In Between,
Bet'Win).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

Drawn = Mapping[str, Any]

ACE_HIGH, ACE_LOW = "23456789TJQKA", "A23456789TJQK"
RED_SUITS = {"h", "d", "r"}


def _order(one: str, other: str, ranks: str) -> int:
    return ranks.index(one[0]) - ranks.index(other[0])


def higher_card(text: str, drawn: Drawn) -> Fraction:
    """Football Studio, Dragon Tiger and KricketWar: half of the bet comes back on a draw."""
    one, other = ("home", "away") if "home" in drawn else ("dragon", "tiger")
    difference = _order(drawn[one], drawn[other], ACE_HIGH if one == "home" else ACE_LOW)
    if text == "draw":
        return Fraction(12 * (difference == 0))
    if text == "suited draw":
        return Fraction(51 * (drawn[one] == drawn[other]))
    if difference == 0:
        return Fraction(1, 2)
    return Fraction(2 * ((difference > 0) == (text == one)))


def war_of_bets(text: str, drawn: Drawn) -> bool | None:
    """`None` for a bet on the second draw that the first card did not offer."""
    made, _, known = text.partition(" after ")
    if made in ("player", "dealer", "war"):
        if known and drawn["player"][0] != known:
            return None
        difference = _order(drawn["player"], drawn["dealer"], ACE_HIGH)
        return {"player": difference > 0, "dealer": difference < 0, "war": difference == 0}[made]
    who, _, feature = made.partition(" ")
    if known and not _has(drawn["player"], known):
        return None
    return _has(drawn[who], feature)


def _has(card: str, feature: str) -> bool:
    """``red``, ``hearts``, ``under 8``, ``picture``."""
    rank, suit = card[0], card[1]
    match feature.split():
        case ["red" | "black"]:
            return (suit in RED_SUITS) == (feature == "red")
        case ["clubs" | "diamonds" | "hearts" | "spades"]:
            return feature[0] == suit
        case ["8"]:
            return rank == "8"
        case ["under", "8"]:
            return rank in "234567"
        case ["over", "8"]:
            return rank in "9TJQKA"
        case ["picture"]:
            return rank in "JQK"
        case ["ace", "or", "number"]:
            return rank not in "JQK"
    raise AssertionError(feature)


def speedy_7(text: str, drawn: Drawn) -> bool | None:
    """`None` where other cards went before."""
    colour, number, *after = text.split()
    cards = drawn["cards"].split()
    before = sum(card[1] in RED_SUITS for card in cards[: int(number) - 1])
    if after and before != int(after[1]):
        return None
    return bool((cards[int(number) - 1][1] in RED_SUITS) == (colour == "red"))


def jokerbet(text: str, drawn: Drawn) -> bool | None:
    """`None` where another number of such cards was left."""
    what, left = text.removesuffix(" left").split(", ")
    _, number, feature = what.split()
    cards, at = drawn["cards"].split(), int(number) - 1
    such = [_is_joker_feature(card, feature) for card in cards]
    return None if sum(such[at:]) != int(left) else such[at]


def _is_joker_feature(card: str, feature: str) -> bool:
    is_joker = card[0] == "X"
    if feature == "joker":
        return is_joker
    if feature == "non-digital":
        return is_joker or card[0] in "JQKA"
    if feature == "digital":
        return card[0] in "23456789T"
    if feature in ("red", "black"):
        return (card[1] in RED_SUITS) == (feature == "red")
    if len(feature) <= 2:
        return card == feature or (not is_joker and card[0] == feature)
    return not is_joker and card[1] == feature[0]


def draw_hi_lo(text: str, drawn: Drawn) -> bool | Fraction | None:
    """King high, ace low; a tie pays 10:1."""
    what, _, left = text.partition(", ")
    side, number = what.split()
    cards, at = drawn["cards"].split(), int(number) - 1
    differences = [_order(card, cards[at], ACE_LOW) for card in cards[at + 1 :]]
    if side == "tie":
        return Fraction(11 * (differences[0] == 0))
    such = [difference > 0 if side == "higher" else difference < 0 for difference in differences]
    return None if sum(such) != int(left.split()[0]) else such[0]


def red_dog(text: str, drawn: Drawn) -> Fraction:
    """Ace high; a pair waits for its third, neighbours get the bet back."""
    assert text == "ante"
    one, other, third = (ACE_HIGH.index(card[0]) for card in drawn["cards"].split())
    low, high = min(one, other), max(one, other)
    if low == high:
        return Fraction(12) if third == low else Fraction(1)
    if high - low == 1:
        return Fraction(1)
    return Fraction(2) if low < third < high else Fraction(0)


def in_between(text: str, drawn: Drawn) -> Fraction:
    seat = int(text.split()[1]) - 1
    one, other, third = (ACE_HIGH.index(drawn[place].split()[seat][0]) for place in ("first", "second", "third"))
    low, high = min(one, other), max(one, other)
    if low == high:
        return Fraction(4 * (third == low))
    if high - low == 1:
        return Fraction(3 * (third in (low - 1, high + 1)))
    return Fraction(3 * (low < third < high))


def top_card_trump(text: str, drawn: Drawn) -> Fraction | None:
    """Ace high; the raise is there after equal cards alone."""
    first = _order(drawn["player"], drawn["dealer"], ACE_HIGH)
    own, dealers = drawn["war"].split()
    second = _order(own, dealers, ACE_HIGH)
    if text == "raise":
        return None if first else Fraction(2 * (second >= 0))
    if first:
        return Fraction(2 * (first > 0))
    return Fraction(1, 2) if text == "main fold" else Fraction(second >= 0)


def bet_win(text: str, drawn: Drawn) -> Fraction:
    """The dealer's cards are the waiting and the adjoining one; a joker goes with the other card."""
    who, how = text.split(", ")
    seat = int(who.split()[1]) - 1
    card = drawn["players" if how == "stand" else "changes"].split()[seat]
    values = "12345MVCDR"
    dealer = [drawn["waiting"], drawn["adjoining"]]
    known = [values.index(each[0]) for each in dealer if each[0] != "X"]
    if not known:
        return Fraction(2)
    joker = -1 if known[-1] < values.index("M") else len(values)
    low, high = sorted(values.index(each[0]) if each[0] != "X" else joker for each in dealer)
    own = values.index(card[0]) if card[0] != "X" else joker
    return Fraction(2 * (own == low if low == high else low <= own < high))


def slot_gamble(text: str, drawn: Drawn) -> Fraction:
    """Twice or nothing, the bet back on an equal card."""
    what, number = text.split()
    card: str = drawn["cards"].split()[int(number) - 1]
    if what != "higher":
        return Fraction(2 * ((card[1] in RED_SUITS) == (what == "red")))
    difference = _order(card, drawn["dealer"], ACE_HIGH)
    return Fraction(2 if difference > 0 else difference == 0)
