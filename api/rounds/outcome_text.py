"""Outcomes in a few words, for terminals."""

from __future__ import annotations

from fairness.draws.game import Outcome


def outcome_text(outcome: Outcome) -> str:
    """Return a round's outcome as a person would say it."""
    match outcome:
        case {"multiplier": multiplier}:
            return f"{multiplier}\N{MULTIPLICATION SIGN}"
        case {"card": card, "color": color}:
            return f"{card} {color}"
        case {"dice": [*dice]} if len(outcome) == 1:
            return " · ".join(str(die) for die in dice)
        case {"sector": sector}:
            return f"sector {sector}"
    # Any other game: its places with what they have; of one place, only that.
    if len(outcome) == 1:
        return _value(*outcome.values())
    return " · ".join(f"{place}: {_value(value)}" for place, value in sorted(outcome.items()))


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
