"""Deals that stop by a rule, races and rallies (12.13, 12.42, 12.54, 12.55, 12.57, 12.61, Punto Banco)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Drawn = Mapping[str, Any]


def _points(hand: str) -> int:
    worth = {"A": 1} | dict.fromkeys("TJQK", 0)
    return sum(worth[card[0]] if card[0] in worth else int(card[0]) for card in hand.split()) % 10


UR_WAY = (150, 215, 225, 200, 120, 120, 45, 45, 80, 80)
MARGINS = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}


def baccarat(text: str, drawn: Drawn) -> Fraction:
    """Also of Punto Banco: a tie pays 8:1 in the one, 9:1 in the other."""
    points = {side: _points(drawn[side]) for side in ("player", "banker")}
    is_tie = points["player"] == points["banker"]
    match text.split():
        case ["player" | "banker" as side]:
            if is_tie:
                return Fraction(1)
            pays = Fraction(2) if side == "player" else Fraction(39, 20)
            return pays * (points[side] == max(points.values()))
        case ["tie"]:
            return Fraction(9 * is_tie)
        case ["egalite"]:
            return Fraction(10 * is_tie)
        case ["ur", "way", number]:
            return Fraction((UR_WAY[int(number)] + 1) * (is_tie and points["player"] == int(number)))
        case [which, "pair"]:
            return _pairs(which, drawn)
        case [side, "bonus"]:
            return _bonus(side, drawn, points)
    raise AssertionError(text)


def _pairs(which: str, drawn: Drawn) -> Fraction:
    firsts = {side: drawn[side].split()[:2] for side in ("player", "banker")}
    alike = {side: one[0] == other[0] for side, (one, other) in firsts.items()}
    if which == "perfect":
        equal = sum(one == other for one, other in firsts.values())
        return Fraction((0, 26, 201)[equal])
    return Fraction(6 * any(alike.values())) if which == "either" else Fraction(12 * alike[which])


def _bonus(side: str, drawn: Drawn, points: Mapping[str, int]) -> Fraction:
    """A natural is 8 or 9 points of two cards."""
    other = "banker" if side == "player" else "player"
    is_natural = len(drawn[side].split()) == 2 and points[side] >= 8
    margin = points[side] - points[other]
    if is_natural:
        return Fraction(2 * (margin >= 0))
    return Fraction(MARGINS[margin] + 1) if margin in MARGINS else Fraction(0)


def twenty_one_bet(text: str, drawn: Drawn) -> bool:
    hands = {side: [card[0] for card in drawn[side].split()] for side in ("first", "second")}
    points = {side: _of_21(hand) for side, hand in hands.items()}
    golden = [side for side, hand in hands.items() if hand == ["A", "A"]]
    over = [side for side, total in points.items() if total > 21]
    if text in ("bust", "no bust"):
        return bool(over) == (text == "bust")
    winners = golden or [side for side in hands if side not in over and _beats(side, points, over)]
    winner = winners[0] if len(winners) == 1 else "draw"
    match text.split():
        case ["first" | "second" | "draw"]:
            return winner == text
        case ["golden"]:
            return golden == [winner]
        case ["cards", number]:
            return winner != "draw" and len(hands[winner]) == int(number)
        case ["points", number]:
            return winner != "draw" and points[winner] == int(number)
    raise AssertionError(text)


def _beats(side: str, points: Mapping[str, int], over: Sequence[str]) -> bool:
    return all(points[side] >= points[other] for other in points if other not in over)


def _of_21(hand: Sequence[str]) -> int:
    if hand == ["A", "A"]:
        return 21
    worth = {"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
    total, aces = sum(worth[card] if card in worth else int(card) for card in hand), hand.count("A")
    while total > 21 and aces:
        total, aces = total - 10, aces - 1
    return total


def andar_bahar(text: str, drawn: Drawn) -> bool:
    andar, bahar, joker = drawn["andar"].split(), drawn["bahar"].split(), drawn["joker"]
    side = "andar" if andar and andar[-1][0] == joker[0] else "bahar"
    number = len(andar) + len(bahar)
    match text.split():
        case ["andar" | "bahar"]:
            return side == text
        case ["cards", bounds]:
            low, high = map(int, bounds.split("-"))
            return low <= number <= high
        case ["cards", *_]:
            return number >= 41
        case ["winning", colour]:
            return ({"andar": andar, "bahar": bahar}[side][-1][1] in "hd") == (colour == "red")
        case ["joker", *what]:
            return _of_card(" ".join(what), joker)
    raise AssertionError(text)


def _of_card(what: str, card: str) -> bool:
    order = "23456789TJQKA"
    if what in ("red", "black"):
        return (card[1] in "hd") == (what == "red")
    if what in ("clubs", "diamonds", "hearts", "spades"):
        return card[1] == what[0]
    difference = order.index(card[0]) - order.index(what[-1])
    return (
        difference < 0
        if what.startswith("lower")
        else difference > 0
        if what.startswith("higher")
        else not difference
    )


def thirty_two_cards(text: str, drawn: Drawn) -> Fraction:
    totals = {
        player: player + sum(6 + "6789TJQK".index(card[0]) for card in drawn[f"player-{player}"].split())
        for player in (8, 9, 10, 11)
    }
    won = int(text.split()[1])
    paid = {8: Fraction(12), 9: Fraction(11, 2), 10: Fraction(16, 5), 11: Fraction(2)}[won]
    return paid * all(totals[won] > total for player, total in totals.items() if player != won)


def racing(text: str, drawn: Drawn, runners: int) -> bool:
    order: list[int] = drawn["order"]
    first = order[0]
    names = [word for word in text.split() if not word.isdecimal()]
    numbers = [int(word) for word in text.split() if word.isdecimal()]
    match names:
        case ["win"]:
            return [first] == numbers
        case ["first", size]:
            return numbers[0] in order[: {"two": 2, "three": 3, "four": 4}[size]]
        case ["exacta" | "trifecta"]:
            return order[: len(numbers)] == numbers
        case ["quinella" | "trio"]:
            return set(order[: len(numbers)]) == set(numbers)
        case ["swinger"]:
            return set(numbers) <= set(order[:3])
        case ["any", "of"]:
            return first in numbers
        case ["even" | "odd" as parity]:
            return first % 2 == (parity == "odd")
        case ["low" | "high" as half]:
            return (first <= runners // 2) == (half == "low")
        case ["over" | "under" as side, *_]:
            bound = float(text.split()[1])
            return first > bound if side == "over" else first < bound
    raise AssertionError(text)


def table_tennis(text: str, drawn: Drawn) -> bool:
    points = drawn["points"]
    three = next(side for at in range(len(points)) for side in "AB" if points[: at + 1].count(side) == 3)
    match text.rsplit(" ", 1):
        case ["winner", who]:
            return bool(points[-1] == who)
        case ["score", score]:
            return score == f"{points.count('A')}:{points.count('B')}"
        case ["first and winner", who]:
            return bool(points[0] + points[-1] == who)
        case ["first, third and winner", who]:
            return bool(points[0] + three + points[-1] == who)
    raise AssertionError(text)
