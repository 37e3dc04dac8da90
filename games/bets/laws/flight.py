"""The law of a flight's multiplier, by the words that it is made of (SPEC 3.4)."""

from __future__ import annotations

WORDS = 1 << 64
"""How many equally likely words there are."""


def words_at_least(hundredths: int, rtp: int, words: int = WORDS) -> int:
    """Return how many of all words give a multiplier of at least ``hundredths``, which is above 100 and at most the
    cap.

    A word w gives ⌊rtp · 2⁶⁴ / (100 · (w+1))⌋ hundredths (SPEC 3.4), which is at least h if and only if
    w+1 is at most ⌊rtp · 2⁶⁴ / (100 · h)⌋.
    """
    return rtp * words // (100 * hundredths)
