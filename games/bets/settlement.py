"""What becomes of a bet when its round has ended."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from fairness.draws.game import Outcome
from games.bets.bet import Bet, Odds


@dataclass(frozen=True, slots=True)
class Settled:
    """One bet on one round that has ended."""

    bet: Bet
    result: Literal["wins", "loses", "void"]
    odds: Odds | None
    """The odds with which it wins; `None` if it does not win."""

    @property
    def pays(self) -> Fraction:
        """The whole payment for each unit of the stake. A void round pays the stake: odds of 1 (regulation, section 10)."""
        if self.odds is not None:
            return self.odds.pays
        return Fraction(self.result == "void")


def settle(bet: Bet, outcome: Outcome, status: str) -> Settled:
    """What becomes of ``bet``; ``status`` is the round's, ``played`` or ``void``."""
    if status == "void":
        return Settled(bet, "void", None)
    odds = bet.odds(outcome)
    return Settled(bet, "loses" if odds is None else "wins", odds)
