"""Deals that stop by a rule: outcomes that stand for all that figures do not distinguish, with their chances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from fairness.draws.game import Outcome
from games.bets.figures import Figure, leaves, selected
from games.bets.laws.duel import twenty_one
from games.declared import deals

Chances = tuple[tuple[Outcome, Fraction], ...]
Rules = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class DealLaw:
    """The law of one deal."""

    draw: Callable[..., object]
    outcomes: Callable[[Rules], Chances]
    """Outcomes with their chances, each of which stands for many; what it leaves out is documented at each
    function.
    """
    sure: int = 0
    """So many cards of each hand are dealt in every round, so that figures of these alone are a pile's."""

    def fixed(self, figure: Figure) -> bool:
        """Return whether a figure looks only at cards that every round has."""
        parts = [part for leaf in leaves(figure) for part in selected(leaf[1])]
        return all(last is not None and 0 < last <= self.sure for _, _, _, last in parts)


# A card of each worth, and how many of 416 have it.
_WORTHS = {"T": 128, **{str(points): 32 for points in range(2, 10)}, "A": 32}
_POINTS = {"T": 0, "A": 1, **{str(points): points for points in range(2, 10)}}
_BY_POINTS = {points: card for card, points in _POINTS.items()}


@lru_cache(1)
def _punto_banco(_: Rules = ()) -> Chances:
    """Compute worths and numbers of cards: a hand's first card is a ten, so that the second is worth both."""
    ways: defaultdict[tuple[int, int, int, int], int] = defaultdict(int)
    for player, banker, left, number in _starts():
        for third, fourth, more in _thirds(player, banker, left):
            totals = ((player + max(third, 0)) % 10, (banker + max(fourth, 0)) % 10)
            ways[(*totals, third >= 0, fourth >= 0)] += number * more
    total = sum(ways.values())
    return tuple(
        ({"player": _hand(player, third), "banker": _hand(banker, fourth)}, Fraction(number, total))
        for (player, banker, third, fourth), number in ways.items()
    )


def _hand(points: int, has_third: int) -> str:
    return " ".join([*["Tc"] * (1 + has_third), f"{_BY_POINTS[points]}c"])


def _starts() -> Iterator[tuple[int, int, Counter[int], int]]:
    """Yield the worths of the first two cards of both, what is left, and in how many orders."""
    packs = Counter({_POINTS[card]: number for card, number in _WORTHS.items()})
    for one in range(10):
        for two in range(one, 10):
            first, left = _taken(packs, one, two)
            for three in range(10):
                for four in range(three, 10):
                    second, rest = _taken(left, three, four)
                    if second:
                        yield (one + two) % 10, (three + four) % 10, rest, first * second


def _taken(packs: Counter[int], one: int, two: int) -> tuple[int, Counter[int]]:
    """Take two cards, in either order."""
    left = packs.copy()
    left[one] -= 1
    ways = packs[one] * left[two] * (1 if one == two else 2)
    left[two] -= 1
    return ways, left


def _thirds(player: int, banker: int, left: Counter[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the worths of the third cards, -1 for none, and in how many orders of two more cards."""
    cards = left.total()
    if max(player, banker) >= 8:  # a natural
        yield -1, -1, cards * (cards - 1)
    elif player <= 5:
        for third in range(10):
            if not _banker_draws(banker, third):
                yield third, -1, left[third] * (cards - 1)
                continue
            for fourth in range(10):
                yield third, fourth, left[third] * (left[fourth] - (third == fourth))
    elif banker <= 5:
        for fourth in range(10):
            yield -1, fourth, left[fourth] * (cards - 1)
    else:
        yield -1, -1, cards * (cards - 1)


def _banker_draws(banker: int, third: int) -> bool:
    """Return the bank's table: from which to which third card it draws."""
    if banker == 3:
        return third != 8
    low, high = {4: (2, 7), 5: (4, 7), 6: (6, 7), 7: (1, 0)}.get(banker, (0, 9))
    return low <= third <= high


@lru_cache(1)
def _andar_bahar(_: Rules = ()) -> Chances:
    """Return the joker, the number of cards, on which side the last one is, and its suit. Other cards stand for
    any.
    """
    suits, ranks = "cdhs", "23456789TJQKA"
    found: list[tuple[Outcome, Fraction]] = []
    for joker in (rank + suit for rank in ranks for suit in suits):
        other = "3c" if joker[0] == "2" else "2c"
        for last in (joker[0] + suit for suit in suits if suit != joker[1]):
            for number in range(1, 50):
                chance = Fraction(comb(51 - number, 2), comb(51, 3) * 52 * 3 * 2)
                for first, sides in (("andar", ("andar", "bahar")), ("bahar", ("bahar", "andar"))):
                    hands: dict[str, list[str]] = {"andar": [], "bahar": []}
                    for at in range(1, number + 1):
                        hands[sides[(at - 1) % 2]].append(last if at == number else other)
                    outcome = {
                        "joker": joker,
                        "first": first,
                        **{side: " ".join(hand) for side, hand in hands.items()},
                    }
                    found.append((outcome, chance))
    return tuple(found)


@lru_cache(16)
def rallies(rules: Rules) -> Chances:
    """Return every course of a rally, with its chance."""
    chance = Fraction(min(dict(rules)["a"], 10_000), 10_000)
    return tuple(({"points": points}, each) for points, each in _points("", chance, Fraction(1)))


def _points(points: str, chance: Fraction, so_far: Fraction) -> Iterator[tuple[str, Fraction]]:
    behind, ahead = sorted((points.count("A"), points.count("B")))
    if ahead >= 9 or (ahead >= 7 and ahead - behind >= 2):  # SPEC 3.8
        yield points, so_far
        return
    yield from _points(points + "A", chance, so_far * chance)
    yield from _points(points + "B", chance, so_far * (1 - chance))


_TOTALS = {"6": 6, "7": 7, "8": 8, "9": 9, "T": 10, "J": 11, "Q": 12, "K": 13}


@lru_cache(1)
def _thirty_two(_: Rules = ()) -> Chances:
    """Return the chances: the first four cards decide, or those who share the highest total are as likely each: an
    outcome says only who wins.
    """
    wins = dict.fromkeys((8, 9, 10, 11), Fraction(0))
    ranks = Counter(dict.fromkeys(_TOTALS, 4))

    def deal(hands: tuple[str, ...], ways: int) -> None:
        if len(hands) == len(wins):
            totals = {player: player + _TOTALS[card] for player, card in zip(wins, hands, strict=True)}
            tied = [player for player in wins if totals[player] == max(totals.values())]
            for player in tied:
                wins[player] += Fraction(ways, len(tied) * 32 * 31 * 30 * 29)
            return
        for rank in _TOTALS:
            left = ranks[rank] - hands.count(rank)
            if left:
                deal((*hands, rank), ways * left)

    deal((), 1)
    return tuple(
        ({f"player-{player}": "Kc" if player == winner else "6c" for player in wins}, chance)
        for winner, chance in wins.items()
    )


@lru_cache(1)
def _monopoly(_: Rules = ()) -> Chances:
    """Return where the wheel stops, and nothing else."""
    weights = {"1": 22, "2": 15, "5": 7, "10": 4, "2-rolls": 3, "4-rolls": 1}
    return tuple(({"spins": label}, Fraction(weight, sum(weights.values()))) for label, weight in weights.items())


DEAL_LAWS: Mapping[str, DealLaw] = {
    "punto-banco": DealLaw(deals.punto_banco, _punto_banco, sure=2),
    "andar-bahar": DealLaw(deals.andar_bahar, _andar_bahar),
    "thirty-two": DealLaw(deals.thirty_two, _thirty_two),
    "twenty-one": DealLaw(deals.twenty_one, lambda _: twenty_one()),
    "monopoly": DealLaw(deals.monopoly, _monopoly),
    "rally": DealLaw(deals.rally, rallies),
}
