"""The winning options of Keno Express (regulation 12.33).

The regulation leaves the odds to the table: fixed, and seen when the bet is made. Here they follow
from the game's return and from how many of the hundred numbers win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from fairness.draws.game import Outcome, Rules
from games.bets.bet import Bet, BetRefused, Chances, Odds, Option, Prize, Reading, refusal, uniform
from games.keno_express import NUMBERS

RETURN = 9600
"""What version 1 returns to the players, in basis points, before its odds are rounded down: as much as HI LO."""

_SMALLEST_ODDS = 101
_LAW = uniform({"number": number} for number in range(1, NUMBERS + 1))
_READINGS = (
    Reading(
        f"With k winning numbers of 100 the odds are {RETURN // 100} / k, rounded down to hundredths. So no bet returns more"
        f" than {RETURN // 100} %, the return of version 1 of the game.",
        "Fixed odds are set for the offered outcomes",
    ),
    Reading(
        "Bets with odds below 1.01 are not offered, for they could win nothing: at most 95 numbers win a bet.",
        "The player, who predicts the offered outcome(s) correctly, wins",
    ),
    Reading(
        "The ends of a range win both the bet that the number is from it and the bet that it is not, as the sentence says. The"
        " odds count every number that wins, so the return is no other.",
        "if the drawn number is equal to 10 or lower than it or is equal to 37 or higher that it",
    ),
    Reading("A range has at least two numbers.", "The player sets a range of numbers"),
    Reading("The odds multiply the stake.", "the players bet amount multiplied by those odds"),
)

_LOWER = Option("Lower", "lower N", "The drawn number is N or lower.")
_HIGHER = Option("Higher", "higher N", "The drawn number is N or higher.")
_RANGE = Option("Range", "range M-N", "The drawn number is from M to N; M is less than N.")
_OUTSIDE = Option(
    "Not from the range", "outside M-N", "The drawn number is M or lower, or N or higher; M is less than N."
)
_ONE = re.compile(r"(lower|higher) ([1-9][0-9]?|100)", re.ASCII)
_TWO = re.compile(r"(range|outside) ([1-9][0-9]?)-([1-9][0-9]?|100)", re.ASCII)


def odds_of(winning: int) -> Odds | None:
    """The odds of a bet that wins with this many of the 100 numbers; `None` if it is not offered."""
    hundredths = RETURN // winning
    return None if hundredths < _SMALLEST_ODDS else Odds.times(Fraction(hundredths, 100))


def _bet(option: Option, text: str, winning: int, wins: Callable[[int], bool]) -> Bet:
    odds = odds_of(winning)
    if odds is None:
        raise BetRefused(f"{text} is not offered: {winning} of {NUMBERS} numbers would win it")
    return Bet(text, option, (Prize(odds, lambda outcome: wins(_number(outcome))),), _LAW)


def _number(outcome: Outcome) -> int:
    number = outcome["number"]
    if not isinstance(number, int):
        raise TypeError("the outcome of a drawing is a number")
    return number


def _lower(n: int) -> Bet:
    return _bet(_LOWER, f"lower {n}", n, lambda number: number <= n)


def _higher(n: int) -> Bet:
    return _bet(_HIGHER, f"higher {n}", NUMBERS + 1 - n, lambda number: number >= n)


def _range(m: int, n: int) -> Bet:
    return _bet(_RANGE, f"range {m}-{n}", n + 1 - m, lambda number: m <= number <= n)


def _outside(m: int, n: int) -> Bet:
    return _bet(_OUTSIDE, f"outside {m}-{n}", m + NUMBERS + 1 - n, lambda number: number <= m or number >= n)


class KenoExpressBets:
    """One number of a hundred: some thousand bets, whose odds depend only on how many numbers win."""

    section = "12.33"
    drawn = "One number below 100, and 1 is added."
    options = (_LOWER, _HIGHER, _RANGE, _OUTSIDE)
    readings = _READINGS

    def chances(self, rules: Rules) -> Chances:  # noqa: ARG002
        """100 numbers, all equally likely."""
        return tuple((outcome, Fraction(weight, NUMBERS)) for outcome, weight in _LAW)

    def count(self, rules: Rules) -> int:  # noqa: ARG002
        """100."""
        return NUMBERS

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:  # noqa: ARG002
        """The bet of this spelling. Raises `BetRefused`."""
        if match := _ONE.fullmatch(text):
            return {"lower": _lower, "higher": _higher}[match[1]](int(match[2]))
        match = _TWO.fullmatch(text)
        if match is None or int(match[2]) >= int(match[3]):
            raise refusal(text, self.options)
        return {"range": _range, "outside": _outside}[match[1]](int(match[2]), int(match[3]))

    def listed(self, rules: Rules) -> tuple[Bet, ...]:  # noqa: ARG002
        """For each option one bet for each offered count of winning numbers."""
        most = max(k for k in range(1, NUMBERS + 1) if odds_of(k))
        return (
            *(_lower(k) for k in range(1, most + 1)),
            *(_higher(NUMBERS + 1 - k) for k in range(1, most + 1)),
            *(_range(1, k) for k in range(2, most + 1)),
            *(_outside(1, NUMBERS + 2 - k) for k in range(2, most + 1)),
        )
