"""An outcome as people write it, whatever its game."""

from __future__ import annotations

from collections.abc import Mapping


def outcome_in_words(outcome: Mapping[str, object]) -> str:
    """Write ``21.23``, ``Q red``, ``1-5-2``, ``sector 14``, ``37``."""
    return " ".join(_part(key, value) for key, value in outcome.items())


def _part(key: str, value: object) -> str:
    if isinstance(value, list):
        return "-".join(map(str, value))
    return f"sector {value}" if key == "sector" else str(value)
