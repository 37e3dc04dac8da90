"""The deck of HI LO."""

from __future__ import annotations

from games.facts.facts import every_outcome

DECK = every_outcome("hi-lo")
"""Every card: each rank red, then black; the Joker, neither high nor low, last."""
