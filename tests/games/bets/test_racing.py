"""Races: the sums by sets of runners against the list of all orders."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.bets.worth import worth
from tests.bets import rules_of

RULES = rules_of("racing")


def orders() -> dict[tuple[int, ...], Fraction]:
    """The chance of each order of the six runners."""
    found: dict[tuple[int, ...], Fraction] = {}
    for order in permutations(range(1, RULES["runners"] + 1)):
        chance, left = Fraction(1), sum(RULES[f"w{runner}"] for runner in order)
        for runner in order:
            chance *= Fraction(RULES[f"w{runner}"], left)
            left -= RULES[f"w{runner}"]
        found[order] = chance
    return found


def test_every_bet_is_worth_what_the_list_of_all_orders_says() -> None:
    """Of every option, exacta and trifecta included; and not only of the first runners."""
    bets, chances = CATALOGUE_BETS["racing"], orders()
    listed = {bet.text for bet in bets.listed(RULES)} | {"exacta 4 2", "trifecta 6 1 3", "trio 2 5 6", "swinger 3 6"}
    forms = set()
    for bet in (bets.bet(text, RULES) for text in sorted(listed)):
        forms.add(bet.option.form)
        law: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for order, chance in chances.items():
            law[bet.winnings({"order": list(order)}, 1)] += chance
        assert {paid: chance for paid, chance in bet.law() if chance} == law, bet.text
        assert worth(bet).returned == sum(paid * chance for paid, chance in law.items())
    assert forms == {option.form for option in bets.options}


def test_sixteen_runners_are_not_too_many() -> None:
    """Each of the sixteen is among the first four with a chance of its own; together four are."""
    rules = {"version": 1, "runners": 16, **{f"w{runner}": 10 + runner for runner in range(1, 17)}}
    bets = CATALOGUE_BETS["racing"]
    chances = [worth(bets.bet(f"first four {runner}", rules)).hit_rate for runner in range(1, 17)]
    assert sum(chances) == 4
    assert chances == sorted(set(chances))


def test_of_three_runners_all_are_among_the_first_four() -> None:
    """So nobody can bet on that; a trifecta is one of six orders."""
    rules = {"version": 1, "runners": 3, "w1": 1, "w2": 1, "w3": 1}
    bets = CATALOGUE_BETS["racing"]
    with pytest.raises(BetRefused):
        bets.bet("first four 1", rules)
    assert worth(bets.bet("trifecta 3 1 2", rules)).hit_rate == Fraction(1, 6)
