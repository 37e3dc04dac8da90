"""What a bet is: when it wins, with which odds, and what that pays.

Money is a whole number of the engine's smallest unit, or a `Fraction` if half of an odd
stake stays in play. Nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from fairness.draws.game import Outcome, Rules

LONGEST_BET = 64
"""The characters of a bet's text, at most."""

_MOST_DIGITS = 10

Law = tuple[tuple[Outcome, int], ...]
"""Each outcome with its weight: its chance is its weight out of the sum of all weights."""

Chances = tuple[tuple[Outcome, Fraction], ...]


class BetRefused(ValueError):
    """A text that is not a bet of the game, or a bet that is not offered in this round; the message says why."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of a winning bet, in either of the regulation's two spellings."""

    value: Fraction
    beside_stake: bool = False
    """Whether the stake is paid back in addition to the winnings: yes for ``30:1``, no for ``x 12``."""

    @classmethod
    def times(cls, value: str | Fraction) -> Odds:
        """``x 12``: the stake is multiplied by the odds, and is a part of what is paid."""
        return cls(Fraction(value))

    @classmethod
    def to_one(cls, value: int) -> Odds:
        """``30:1``: the winnings are the stake times 30, and the stake is paid beside them."""
        return cls(Fraction(value), beside_stake=True)

    def __str__(self) -> str:
        return f"{decimal_text(self.value)}:1" if self.beside_stake else f"x {decimal_text(self.value)}"

    @property
    def pays(self) -> Fraction:
        """What is paid for each unit of the stake, in all."""
        return self.value + self.beside_stake


@dataclass(frozen=True, slots=True)
class Option:
    """A winning option of the regulation; it is one bet, or all bets that differ in a number only."""

    name: str
    """As the regulation calls it."""
    form: str
    """How its bets are written: ``sum N``."""
    wins: str
    """When its bets win, in one sentence."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How something that the regulation leaves open is decided."""

    decision: str
    """What holds, and why."""
    sentence: str
    """The words of the regulation that it rests on."""


@dataclass(frozen=True, slots=True, eq=False)
class Prize:
    """Odds, and the outcomes that win with them. Two prizes are never equal: what they win is a function."""

    odds: Odds
    wins: Callable[[Outcome], bool]


@dataclass(frozen=True, slots=True)
class Bet:
    """One thing to bet on in one round: a pure function from the outcome to the odds."""

    text: str
    """Its one spelling: ``sum 10``."""
    option: Option
    prizes: tuple[Prize, ...]
    """The first of these that an outcome wins is paid."""
    law: Law
    """All outcomes. Outcomes that the bet does not distinguish may be listed as one."""
    after: str = ""
    """The card that the bet is compared with, where there is one (HI LO)."""

    def prize(self, outcome: Outcome) -> Prize | None:
        """What the bet wins; `None` if it loses."""
        for prize in self.prizes:
            if prize.wins(outcome):
                return prize
        return None

    def odds(self, outcome: Outcome) -> Odds | None:
        """The odds with which the bet wins; `None` if it loses."""
        prize = self.prize(outcome)
        return None if prize is None else prize.odds

    def winnings(self, outcome: Outcome, stake: int | Fraction) -> Fraction:
        """The whole payment for ``stake``; 0 if the bet loses."""
        odds = self.odds(outcome)
        return Fraction(0) if odds is None else odds.pays * stake


class Bets(Protocol):
    """The winning options of one game."""

    @property
    def section(self) -> str:
        """Where the regulation describes the game: ``12.25``."""

    @property
    def drawn(self) -> str:
        """How the outcome is drawn, in one sentence."""

    @property
    def options(self) -> tuple[Option, ...]:
        """In the order of the regulation."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What the regulation leaves open, and how it is read."""

    def chances(self, rules: Rules) -> Chances:
        """The chance of each outcome, or of the first and the last if there are too many to list."""

    def count(self, rules: Rules) -> int:
        """How many different outcomes there are."""

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:
        """The bet that is written so.

        ``before`` are the outcomes of the rounds played before, the latest first; it is read as far as
        needed. Raises `BetRefused`.
        """

    def listed(self, rules: Rules) -> tuple[Bet, ...]:
        """The bets of a paytable: each one, or one for all that are alike."""


def uniform(outcomes: Iterable[Outcome]) -> Law:
    """Outcomes that are all equally likely."""
    return tuple((outcome, 1) for outcome in outcomes)


def refusal(text: str, options: Iterable[Option]) -> BetRefused:
    """The refusal of a text that is not a bet of the game."""
    forms = ", ".join(option.form for option in options)
    return BetRefused(f"{text[:LONGEST_BET]!r} is no bet of this game; its bets are: {forms}")


def decimal_text(value: Fraction) -> str:
    """``1.09``, without zeros at the end: exactly the value. Raises `ValueError` if it has no such spelling."""
    for digits in range(_MOST_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole = str(scaled.numerator).zfill(digits + 1)
            return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    raise ValueError(f"odds of {value} have no short decimal spelling")
