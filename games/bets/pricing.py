"""Odds that the regulation leaves to the table (`docs/bets.md`): the most hundredths that return at most 96 %."""

from __future__ import annotations

from fractions import Fraction

RETURN = 9600
"""What they return at most, in basis points. A part of version 1 of each game: as much as HI LO returns."""
LEAST = 101
"""In hundredths: a bet with smaller odds could win nothing, and is not offered."""


def price(
    chance: Fraction, given_back: Fraction = Fraction(0), factor: Fraction = Fraction(1), returned: int = RETURN
) -> int:
    """Price a bet, in hundredths, that wins with this chance; 0 if it is not offered.

    ``given_back`` is what is returned on average where it neither wins nor loses, ``factor`` what multiplies the odds
    on average, ``returned`` the return, in basis points.
    """
    hundredths = int(Fraction(Fraction(returned, 100) - 100 * given_back, chance * factor))
    return hundredths if hundredths >= LEAST else 0
