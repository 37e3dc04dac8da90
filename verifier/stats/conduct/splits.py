"""What the log says about a round before its outcome is public: the digest of its bets, and its times.

Each of these things splits a table's rounds in two, in a few ways that are fixed in advance. `schedule` tests whether
the selected rounds had different outcomes from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verifier.output.printing import count
from verifier.stats.numbers.chance import percent
from verifier.stats.numbers.columns import Bools, Ints, TableColumns
from verifier.stats.numbers.words import duration

SHARES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Things that have an order are split so that about these shares of the rounds have the lower values."""
HOURS = 24
_SPANS = (1, 6)
"""How many consecutive hours of the day are selected together."""
_HOUR_MILLISECONDS = 3_600_000


Sides = tuple[str, str]
"""The selected rounds and the others, in words: ``with at most 3 bets``, ``with more than 3 bets``."""


@dataclass(frozen=True, slots=True)
class Split:
    """Which rounds are selected."""

    here: Sides
    """Of a table."""
    of_all: Sides
    """Of all tables: ``in the lowest 10 % by the number of bets``."""


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The ways in which one thing splits a table's rounds: the same number for every table, in the same order."""

    rounds: Bools
    """Which rounds of the table are split: those that were locked for play and for which the thing is known."""
    bins: Ints
    """The bin of each of these rounds, numbered from 0."""
    sets: Bools
    """Shape (splits, bins): the bins whose rounds a split selects."""
    named: tuple[Split, ...]


def _digest(columns: TableColumns) -> Splits:
    locked = ~columns.given_up
    bins = (columns.bets[locked] >= 0).astype(np.int64)
    words = "without a digest of bets", "with a digest of bets"
    return Splits(locked, bins, np.array([[True, False]]), (Split(words, words),))


def _bets(columns: TableColumns) -> Splits:
    known = ~columns.given_up & (columns.bets >= 0)
    return _in_order("the number of bets", known, columns.bets, lambda bets: count(bets, "bet"), always=(0,))


def _betting(columns: TableColumns) -> Splits:
    times = columns.locked - columns.opened
    return _in_order("the time from open to lock", ~columns.given_up, times, _spelled("from open to lock"))


def _pause(columns: TableColumns) -> Splits:
    known = ~columns.given_up & (np.arange(len(columns)) > 0)
    # Bets on a flight are taken during the previous one: a round that was already open when that one ended had no
    # pause.
    pauses = np.maximum(0, columns.opened - np.concatenate([columns.opened[:1], columns.revealed[:-1]]))
    return _in_order("the pause before the open", known, pauses, _spelled("of pause before"))


def _spelled(what: str) -> Callable[[int], str]:
    return lambda milliseconds: f"{duration(milliseconds)} {what}"


def _hour(columns: TableColumns) -> Splits:
    locked = ~columns.given_up
    hours = np.arange(HOURS)
    spans = [(first, length) for length in _SPANS for first in range(HOURS)]
    sets = np.array([(hours - first) % HOURS < length for first, length in spans])
    words = [f"locked from {first:02}:00 to {(first + length) % HOURS:02}:00 UTC" for first, length in spans]
    sides = [(inside, f"not {inside}") for inside in words]
    bins = columns.locked[locked] // _HOUR_MILLISECONDS % HOURS
    return Splits(locked, bins, sets, tuple(map(Split, sides, sides)))


def _in_order(
    thing: str, rounds: Bools, values: Ints, spelled: Callable[[int], str], always: Sequence[int] = ()
) -> Splits:
    """Split at thresholds: at the quantiles `SHARES`, and at the values that are ``always`` tested."""
    own = values[rounds]
    at_shares = np.quantile(own, SHARES, method="inverted_cdf") if len(own) else np.zeros(len(SHARES))
    cuts = np.concatenate([np.array(always, np.int64), at_shares.astype(np.int64)])
    edges, places = np.unique(cuts, return_inverse=True)
    sets = np.arange(len(edges) + 1) <= places[:, None]
    words = [(f"with at most {each}", f"with more than {each}") for each in map(spelled, cuts.tolist())]
    everywhere = words[: len(always)] + [
        (f"in the lowest {percent(share)} by {thing}", f"in the highest {percent(1 - share)} by {thing}")
        for share in SHARES
    ]
    return Splits(rounds, np.searchsorted(edges, own), sets, tuple(map(Split, words, everywhere)))


SPLITS: Mapping[str, Callable[[TableColumns], Splits]] = {
    "a digest of bets or none": _digest,
    "the number of bets": _bets,
    "the time from open to lock": _betting,
    "the pause before the open": _pause,
    "the hour of the day": _hour,
}
"""By the thing that splits."""
