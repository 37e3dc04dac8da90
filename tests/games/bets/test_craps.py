"""Craps: bets that may outlive their round go on until a round decides them, as at a real table; and their exact
worth.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.settlement import settle
from games.bets.worth import worth
from tests.bets import rules_of
from tests.oracles.bets import craps as oracle
from tests.oracles.bets.drawn import some_outcomes

BETS, RULES = CATALOGUE_BETS["craps"], rules_of("craps")
ROUNDS = some_outcomes("craps", RULES, 300)
ROLLS: list[oracle.Roll] = [tuple(outcome["dice"]) for outcome in ROUNDS]  # two numbers
STARTS = 150
TEXTS = [bet.text for bet in BETS.listed(RULES)]


@pytest.mark.parametrize("text", TEXTS)
def test_a_bet_goes_on_until_a_round_decides_it(text: str) -> None:
    """From every round on, written as the answer says; the first round that decides is the one of the table."""
    made = BETS.bet(text, RULES).prizes[0].odds
    lasted = set()
    for start in range(STARTS):
        result, rounds = oracle.ended(text, iter(ROLLS[start:]))
        bet = BETS.bet(text, RULES)
        for outcome in ROUNDS[start : start + rounds - 1]:
            settled = settle(bet, outcome, "played")
            assert (settled.result, settled.odds, settled.pays) == ("open", None, None)
            bet = BETS.bet(settled.next, RULES)
        settled = settle(bet, ROUNDS[start + rounds - 1], "played")
        assert settled.next == ""
        assert settled.pays == {"wins": made.pays, "loses": 0, "tie": 1}[result]
        lasted.add(rounds)
    assert (max(lasted) > 1) == (text not in oracle.ONE_ROLL)


@pytest.mark.parametrize("text", ["seven", "pass", "pass on 8", "hard 6"])
def test_a_void_round_decides_no_bet_that_lasts(text: str) -> None:
    """It pays the stake of a bet on this roll alone; others are open as they were."""
    settled = settle(BETS.bet(text, RULES), {"dice": [3, 4]}, "void")
    if text == "seven":
        assert settled.result == "void"
        assert settled.pays == 1
    else:
        assert (settled.result, settled.pays, settled.next) == ("open", None, text)


def test_chances_are_those_that_are_known_everywhere() -> None:
    """Of the line bets, of the places, of the hard ways; counted by the absorbing chain."""
    known = {"pass": (244, 495), "come": (244, 495), "hard 4": (1, 9), "hard 6": (1, 11), "hard 10": (1, 9)}
    known |= {f"{name} {n}": chance for name in ("place", "take odds") for n, chance in zip(
        (4, 5, 6, 8, 9, 10), ((1, 3), (2, 5), (5, 11), (5, 11), (2, 5), (1, 3)), strict=True)}  # fmt: skip
    for text, chance in known.items():
        assert worth(BETS.bet(text, RULES)).hit_rate == Fraction(*chance), text
    for text in ("don't pass", "don't come"):
        law = dict(BETS.bet(text, RULES).law())
        wins = next(chance for pays, chance in law.items() if pays > 1)
        assert (wins, law[Fraction(1)]) == (Fraction(949, 1980), Fraction(1, 36))
        # Paid 1:1, as elsewhere.
        assert 2 * wins + law[Fraction(1)] == Fraction(217, 220)


def test_the_odds_are_the_most_that_return_96_percent() -> None:
    """Also of bets with a point, which keep the odds with which they were made."""
    for bet in BETS.listed(RULES):
        returned = worth(bet).returned
        more = worth(bet).returned + Fraction(1, 100) * next(
            chance for pays, chance in bet.law() if pays == bet.prizes[0].odds.pays
        )
        assert returned <= Fraction(96, 100) < more, bet.text
    for name, point in itertools.product(("pass", "don't pass", "come", "don't come"), (4, 5, 6, 8, 9, 10)):
        later = BETS.bet(f"{name} on {point}", RULES)
        assert later.prizes[0].odds == BETS.bet(name, RULES).prizes[0].odds
        assert later not in BETS.listed(RULES)
