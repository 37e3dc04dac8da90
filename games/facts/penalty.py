"""Facts about Penalty."""

from __future__ import annotations

from fairness.draws.game import Outcome
from games.facts.facts import Board, Facts, Uniform, grouped, place_in
from games.penalty import COLUMNS, ENDS, SECTORS, is_yellow


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
