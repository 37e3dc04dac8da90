"""What a bet is worth: its exact return, hit rate and variance, from its law."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from games.bets.bet import Bet, NoLaw, Worth

__all__ = ["Worth", "has_worth", "of_payments", "worth"]


def worth(bet: Bet) -> Worth:
    """Compute the worth without a draw. Raises `NoLaw`."""
    return bet.worth() if bet.worth is not None else of_payments(bet.law())


def has_worth(bet: Bet) -> bool:
    """Return whether a method here has its law."""
    try:
        worth(bet)
    except NoLaw:
        return False
    return True


def of_payments(payments: Iterable[tuple[Fraction, Fraction]]) -> Worth:
    """Return what a bet is worth that pays these amounts, each with its chance."""
    won = [(pays, chance) for pays, chance in payments if pays]
    returned = sum((pays * chance for pays, chance in won), Fraction(0))
    return Worth(
        returned,
        hit_rate=sum((chance for _, chance in won), Fraction(0)),
        variance=sum((pays**2 * chance for pays, chance in won), Fraction(0)) - returned**2,
    )
