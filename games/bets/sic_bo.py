"""The winning options of Sic Bo, Super and Mega Sic Bo (regulation 12.25)."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from fairness.draws.game import Outcome
from games.bets.bet import Bet, Odds, Option, Prize, Reading, uniform
from games.bets.plain_bets import PlainBets
from games.sic_bo import FACES, THROWS

_LAW = uniform(THROWS)
_READINGS = (
    Reading(
        "A specific pair wins with at least two dice of its number, so a triple of it wins, too: where triples are to lose, as"
        " in small and big, the regulation says so.",
        "The bet wins if the three dice have two identical numbers chosen by the player",
    ),
    Reading(
        "Any triple wins with three equal dice, as its description says. The paytable's result, “Three dice of any two"
        " identical numbers”, would be any pair, which at 30:1 would return 1378 %.",
        "The bet wins if any of the same numbers appear on the three dice",
    ),
    Reading(
        "A combination is of two different numbers: two equal ones are the specific pair, which has its own odds.",
        "the numbers on two of the three dice match the two numbers chosen by the player",
    ),
    Reading(
        "The total sum wins whatever the dice are, triples included.",
        "or any other combination, the sum of which is 10",
    ),
    Reading(
        "Odds of the form 30:1 are paid beside the stake, which comes back; so it is usual where odds are written so, and where"
        " the stake is multiplied the regulation writes x 12.",
        "Winnings are paid with the odds of the predicted winning option(s) according to the paytable below",
    ),
)

# The regulation's paytable for the total: from both ends the same.
_SUMS = {4: 60, 5: 30, 6: 17, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 17, 16: 30, 17: 60}

_SMALL = Option("Small bet", "small", "The sum of the three dice is from 4 to 10, and they are not all equal.")
_BIG = Option("Big bet", "big", "The sum of the three dice is from 11 to 17, and they are not all equal.")
_TRIPLE = Option("Bet on a specific triple", "triple N", "All three dice are N.")
_ANY_TRIPLE = Option("Bet on any triple", "any triple", "All three dice are equal.")
_PAIR = Option("Bet on a specific pair", "pair N", "At least two dice are N.")
_SUM = Option("Bet on the total sum of the numbers on the three dice", "sum N", "The sum of the dice is N, 4 to 17.")
_COMBINATION = Option(
    "Bet on a combination of numbers on two dice",
    "combination M N",
    "M is on one die, N on another; M is less than N.",
)
_NUMBER = Option(
    "Bet on the number on one dice", "number N", "N is on one die, on two or on three: each has its own odds."
)


def _dice(outcome: Outcome) -> list[int]:
    dice = outcome["dice"]
    if not isinstance(dice, list):
        raise TypeError("the outcome of a throw is three dice")
    return dice


def _bet(option: Option, text: str, odds: int, wins: Callable[[list[int]], bool]) -> Bet:
    return Bet(text, option, (Prize(Odds.to_one(odds), lambda outcome: wins(_dice(outcome))),), _LAW)


def _half(option: Option, sums: range) -> Bet:
    return _bet(option, option.form, 1, lambda dice: sum(dice) in sums and len(set(dice)) > 1)


def _triple(face: int) -> Bet:
    return _bet(_TRIPLE, f"triple {face}", 180, lambda dice: dice.count(face) == 3)  # noqa: PLR2004


def _pair(face: int) -> Bet:
    return _bet(_PAIR, f"pair {face}", 10, lambda dice: dice.count(face) >= 2)  # noqa: PLR2004


def _sum(total: int) -> Bet:
    return _bet(_SUM, f"sum {total}", _SUMS[total], lambda dice: sum(dice) == total)


def _combination(one: int, other: int) -> Bet:
    return _bet(_COMBINATION, f"combination {one} {other}", 5, lambda dice: one in dice and other in dice)


def _number(face: int) -> Bet:
    def shown(times: int) -> Prize:
        return Prize(Odds.to_one(times), lambda outcome: _dice(outcome).count(face) == times)

    return Bet(f"number {face}", _NUMBER, (shown(1), shown(2), shown(3)), _LAW)


SIC_BO = PlainBets(
    "12.25",
    "Three numbers below 6, one for each die, in order.",
    _LAW,
    (
        _half(_SMALL, range(4, 11)),
        _half(_BIG, range(11, 18)),
        *map(_triple, FACES),
        _bet(_ANY_TRIPLE, "any triple", 30, lambda dice: len(set(dice)) == 1),
        *map(_pair, FACES),
        *map(_sum, _SUMS),
        *itertools.starmap(_combination, itertools.combinations(FACES, 2)),
        *map(_number, FACES),
    ),
    _READINGS,
)
