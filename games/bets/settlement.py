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
    result: Literal["wins", "loses", "void", "open"]
    odds: Odds | None
    """The odds with which it wins; `None` if it does not win."""
    next: str = ""
    """How a bet is written in the next round if it is still open: that round, or a later one, decides it."""

    @property
    def pays(self) -> Fraction | None:
        """The whole payment for each unit of the stake; `None` while the bet is open.

        A void round pays the stake: odds of 1 (regulation, section 10).
        """
        if self.result == "open":
            return None
        return Fraction(self.result == "void") if self.odds is None else self.odds.pays


def settle(bet: Bet, outcome: Outcome, status: str) -> Settled:
    """Return what becomes of ``bet``; ``status`` is the round's, ``played`` or ``void``.

    A void round is no part of the game: a bet that can outlive its round outlives that one.
    """
    if status == "void":
        return Settled(bet, "void", None) if bet.lasts is None else Settled(bet, "open", None, bet.text)
    following = bet.next(outcome)
    if following:
        return Settled(bet, "open", None, following)
    odds = bet.odds(outcome)
    return Settled(bet, "loses" if odds is None else "wins", odds)
