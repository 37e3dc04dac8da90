"""What a bet is worth: its exact return, hit rate and variance, by enumeration of all outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from games.bets.bet import Bet


@dataclass(frozen=True, slots=True)
class Worth:
    """Exact figures of one bet, for a stake of 1."""

    returned: Fraction
    """What is paid on average: the return to the player."""
    hit_rate: Fraction
    """The chance to be paid anything."""
    variance: Fraction
    """The mean square distance of what is paid from ``returned``."""


def worth(bet: Bet) -> Worth:
    """Every outcome is looked at, none is drawn."""
    total = hits = paid = squares = Fraction(0)
    for outcome, weight in bet.law:
        total += weight
        odds = bet.odds(outcome)
        if odds is not None:
            hits += weight
            paid += weight * odds.pays
            squares += weight * odds.pays**2
    returned = Fraction(paid, total)
    return Worth(returned, Fraction(hits, total), Fraction(squares, total) - returned**2)
