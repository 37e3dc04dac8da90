"""Facts about Sic Bo."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import cast

from fairness.draws.game import Outcome
from games.facts.facts import Board, Facts, Grouping, Numbers, Uniform, grouped

FACES = range(1, 7)
THROWS: tuple[Outcome, ...] = tuple({"dice": list(dice)} for dice in itertools.product(FACES, repeat=3))
"""Every throw of three dice, all equally likely."""
_DICE = 3
_HIGHEST_LOW_SUM = 10


def _numbers(throw: Outcome) -> tuple[int, int, int]:
    first, second, third = cast("list[int]", throw["dice"])
    return first, second, third


def _outcome(dice: Sequence[int]) -> Outcome:
    return {"dice": list(dice)}


_THROWS = tuple(map(_numbers, THROWS))
_SUMS = tuple(map(sum, _THROWS))
_TRIPLES = tuple(len(set(dice)) == 1 for dice in _THROWS)
_SQUARES = tuple(itertools.product(range(_DICE), range(len(FACES))))

FACTS = Facts(
    members=(
        {
            "dice": {
                "type": "array",
                "items": {"type": "integer", "minimum": FACES[0], "maximum": FACES[-1]},
                "minItems": _DICE,
                "maxItems": _DICE,
            }
        },
    ),
    numbers=Numbers(_DICE, _numbers, _outcome),
    uniform=Uniform(
        one="throw",
        outcomes=THROWS,
        groupings=(
            grouped("throws", ("-".join(map(str, dice)) for dice in _THROWS)),
            *(grouped(f"die {place + 1}", (str(dice[place]) for dice in _THROWS)) for place in range(_DICE)),
            grouped("sums", map(str, _SUMS)),
            Grouping("triples", ("no triple", "a triple"), tuple(map(int, _TRIPLES))),
        ),
        half=("sums to 10 and from 11", tuple(int(total > _HIGHEST_LOW_SUM) for total in _SUMS)),
        event=("a triple", _TRIPLES),
        scores=_SUMS,
        cells=grouped("sums", (f"sum {total}" for total in _SUMS)),
        board=Board("Faces, die by die", tuple(f"die {die + 1}: {FACES[face]}" for die, face in _SQUARES), _SQUARES),
    ),
    outcome_example="6 6",
    bet_examples=("small", "sum 10", "pair 3", "combination 1 2", "any triple"),
    standard_bet="small",
    is_paid_beside_stake=True,
)
