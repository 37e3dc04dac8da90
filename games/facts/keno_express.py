"""Facts about Keno Express."""

from __future__ import annotations

from games.facts.facts import Board, Facts, Numbers, Uniform, grouped
from games.facts.facts import message as _

NUMBERS = 100
_TEN = 10
_ALL = range(1, NUMBERS + 1)
_FIRST_OF_TEN = tuple((number - 1) // _TEN * _TEN + 1 for number in _ALL)
_NUMBERS = grouped("numbers", map(str, _ALL))

FACTS = Facts(
    members=({"number": {"type": "integer", "minimum": 1, "maximum": NUMBERS}},),
    numbers=Numbers(1, lambda outcome: (int(str(outcome["number"])), 0, 0), lambda numbers: {"number": numbers[0]}),
    uniform=Uniform(
        one="number",
        outcomes=tuple({"number": number} for number in _ALL),
        groupings=(
            _NUMBERS,
            grouped("tens", (f"{first}-{first + _TEN - 1}" for first in _FIRST_OF_TEN)),
            grouped("odd and even", ("odd" if number % 2 else "even" for number in _ALL)),
        ),
        half=("1-50 and 51-100", tuple(int(number > NUMBERS // 2) for number in _ALL)),
        event=("a number up to 10", tuple(number <= _TEN for number in _ALL)),
        scores=tuple(_ALL),
        cells=grouped("tens", (f"{first} to {first + _TEN - 1}" for first in _FIRST_OF_TEN)),
        board=Board("Numbers", _NUMBERS.labels, tuple(divmod(number - 1, _TEN) for number in _ALL)),
    ),
    outcome_example="37",
    bet_examples=("lower 50", "higher 51", "range 10-37", "outside 10-37"),
    bet_note=_("At most 95 numbers can win, and a range has at least two."),
    standard_bet="lower 48",
    winning_counts=(1, 2, 3, 5, 10, 20, 25, 50, 75, 95),
)
