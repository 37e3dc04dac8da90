"""What a bet is: which figure of the outcome it looks at, with which values it wins, and what that pays.

Money is a whole number of the engine's smallest unit, or a `Fraction` if half of an odd
stake stays in play. Nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from fairness.draws.game import Outcome, Rules
from games.bets.figures import number_of
from games.bets.values import Value, Values
from games.multipliers import odds_text

LONGEST_BET = 64
"""The characters of a bet's text, at most."""

Chances = tuple[tuple[Outcome, Fraction], ...]
Payments = tuple[tuple[Fraction, Fraction], ...]
"""What a stake of 1 is paid, in all, and the chance of that; nothing (0) included."""


class BetRefused(ValueError):
    """A text that is not a bet of the game, or a bet that is not offered in this round; the message says why."""


class NoLaw(Exception):
    """No method here has the law of a bet; the message says what it would need."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of a winning bet, in either of the regulation's two spellings."""

    value: Fraction
    beside_stake: bool = False
    """Whether the stake is paid back in addition to the winnings: yes for ``30:1``, no for ``x 12``."""

    @classmethod
    def times(cls, value: str | Fraction) -> Odds:
        """Read ``x 12``: the stake is multiplied by the odds, and is a part of what is paid."""
        return cls(Fraction(value))

    @classmethod
    def to_one(cls, value: int | str | Fraction) -> Odds:
        """Read ``30:1``: the winnings are the stake times 30, and the stake is paid beside them."""
        return cls(Fraction(value), beside_stake=True)

    def __str__(self) -> str:
        return f"{odds_text(self.value)}:1" if self.beside_stake else f"x {odds_text(self.value)}"

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


@dataclass(frozen=True, slots=True)
class Prize:
    """Odds, and the values of the bet's figure that win with them."""

    odds: Odds
    values: Values
    is_multiplied: bool = False
    """Whether the value multiplies the odds."""

    def odds_of(self, value: Value) -> Odds:
        """Return the odds with which this value wins."""
        return (
            replace(self.odds, value=self.odds.value * max(0, number_of(value))) if self.is_multiplied else self.odds
        )


@dataclass(frozen=True, slots=True)
class Lasts:
    """How a bet outlives its round: with any value that neither wins nor loses it goes on in the next one."""

    loses: Values
    becomes: str = ""
    """How it is written then, ``#`` being the value; as before, if empty."""


@dataclass(frozen=True, slots=True)
class Worth:
    """Exact figures of one bet, for a stake of 1."""

    returned: Fraction
    """What is paid on average: the return to the player."""
    hit_rate: Fraction
    """The chance to be paid anything."""
    variance: Fraction
    """The mean square distance of what is paid from ``returned``."""


@dataclass(frozen=True, slots=True, eq=False)
class Bet:
    """One thing to bet on in one round: a pure function from the outcome to the odds."""

    text: str
    """Its one spelling: ``sum 10``."""
    option: Option
    figure: Callable[[Outcome], Value]
    """What of the outcome it looks at."""
    prizes: tuple[Prize, ...]
    """The first of these that has the figure's value is paid."""
    law: Callable[[], Payments]
    """What it pays, with which chances; all of them. Raises `NoLaw`."""
    after: str = ""
    """The card that the bet is compared with, if there is one (HI LO)."""
    worth: Callable[[], Worth] | None = None
    """What it is worth, if that is known though its payments are without number."""
    lasts: Lasts | None = None
    """How it outlives its round, if it can."""

    def odds(self, outcome: Outcome) -> Odds | None:
        """Return the odds with which the bet wins; `None` if it loses."""
        return odds_for(self.prizes, self.figure(outcome))

    def next(self, outcome: Outcome) -> str:
        """Return how the bet is written in the next round, if this outcome does not decide it; else empty."""
        return self.becomes(self.figure(outcome))

    def becomes(self, value: Value) -> str:
        """Return how the bet is written then, by the figure's value; else empty."""
        if self.lasts is None or value in self.lasts.loses or odds_for(self.prizes, value) is not None:
            return ""
        return self.lasts.becomes.replace("#", str(value)) or self.text

    def most(self) -> Fraction | None:
        """Return what it can pay at most for each unit of the stake, which a void round pays; `None` if no method
        here knows.
        """
        if not any(prize.is_multiplied for prize in self.prizes):
            return max([Fraction(1), *(prize.odds.pays for prize in self.prizes)])
        try:
            return max(pays for pays, _ in self.law())
        except NoLaw:
            return None

    def winnings(self, outcome: Outcome, stake: int | Fraction) -> Fraction:
        """Return the whole payment for ``stake`` in this round; 0 if the bet loses, or goes on."""
        odds = self.odds(outcome)
        return Fraction(0) if odds is None else odds.pays * stake


def odds_for(prizes: Iterable[Prize], value: Value) -> Odds | None:
    """Return what this value of the figure wins."""
    for prize in prizes:
        if value in prize.values:
            return prize.odds_of(value)
    return None


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
        """Return the chance of each outcome, or of the first and the last if there are too many to list."""

    def count(self, rules: Rules) -> int:
        """Return how many different outcomes there are."""

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:
        """Return the bet that is written so.

        ``before`` are the outcomes of the rounds played before, the latest first; it is read as far as
        needed. Raises `BetRefused`.
        """

    def listed(self, rules: Rules) -> tuple[Bet, ...]:
        """Return the bets whose returns are listed: each one, or one for all that are alike."""


def refusal(text: str, options: Iterable[Option]) -> BetRefused:
    """Return the refusal of a text that is not a bet of the game."""
    # Some forms have commas, and several options may be written in one form.
    forms = "; ".join(dict.fromkeys(option.form for option in options))
    return BetRefused(f"{text[:LONGEST_BET]!r} is no bet of this game; its bets are: {forms}")
