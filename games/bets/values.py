"""Values of a figure, and sets of them: listed one by one, or all from one number to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Value = int | str
Given = Any
"""Plain JSON of ``games/bets.json``, every line of which is read in the tests, or of a paytable, whose form was
checked.
"""


@dataclass(frozen=True, slots=True)
class Values:
    """Some values, and ranges of whole numbers whose ends belong to them; `None` is no end."""

    listed: frozenset[Value]
    ranges: tuple[tuple[int | None, int | None], ...] = ()

    def __contains__(self, value: Value) -> bool:
        if value in self.listed:
            return True
        return isinstance(value, int) and any(
            (low is None or low <= value) and (high is None or value <= high) for low, high in self.ranges
        )
