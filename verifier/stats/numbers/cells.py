"""A few cells for each game's outcomes, as bets group them, with each cell's exact chance.

They serve pictures, and the comparison of void rounds, which are few, with played ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from games.bets.laws.devices import CASH_OUTS
from games.bets.laws.flight import WORDS, words_at_least
from games.facts import FACTS
from games.multipliers import decimal_text
from verifier.stats.numbers.columns import Floats, Ints, TableColumns, places_of
from verifier.stats.numbers.laws import law_of_place
from verifier.stats.numbers.parts import Drawn

_BEYOND = 5
"""Of n rounds hardly one reaches this times n: at most one log in five has such a round."""
_POINTS = 120
"""Multipliers at which the survival curve is drawn."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a game's outcomes."""

    of: Callable[[Ints], Ints]
    """Takes outcomes of shape (n, k) and returns the index of each one's cell."""
    names: tuple[str, ...]
    chances: Callable[[Mapping[str, int]], Sequence[float]]
    """Takes rules and returns each cell's chance."""


def chance_to_reach(hundredths: int, rules: Mapping[str, int]) -> float:
    """P(multiplier >= h), exact over all words of 64 bits (SPEC 3.4)."""
    if hundredths < CASH_OUTS[0]:
        return 1.0
    return 0.0 if hundredths > rules["cap"] else words_at_least(hundredths, rules["rtp"]) / WORDS


def _between_cash_outs(rules: Mapping[str, int]) -> Sequence[float]:
    reached = [1.0, *(chance_to_reach(at, rules) for at in CASH_OUTS), 0.0]
    return [low - high for low, high in pairwise(reached)]


_TEXTS = [decimal_text(at) for at in CASH_OUTS]
_MULTIPLIERS = Cells(
    lambda outcome: np.searchsorted(CASH_OUTS, outcome[:, 0], side="right"),
    ("1.00", *(f"{low} up to {high}" for low, high in pairwise(_TEXTS)), f"{_TEXTS[-1]} or more"),
    _between_cash_outs,
)


def _cells(game: str) -> Cells:
    uniform = FACTS[game].uniform
    if uniform is None:
        return _MULTIPLIERS
    labels, groups = uniform.cells.labels, np.array(uniform.cells.groups)
    chances = (np.bincount(groups) / len(groups)).tolist()
    return Cells(lambda outcome: groups[places_of(game, outcome)], labels, lambda _: chances)


CELLS: Mapping[str, Cells] = {game: _cells(game) for game in FACTS}
"""By the game's name."""


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """How many played rounds are in each cell, and how many were expected."""

    names: tuple[str, ...]
    counts: Ints
    expected: Floats
    deviations: Floats
    """The distance from ``expected`` in standard deviations."""


def bars(columns: TableColumns) -> Bars:
    """Count a table's played rounds by cell; what is expected follows each round's own rules."""
    cells = CELLS[columns.game]
    counts = np.bincount(cells.of(columns.final), minlength=len(cells.names))
    return _compared(cells.names, counts, _expected(columns, cells.chances), len(columns.final))


def _expected(columns: TableColumns, chances: Callable[[Mapping[str, int]], Sequence[float]]) -> Floats:
    """For each cell, the sum of its chances over the played rounds."""
    rounds = np.bincount(columns.batch[columns.played], minlength=len(columns.batches))
    parts = [n * np.asarray(chances(batch.rules)) for n, batch in zip(rounds.tolist(), columns.batches, strict=True)]
    return np.asarray(np.sum(parts, axis=0))


def _compared(names: tuple[str, ...], counts: Ints, expected: Floats, rounds: int) -> Bars:
    share = expected / max(1, rounds)
    deviation = np.sqrt(np.maximum(expected * (1 - share), np.finfo(float).tiny))
    return Bars(names, counts, expected, np.where(expected > 0, (counts - expected) / deviation, 0))


_MOST_BARS = 40


def bars_of_device(drawn: Drawn) -> Bars:
    """How often a device gave each thing, at any of its places; of a race, who won."""
    device, rounds = drawn.device, len(drawn)
    size = 1 if device.way == "ranked" else device.size
    law = law_of_place(device, 0)
    grouping = law.groupings[min(1, len(law.groupings) - 1) if law.classes > _MOST_BARS else 0]
    found = np.bincount(grouping.groups[drawn.codes[:, :size]].ravel(), minlength=len(grouping.labels))
    expected = rounds * size * grouping.chances
    left = (device.things - size) / (device.things - 1) if device.way == "taken" else 1.0
    deviation = np.sqrt(expected * (1 - grouping.chances) * left)
    off = np.divide(found - expected, deviation, out=np.zeros(len(found)), where=deviation > 0)
    return Bars(grouping.labels, found, expected, off)


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Counts in the layout of a board: ``rows`` and ``columns`` give the place of each."""

    what: str
    bars: Bars
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def heat_map(columns: TableColumns) -> HeatMap | None:
    """Cards by rank and colour, dice by face, the goal, the hundred numbers; `None` for multipliers, which have no board."""
    facts, final = columns.facts, columns.final
    if facts.uniform is None:
        return None
    board, least = facts.uniform.board, facts.numbers.of(facts.uniform.outcomes[0])
    values, n = len(board.names) // facts.numbers.count, len(final)
    counts = [np.bincount(final[:, at] - least[at], minlength=values) for at in range(facts.numbers.count)]
    found = _compared(board.names, np.concatenate(counts), np.full(len(board.names), n / values), n)
    return HeatMap(
        board.title, found, tuple(row for row, _ in board.squares), tuple(column for _, column in board.squares)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Survival:
    """The share of played rounds that reached each cash-out, in ascending order, in hundredths."""

    at: Ints
    reached: Floats
    exact: Floats
    rounds: int


def survival(columns: TableColumns) -> Survival:
    """From 1.01 up, evenly spaced on a log axis, to the largest cap or as far as this number of rounds could reach."""
    cap = max((batch.rules["cap"] for batch in columns.batches), default=CASH_OUTS[0])
    multipliers = np.sort(columns.final[:, 0])
    n = max(1, len(multipliers))
    last = min(cap, max(int(multipliers.max(initial=0)), _BEYOND * 100 * n))
    at = np.unique(np.geomspace(CASH_OUTS[0], last, _POINTS).round().astype(np.int64))
    reached = (len(multipliers) - np.searchsorted(multipliers, at, side="left")) / n
    exact = _expected(columns, lambda rules: [chance_to_reach(each, rules) for each in at.tolist()]) / n
    return Survival(at, reached, exact, len(multipliers))
