"""When rounds happened: the lead that was kept, how long reveals took, and the gaps between rounds.

The order of records is proven; the times are the operator's word, unless a witness signed in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.stats.numbers.columns import Bools, Ints, TableColumns
from verifier.stats.numbers.flights import hundredths

_TIMES_SLOWER, _LEAST_MILLISECONDS = 10, 5_000
_PEERS = 10
"""Flights are compared with those of a similar multiplier: the rounds are divided into this many parts."""
_LISTED = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of some durations."""

    median_ms: int
    most_ms: int
    """99 of 100 rounds take at most this long."""
    longest_ms: int


@dataclass(frozen=True, slots=True)
class SlowReveal:
    """A round that took more than 5 seconds, and more than ten times as long as comparable rounds."""

    table: str
    round: int
    played: bool
    took_ms: int
    usual_ms: int
    """The median of comparable rounds."""


@dataclass(frozen=True, slots=True)
class TableTiming:
    """The times of one table."""

    table: str
    lead: int
    lead_least: int | None
    """The smallest distance in played rounds; `None` if no round is beyond the first ``lead``."""
    lead_median: int | None
    reveals: Spread | None
    """From lock to reveal, over all rounds; `None` without rounds."""
    gaps: Spread | None
    """From one round's reveal to the next one's lock; `None` with fewer than two rounds."""
    slow: tuple[SlowReveal, ...]
    """Slowest first, at most ten."""
    slow_in_all: int


def timing_of(columns: TableColumns) -> TableTiming:
    """Compute the times of one table."""
    kept = columns.lead_kept[columns.lead_kept >= 0]
    slow, in_all = _slow(columns)
    return TableTiming(
        table=columns.name,
        lead=columns.lead,
        lead_least=int(kept.min()) if len(kept) else None,
        lead_median=int(np.median(kept)) if len(kept) else None,
        reveals=_spread(columns.revealed - columns.locked),
        gaps=_spread(columns.locked[1:] - columns.revealed[:-1]),
        slow=slow,
        slow_in_all=in_all,
    )


def _spread(milliseconds: Ints) -> Spread | None:
    if not len(milliseconds):
        return None
    median, most, longest = np.quantile(milliseconds, (0.5, 0.99, 1), method="higher").tolist()
    return Spread(median, most, longest)


def _slow(columns: TableColumns) -> tuple[tuple[SlowReveal, ...], int]:
    took = columns.revealed - columns.locked
    usual = np.zeros(len(took), np.int64)
    for peers in _peers(columns):
        usual[peers] = np.median(took[peers])
    is_slow = (took > _LEAST_MILLISECONDS) & (took > _TIMES_SLOWER * usual)
    slowest = np.flatnonzero(is_slow)[np.argsort(-took[is_slow], kind="stable")[:_LISTED]]
    return tuple(
        SlowReveal(columns.name, int(columns.round[at]), bool(columns.played[at]), int(took[at]), int(usual[at]))
        for at in slowest
    ), int(is_slow.sum())


def _peers(columns: TableColumns) -> list[Bools]:
    """Return groups of rounds that should take equally long: flights of similar multipliers; in other games, all
    rounds.

    Rounds that were given up have no flight and form a separate group.
    """
    groups = np.zeros(len(columns), np.int64)
    if columns.is_flight and len(columns):
        multipliers = hundredths(columns)[columns.outcome]
        edges = np.quantile(multipliers, np.arange(1, _PEERS) / _PEERS)
        groups = np.searchsorted(edges, multipliers, side="right")
    groups[columns.given_up] = _PEERS
    return [groups == group for group in np.unique(groups)]
