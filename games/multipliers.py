"""Multipliers as outcomes have them: text with two decimals; the largest that a table may have; and other numbers as
decimals.
"""

from __future__ import annotations

from fractions import Fraction

SMALLEST_CAP = 101
LARGEST_CAP = 1_000_000_000
_MOST_DIGITS = 10


def decimal_text(hundredths: int) -> str:
    """Write ``21.23``, always with two decimals."""
    return f"{hundredths // 100}.{hundredths % 100:02}"


def hundredths_of(text: object) -> int:
    """Return what `decimal_text` made such a text of."""
    return int(str(text).replace(".", ""))


def fraction_text(value: Fraction) -> str:
    """Write ``8/3``; a fraction always has its slash."""
    return f"{value.numerator}/{value.denominator}"


def exact_decimal(value: Fraction) -> str:
    """Write ``1.09``, without zeros at the end: exactly the value. Raises `ValueError` if it has no such spelling."""
    for digits in range(_MOST_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole = str(scaled.numerator).zfill(digits + 1)
            return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    raise ValueError(f"odds of {value} have no short decimal spelling")


def odds_text(value: Fraction) -> str:
    """Write odds as `exact_decimal`, or as a fraction where odds have no short decimals: several chips of a roulette
    series.
    """
    try:
        return exact_decimal(value)
    except ValueError:
        return fraction_text(value)
