"""Facts about Penalty."""

from __future__ import annotations

from fairness.draws.game import Outcome
from games.facts.facts import Board, Facts, Uniform, ends_of, grouped, place_in

SECTORS = 24
COLUMNS = 8
ENDS = ends_of("penalty")
"""Every result of a shot, all equally likely, in the order of the draw."""


def is_yellow(sector: int) -> bool:
    """The colour of a sector, yellow or else blue: in version 1 the goal is chequered, 12 and 12, from a yellow 1.

    Sectors 1 to 8 are the upper row, 9 to 16 the middle one, 17 to 24 the bottom one, from left to right.
    """
    row, column = divmod(sector - 1, COLUMNS)
    return (row + column) % 2 == 0


def _name(end: Outcome) -> str:
    return f"sector {end['sector']}" if "sector" in end else str(end["result"])


def _color(end: Outcome) -> str:
    if "sector" not in end:
        return "bar or failure"
    return "yellow" if is_yellow(int(str(end["sector"]))) else "blue"


_COUNT = len(ENDS)
_ENDS = grouped("ends", map(_name, ENDS))
_COLORS = grouped("colours", map(_color, ENDS))
_GOAL = tuple(divmod(place, COLUMNS) for place in range(SECTORS))
_BELOW = SECTORS // COLUMNS

FACTS = Facts(
    members=(
        {"sector": {"type": "integer", "minimum": 1, "maximum": SECTORS}},
        {"result": {"enum": ["bar", "failure"]}},
    ),
    numbers=place_in(ENDS),
    uniform=Uniform(
        one="end",
        outcomes=ENDS,
        groupings=(_ENDS, _COLORS),
        half=("yellow and blue", tuple(-1 if place >= SECTORS else _COLORS.groups[place] for place in range(_COUNT))),
        event=("the bar or a failure", tuple("sector" not in end for end in ENDS)),
        scores=tuple(range(_COUNT)),
        cells=_ENDS,
        board=Board("The goal", _ENDS.labels, (*_GOAL, (_BELOW, 0), (_BELOW, 1))),
    ),
    bet_examples=("sector 14", "yellow", "upper row", "bar"),
    standard_bet="yellow",
)
