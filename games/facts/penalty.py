"""The goal of Penalty."""

from __future__ import annotations

from games.facts.facts import every_outcome

_COLUMNS = 8
ENDS = every_outcome("penalty")
"""Every result of a shot, all equally likely, in the order of the draw."""


def is_yellow(sector: int) -> bool:
    """Return the colour of a sector, yellow or else blue: in version 1 the goal is chequered, 12 and 12, from a
    yellow 1.

    Sectors 1 to 8 are the upper row, 9 to 16 the middle one, 17 to 24 the bottom one, from left to right.
    """
    row, column = divmod(sector - 1, _COLUMNS)
    return (row + column) % 2 == 0
