"""A few cells for outcomes, as bets group them, with each cell's exact chance.

They serve pictures, and the comparison of void rounds, which are few, with played ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairness.draws.game import Rules
from games.bets.laws.devices import CASH_OUTS, CASH_OUTS_IN_WORDS
from games.bets.laws.flight import WORDS, words_at_least
from games.facts.facts import Whole
from verifier.stats.numbers.columns import Floats, Ints, TableColumns
from verifier.stats.numbers.devices import codes_of, devices_of
from verifier.stats.numbers.flights import hundredths
from verifier.stats.numbers.laws import law_of_place, law_of_whole
from verifier.stats.numbers.samples import Drawn

_BEYOND = 5
"""Of n rounds hardly one reaches this times n: at most one log in five has such a round."""
_POINTS = 120
"""Multipliers at which the survival curve is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of the outcomes of one table."""

    of: Ints
    """The index of the cell of each of the table's different outcomes."""
    names: tuple[str, ...]
    chances: Callable[[Rules], Sequence[float]]
    """Takes rules and returns each cell's chance."""


def cells_of(table: TableColumns) -> Cells | None:
    """Return the cells of a flight, and of outcomes that players know as one thing; `None` for other games."""
    if table.is_flight:
        return cells_of_flights(table)
    whole = table.facts.whole
    if whole is None:
        return None
    (device,), cells = devices_of(table.declared, table.rules, whole), law_of_whole(whole).grouping(whole.cells)
    places = codes_of(device, table.outcomes)[:, 0]
    return Cells(cells.groups[places], cells.labels, lambda _: cells.chances.tolist())


def cells_of_flights(table: TableColumns) -> Cells:
    """Return the cells between the usual cash-outs."""
    return Cells(np.searchsorted(CASH_OUTS, hundredths(table), side="right"), _BETWEEN, _between_cash_outs)


def chance_to_reach(hundredths: int, rules: Rules) -> float:
    """Return P(multiplier >= h), exact over all words of 64 bits (SPEC 3.4)."""
    if hundredths < CASH_OUTS[0]:
        return 1.0
    return 0.0 if hundredths > rules["cap"] else words_at_least(hundredths, rules["rtp"]) / WORDS


def _between_cash_outs(rules: Rules) -> Sequence[float]:
    reached = [1.0, *(chance_to_reach(at, rules) for at in CASH_OUTS), 0.0]
    return [low - high for low, high in pairwise(reached)]


_BETWEEN = (
    "1.00",
    *(f"{low} up to {high}" for low, high in pairwise(CASH_OUTS_IN_WORDS)),
    f"{CASH_OUTS_IN_WORDS[-1]} or more",
)


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """How many played rounds are in each cell, and how many were expected."""

    names: tuple[str, ...]
    counts: Ints
    expected: Floats
    deviations: Floats
    """The distance from ``expected`` in standard deviations."""


def bars_of_flights(columns: TableColumns) -> Bars:
    """Count a table's played rounds by cell; what is expected follows each round's own rules."""
    cells = cells_of_flights(columns)
    counts = np.bincount(cells.of[columns.final], minlength=len(cells.names))
    return _compared(cells.names, counts, _expected(columns, cells.chances), len(columns.final))


def _expected(columns: TableColumns, chances: Callable[[Rules], Sequence[float]]) -> Floats:
    """Return, for each cell, the sum of its chances over the played rounds."""
    rounds = np.bincount(columns.batch[columns.played], minlength=len(columns.batches))
    parts = [n * np.asarray(chances(batch.rules)) for n, batch in zip(rounds.tolist(), columns.batches, strict=True)]
    return np.asarray(np.sum(parts, axis=0))


def _compared(names: tuple[str, ...], counts: Ints, expected: Floats, rounds: int) -> Bars:
    share = expected / max(1, rounds)
    deviation = np.sqrt(np.maximum(expected * (1 - share), np.finfo(float).tiny))
    return Bars(names, counts, expected, np.where(expected > 0, (counts - expected) / deviation, 0))


_MOST_BARS = 40


def bars_of_device(drawn: Drawn) -> Bars:
    """Return how often a device gave each thing at any place; of a race, who won; of whole outcomes, their cells."""
    device, rounds = drawn.device, len(drawn)
    size = 1 if device.way == "ranked" else device.size
    law = law_of_place(device, 0)
    coarser = min(1, len(law.groupings) - 1) if law.classes > _MOST_BARS else 0
    grouping = law.groupings[coarser] if device.whole is None else law.grouping(device.whole.cells)
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
    rows: Ints
    columns: Ints


def heat_map(drawn: Drawn, whole: Whole) -> HeatMap:
    """Return the groups of a board: cards by rank and colour, dice by face, the goal, the hundred numbers."""
    board, law, rounds = whole.board, law_of_whole(whole), len(drawn)
    shown = [law.grouping(name) for name in board.groups]
    names = [f"{each.name}: {label}" if len(shown) > 1 else label for each in shown for label in each.labels]
    counts = [np.bincount(each.groups[drawn.codes[:, 0]], minlength=len(each.labels)) for each in shown]
    expected = rounds * np.concatenate([each.chances for each in shown])
    first, second = divmod(np.arange(len(names)), board.columns or board.rows)
    rows, columns = (first, second) if board.columns else (second, first)
    return HeatMap(board.title, _compared(tuple(names), np.concatenate(counts), expected, rounds), rows, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Survival:
    """The share of played rounds that reached each cash-out, in ascending order, in hundredths."""

    at: Ints
    reached: Floats
    exact: Floats
    rounds: int


def survival(columns: TableColumns) -> Survival:
    """Take multipliers from 1.01 up, evenly spaced on a log axis, as far as caps and this number of rounds allow."""
    cap = max((batch.rules["cap"] for batch in columns.batches), default=CASH_OUTS[0])
    multipliers = np.sort(hundredths(columns)[columns.final])
    n = max(1, len(multipliers))
    last = min(cap, max(int(multipliers.max(initial=0)), _BEYOND * 100 * n))
    at = np.unique(np.geomspace(CASH_OUTS[0], last, _POINTS).round().astype(np.int64))
    reached = (len(multipliers) - np.searchsorted(multipliers, at, side="left")) / n
    exact = _expected(columns, lambda rules: [chance_to_reach(each, rules) for each in at.tolist()]) / n
    return Survival(at, reached, exact, len(multipliers))
