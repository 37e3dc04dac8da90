"""Outcomes put together into a few cells, as bets put them together, with each cell's exact chance.

For pictures, and for comparing void rounds with played ones, of which there are few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from games.bets.cash_out import WORDS, words_at_least
from games.hi_lo import DECK
from games.keno_express import NUMBERS
from games.penalty import COLUMNS, ENDS, SECTORS
from games.sic_bo import FACES
from verifier.stats.numbers.columns import Floats, Ints, TableColumns

CASH_OUTS = (101, 110, 125, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 100_000)
"""In hundredths: where multipliers are cut."""
_TEN = 10
_BEYOND = 5
"""Hardly one of n rounds reaches this times n: at most one log in five has such a round."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Into what a game's outcomes are put."""

    of: Callable[[Ints], Ints]
    """From outcomes, of shape (n, k), to the place of the cell of each."""
    names: tuple[str, ...]
    chances: Callable[[Mapping[str, int]], Sequence[float]]
    """Of each cell, under these rules."""


def card_name(place: int) -> str:
    """``7 black``, ``Joker``."""
    return " ".join(str(part) for part in DECK[place].values())


def end_name(place: int) -> str:
    """``sector 4``, ``bar``, ``failure``."""
    return f"sector {place + 1}" if place < SECTORS else str(ENDS[place]["result"])


def chance_to_reach(hundredths: int, rules: Mapping[str, int]) -> float:
    """P(multiplier >= h), every word of 64 bits counted (SPEC 3.4)."""
    if hundredths < CASH_OUTS[0]:
        return 1.0
    return 0.0 if hundredths > rules["cap"] else words_at_least(hundredths, rules["rtp"]) / WORDS


def odds_text(hundredths: int) -> str:
    """``2.00``."""
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _between_cash_outs(rules: Mapping[str, int]) -> Sequence[float]:
    reached = [1.0, *(chance_to_reach(at, rules) for at in CASH_OUTS), 0.0]
    return [low - high for low, high in pairwise(reached)]


_TEXTS = [odds_text(at) for at in CASH_OUTS]
_MULTIPLIERS = Cells(
    lambda outcome: np.searchsorted(CASH_OUTS, outcome[:, 0], side="right"),
    ("1.00", *(f"{low} up to {high}" for low, high in pairwise(_TEXTS)), f"{_TEXTS[-1]} or more"),
    _between_cash_outs,
)
_SUMS = range(3, 19)
_SUM_CHANCES = [[*map(sum, product(FACES, repeat=3))].count(total) / len(FACES) ** 3 for total in _SUMS]

CELLS: Mapping[str, Cells] = {
    "crash": _MULTIPLIERS,
    "rocketon": _MULTIPLIERS,
    "hi-lo": Cells(
        lambda outcome: outcome[:, 0], tuple(map(card_name, range(len(DECK)))), lambda _: [1 / len(DECK)] * len(DECK)
    ),
    "sic-bo": Cells(
        lambda outcome: outcome.sum(axis=1) - _SUMS[0],
        tuple(f"sum {total}" for total in _SUMS),
        lambda _: _SUM_CHANCES,
    ),
    "penalty": Cells(
        lambda outcome: outcome[:, 0], tuple(map(end_name, range(len(ENDS)))), lambda _: [1 / len(ENDS)] * len(ENDS)
    ),
    "keno-express": Cells(
        lambda outcome: (outcome[:, 0] - 1) // _TEN,
        tuple(f"{first} to {first + _TEN - 1}" for first in range(1, NUMBERS, _TEN)),
        lambda _: [_TEN / NUMBERS] * (NUMBERS // _TEN),
    ),
}
"""By the game's name."""


def is_multiplier(columns: TableColumns) -> bool:
    """Whether the cells are steps of one growing number."""
    return CELLS[columns.game] is _MULTIPLIERS


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """How many played rounds fell into each cell, and how many were to be expected."""

    names: tuple[str, ...]
    counts: Ints
    expected: Floats
    deviations: Floats
    """The distance from ``expected`` in standard deviations."""


def bars(columns: TableColumns) -> Bars:
    """The cells of a table's played rounds, each round expected by its own rules."""
    cells = CELLS[columns.game]
    counts = np.bincount(cells.of(columns.final), minlength=len(cells.names))
    return _compared(cells.names, counts, _expected(columns, cells.chances))


def _expected(columns: TableColumns, chances: Callable[[Mapping[str, int]], Sequence[float]]) -> Floats:
    """Of each cell, the sum of its chances over the played rounds."""
    rounds = np.bincount(columns.batch[columns.played], minlength=len(columns.batches))
    parts = [n * np.asarray(chances(batch.rules)) for n, batch in zip(rounds.tolist(), columns.batches, strict=True)]
    return np.asarray(np.sum(parts, axis=0))


def _compared(names: tuple[str, ...], counts: Ints, expected: Floats) -> Bars:
    share = expected / max(1, counts.sum())
    deviation = np.sqrt(np.maximum(expected * (1 - share), np.finfo(float).tiny))
    return Bars(names, counts, expected, np.where(expected > 0, (counts - expected) / deviation, 0))


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Counts as they lie on a board: ``rows`` and ``columns`` are the places of each."""

    what: str
    bars: Bars
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def heat_map(columns: TableColumns) -> HeatMap | None:
    """Cards by rank and colour, dice by face, the goal, the hundred numbers; `None` for multipliers, which have no board."""
    final = columns.final
    if columns.game == "sic-bo":
        faces = [(die, face) for die in range(3) for face in FACES]
        counts = np.array([(final[:, die] == face).sum() for die, face in faces])
        n = len(final)
        share = 1 / len(FACES)
        deviation = np.sqrt(max(1, n) * share * (1 - share))
        board = Bars(
            tuple(f"die {die + 1}: {face}" for die, face in faces),
            counts,
            np.full(len(faces), n * share),
            (counts - n * share) / deviation,
        )
        return HeatMap(
            "Faces, die by die", board, tuple(die for die, _ in faces), tuple(face - 1 for _, face in faces)
        )
    boards = {
        "hi-lo": ("Cards", 0, card_name, [*((n % 2, n // 2) for n in range(24)), (0, 12)]),
        "penalty": ("The goal", 0, end_name, [*(divmod(n, COLUMNS) for n in range(SECTORS)), (3, 0), (3, 1)]),
        "keno-express": ("Numbers", 1, lambda n: str(n + 1), [divmod(n, _TEN) for n in range(NUMBERS)]),
    }
    if columns.game not in boards:
        return None
    what, least, name, places = boards[columns.game]
    counts = np.bincount(final[:, 0] - least, minlength=len(places))
    board = _compared(tuple(map(name, range(len(places)))), counts, np.full(len(places), len(final) / len(places)))
    return HeatMap(what, board, tuple(row for row, _ in places), tuple(column for _, column in places))


@dataclass(frozen=True, slots=True, eq=False)
class Survival:
    """The share of played rounds that reached a cash-out, at growing cash-outs (hundredths)."""

    at: Ints
    reached: Floats
    exact: Floats
    rounds: int


def survival(columns: TableColumns, points: int = 120) -> Survival:
    """From 1.01 to the largest cap, evenly spaced on a log axis, as far as anything could be seen with so many rounds."""
    cap = max((batch.rules["cap"] for batch in columns.batches), default=CASH_OUTS[0])
    multipliers = np.sort(columns.final[:, 0])
    n = max(1, len(multipliers))
    last = min(cap, max(int(multipliers.max(initial=0)), _BEYOND * 100 * n))
    at = np.unique(np.geomspace(CASH_OUTS[0], last, points).round().astype(np.int64))
    reached = (len(multipliers) - np.searchsorted(multipliers, at, side="left")) / n
    exact = _expected(columns, lambda rules: [chance_to_reach(each, rules) for each in at.tolist()]) / n
    return Survival(at, reached, exact, len(multipliers))
