"""What a bet is worth: its exact return, hit rate and variance, by enumeration of all outcomes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from games.bets.bet import Bet, Prize


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
    weights: Counter[Prize | None] = Counter()
    for outcome, weight in bet.law:
        weights[bet.prize(outcome)] += weight
    total = weights.total()
    won = [(prize.odds.pays, Fraction(weight, total)) for prize, weight in weights.items() if prize is not None]
    returned = sum((pays * chance for pays, chance in won), Fraction(0))
    return Worth(
        returned,
        hit_rate=sum((chance for _, chance in won), Fraction(0)),
        variance=sum((pays**2 * chance for pays, chance in won), Fraction(0)) - returned**2,
    )
