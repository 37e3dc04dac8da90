"""Bets that may outlive their round: the law of the round that decides them (an absorbing chain over the point of
Craps).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from games.bets.values import Value, Values


def in_the_end(
    law: Mapping[Value, Fraction],
    wins: Sequence[Values],
    loses: Values,
    later: Callable[[Value], Fraction] | None,
) -> dict[Value, Fraction]:
    """Return the chances of the values that decide, given the ``law`` of one round; rounds are independent.

    ``later`` is the chance that the bet wins after a value that leaves it open; without it, the same bet goes on.
    Such a win counts as the first of the winning values in the law, and a loss as the first of those that lose.
    """
    decided = {
        value: chance for value, chance in law.items() if value in loses or any(value in each for each in wins)
    }
    if later is None:
        total = sum(decided.values(), Fraction(0))
        return {value: Fraction(chance, total) for value, chance in decided.items()}
    win = next(value for value in law if value in wins[0])
    loss = next(value for value in law if value in loses)
    for value in law.keys() - decided.keys():
        won = later(value)
        decided[win] += law[value] * won
        decided[loss] += law[value] * (1 - won)
    return decided
