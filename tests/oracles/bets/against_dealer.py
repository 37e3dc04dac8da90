"""Five cards against a dealer who shows one of five (12.3, 12.10, Casino Stud): what best play returns, counted
exactly.

The player stakes an ante, and folds or calls with two more. A dealer below ace-king pays the ante and returns the
call. Disjoint pairs of hands are counted by classes, not one by one: hands with equal ranks by how many cards of a
rank they have, hands of five ranks by how many ranks they share. Only with ace-king does the open card decide what is
best; these hands are counted for each open card. Two equal hands of one class are a draw, and of two unequal ones
each is as often the player's as the dealer's.

Below ace-king all fold (`most_below_ace_king`). A pair or more always calls: the dealer pays at least even money and
qualifies too rarely with more than it, whatever card is open.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

LOW, ACE_KING = "below ace-king", "ace-king"
ORDER = (
    *(LOW, ACE_KING, "pair", "two pairs", "three", "straight"),
    *("flush", "full house", "four", "straight flush", "royal"),
)
_TIMES = {
    (1, 1, 1, 1, 1): "five ranks",
    (1, 1, 1, 2): "pair",
    (1, 2, 2): "two pairs",
    (1, 1, 3): "three",
    (2, 3): "full house",
    (1, 4): "four",
}
_AK = 0b11 << 11
_STRAIGHTS = (0b1000000001111, *(0b11111 << low for low in range(9)))
"""A set of ranks is a number: the bit of 1 is the deuce, the highest of 13 the ace."""
_SETS = [sum(1 << rank for rank in ranks) for ranks in combinations(range(13), 5)]
_ACE_KINGS = [ranks for ranks in _SETS if ranks & _AK == _AK and ranks not in _STRAIGHTS]
_BETTER = [*_STRAIGHTS, *_ACE_KINGS]

Deals = Counter[tuple[str, str]]
"""How many disjoint pairs of hands have these classes, the player's and the dealer's."""


def best_play(call: Mapping[str, int]) -> tuple[Fraction, Fraction]:
    """The mean gain in antes and the share of deals that call, if a call pays ``call`` to one by the player's
    class.
    """
    deals, ties = _deals(), _ties()
    gain = calls = 0
    for place, mine in enumerate(ORDER[2:], 2):
        split = (deals[mine, mine] - ties[mine]) // 2
        wins = split + sum(deals[mine, theirs] for theirs in ORDER[1:place])
        losses = split + sum(deals[mine, theirs] for theirs in ORDER[place + 1 :])
        gain += 5 * (deals[mine, LOW] + (1 + 2 * call[mine]) * wins - 3 * losses)
        calls += 5 * sum(deals[mine, theirs] for theirs in ORDER)
    for (low, wins, draws, losses), times in _ace_king_by_open_card().items():
        called, folded = low + (1 + 2 * call["pair"]) * wins - 3 * losses, -(low + wins + draws + losses)
        gain += times * max(called, folded)
        calls -= times * folded if called > folded else 0
    gain -= 5 * sum(deals[LOW, theirs] for theirs in ORDER)
    # Each pair of hands stands here five times, once for each card that the dealer may have open.
    every = 5 * comb(52, 5) * comb(47, 5)
    return Fraction(gain, every), Fraction(calls, every)


def most_below_ace_king() -> Fraction:
    """No less than the chance that the dealer does not qualify, whatever a player below ace-king sees.

    It is largest if the open card is of a rank that the player has, and ace or king, too: four of the twelve other
    ranks have three cards left. Straights and colours, which qualify, are counted as if they did not.
    """
    unequal = _choices(4, 8, 4)
    ace_king = 3 * 4 * _choices(3, 7, 2)
    return Fraction(unequal - ace_king, comb(46, 4))


def _choices(threes: int, fours: int, cards: int) -> int:
    """Cards of different ranks, from ranks that have three left and ranks that have four."""
    return sum(comb(threes, n) * 3**n * comb(fours, cards - n) * 4 ** (cards - n) for n in range(cards + 1))


@cache
def _deals() -> Deals:
    by_times, by_ranks = _by_times(), _of_five_ranks()
    found = Counter({pair: number for pair, number in by_times.items() if "five ranks" not in pair}) + by_ranks
    # What equal cards stand against five ranks does not depend on which ranks and suits these are.
    sizes = _sizes()
    for (mine, theirs), number in by_times.items():
        if theirs == "five ranks" != mine:
            for name, size in sizes.items():
                found[mine, name] = found[name, mine] = number * size // sizes.total()
    return found


def _sizes() -> Counter[str]:
    """Hands of five different ranks."""
    sizes: Counter[str] = Counter()
    for ranks in _SETS:
        plain, suited = _names(ranks)
        sizes[plain] += 4**5 - 4
        sizes[suited] += 4
    return sizes


def _by_times() -> Deals:
    """Rank by rank: some of its four cards are the player's, some of the rest the dealer's."""
    states: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter({((), ()): 1})
    for _ in range(13):
        following: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
        for ((mine, theirs), number), i, j in product(states.items(), range(5), range(5)):
            if i + j <= 4 and sum(mine) + i <= 5 and sum(theirs) + j <= 5:
                state = (
                    tuple(sorted((*mine, i)[: len(mine) + (i > 0)])),
                    tuple(sorted((*theirs, j)[: len(theirs) + (j > 0)])),
                )
                following[state] += number * comb(4, i) * comb(4 - i, j)
        states = following
    return Counter(
        {(_TIMES[mine], _TIMES[theirs]): n for (mine, theirs), n in states.items() if sum(mine) == sum(theirs) == 5}
    )


def _names(ranks: int) -> tuple[str, str]:
    """Of five ranks: the class in several suits, and in one."""
    if ranks in _STRAIGHTS:
        return "straight", "royal" if ranks == max(_STRAIGHTS) else "straight flush"
    return ACE_KING if ranks & _AK == _AK else LOW, "flush"


def _of_five_ranks() -> Deals:
    """Both hands have five different ranks."""
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for ranks in _SETS:
        groups[_names(ranks)].append(ranks)
    found: Deals = Counter()
    for (mine, my_sets), (theirs, their_sets) in product(groups.items(), groups.items()):
        shared = Counter([(each & other).bit_count() for each in my_sets for other in their_sets])
        for (same, number), i, j in product(shared.items(), range(2), range(2)):
            found[mine[i], theirs[j]] += number * _suits(same)[i][j]
    return found


def _suits(same: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """In how many ways two hands that share so many ranks have suits: each in several suits, or in one."""
    free = 3**same * 4 ** (5 - same)
    one_suit = 12 + 4 * (same == 0)
    mixed = 4 * free - one_suit
    return (4**5 * free - 2 * mixed - one_suit, mixed), (mixed, one_suit)


def _ties() -> Counter[str]:
    """Disjoint pairs of hands that are equal but for their suits."""
    ties = Counter({"pair": 13 * comb(12, 3) * 6 * 12**3, "two pairs": comb(13, 2) * 11 * 6**2 * 12})
    for ranks in _SETS:
        plain, suited = _names(ranks)
        ties[plain] += _suits(5)[0][0]
        ties[suited] += _suits(5)[1][1]
    return ties


@cache
def _ace_king_by_open_card() -> Counter[tuple[int, int, int, int]]:
    """How often the player has ace-king, and so many choices of the dealer's four other cards make less, lose, draw,
    win.
    """
    found: Counter[tuple[int, int, int, int]] = Counter()
    for mine, shown in product(_ACE_KINGS, (1 << rank for rank in range(13))):
        threes = (mine & ~shown).bit_count()
        low = _choices(threes, 12 - threes, 4) - sum(_ways(mine, shown, ranks) for ranks in _BETTER if ranks & shown)
        theirs = [ranks for ranks in _ACE_KINGS if ranks & shown]
        kinds = [ranks for ranks in theirs if ranks < mine], [mine] * bool(mine & shown)
        free = [sum(_ways(mine, shown, ranks) for ranks in each) for each in kinds]
        for blocked in _subsets(mine & ~shown):
            # The player's cards of the open card's suit are ``blocked``; the others have three suits, but not all
            # one.
            suits = 3 ** (5 - blocked.bit_count()) - 3 * (blocked == 0) - (blocked == mine)
            less = low - _flushes(shown, blocked)
            wins, draws = (
                n - sum(not ranks & blocked for ranks in each) for n, each in zip(free, kinds, strict=True)
            )
            found[less, wins, draws, comb(46, 4) - less - wins - draws] += 4 * suits
    return found


def _ways(mine: int, shown: int, ranks: int) -> int:
    """The hands of these ranks with the open card, from what the player's ranks leave."""
    hidden = ranks & ~shown
    threes = (hidden & mine).bit_count()
    ways: int = 3**threes * 4 ** (4 - threes)
    return ways


@cache
def _flushes(shown: int, blocked: int) -> int:
    """Of ranks that would be below ace-king in several suits, all in the open card's."""
    return comb(12 - blocked.bit_count(), 4) - sum(not ranks & blocked for ranks in _BETTER if ranks & shown)


def _subsets(ranks: int) -> list[int]:
    found = [0]
    for rank in range(13):
        if ranks >> rank & 1:
            found += [each | 1 << rank for each in found]
    return found
