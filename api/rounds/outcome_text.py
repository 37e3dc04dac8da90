"""Outcomes in a few words, for pages and terminals."""

from __future__ import annotations

from typing import Any


def outcome_text(outcome: dict[str, Any]) -> str:
    """A round's outcome as a person would say it."""
    match outcome:
        case {"multiplier": multiplier}:
            return f"{multiplier}\N{MULTIPLICATION SIGN}"
        case {"card": card, "color": color}:
            return f"{card} {color}"
        case {"dice": dice}:
            return " · ".join(str(die) for die in dice)
        case {"sector": sector}:
            return f"sector {sector}"
    return str(next(iter(outcome.values())))
