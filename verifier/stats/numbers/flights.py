"""Flights: the multipliers of some rounds, each under its own rules, made uniform.

A multiplier has a law (SPEC 3.4) with an atom at 1.00 and one at the cap. The *randomised probability transform*
makes it uniform on [0, 1): the outcome h becomes a number in the interval from P(X < h) to P(X <= h), at a place that
a word of random bits decides. This law is exactly uniform in spite of atoms and changing rules, and its classes are
the ten tenths of the interval [0, 1).

The words are derived from the log's root hash and the table's name (SHAKE-256), so anyone who reads the same log gets
the same figures, and nobody can choose them outcome by outcome.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from fairness.draws.stream import SMALLEST_MULTIPLIER
from games.facts.facts import Board, Event, Half, Whole
from games.multipliers import hundredths_of
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.devices import device_of

TENTHS = 10
_LABELS = ("lowest tenth", *(f"tenth {place + 1}" for place in range(1, TENTHS - 1)), "highest tenth")
_EVERY = "tenths of the law"
_TENTHS = Whole(
    one="tenth",
    every=_EVERY,
    labels=_LABELS,
    groups={},
    half=Half("low and high halves", _EVERY, (_LABELS[: TENTHS // 2], _LABELS[TENTHS // 2 :])),
    event=Event("a multiplier of the highest tenth", _EVERY, _LABELS[-1:]),
    cells=_EVERY,
    board=Board(_EVERY, (_EVERY,), columns=TENTHS),
)
"""What players know of a flight: of ten tenths each is as likely as the others."""
DEVICE = device_of(_TENTHS, lambda _: ())
"""A flight as a device: the tenth of a multiplier depends on rules and log, too, so it is not read from outcomes."""

_WORD = 8
_SINGLE_BITS = 11
"""A double has 53 of a word's 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Flown:
    """The multipliers of n rounds, of whatever tables and rules."""

    hundredths: Ints
    rtp: Ints
    """Of the round's rules, as is the next one."""
    cap: Ints
    uniform: Floats
    """Numbers in [0, 1), lower ones for lower multipliers."""

    @property
    def tenths(self) -> Ints:
        """The class of each."""
        return (self.uniform * TENTHS).astype(np.int64)


def hundredths(table: TableColumns) -> Ints:
    """Return the multiplier of each of a flight's different outcomes."""
    (place,) = table.declared.steps[0].places
    return np.array([hundredths_of(outcome[place]) for outcome in table.outcomes], dtype=np.int64)


def flown(table: TableColumns, rounds: Bools, within: Floats) -> Flown:
    """Return these rounds of a table of flights; ``within`` decides the place of each of them in its interval."""
    found = hundredths(table)[table.outcome[rounds]]
    rtp, cap = (
        np.array([batch.rules[name] for batch in table.batches], dtype=np.int64)[table.batch[rounds]]
        for name in ("rtp", "cap")
    )
    lower, upper = 1 - at_least(found, rtp, cap), 1 - at_least(found + 1, rtp, cap)
    return Flown(found, rtp, cap, between(lower, upper, within))


def joined(parts: Sequence[Flown]) -> Flown:
    """Put rounds of several tables one after the other."""
    return Flown(*(np.concatenate([getattr(each, of.name) for each in parts]) for of in fields(Flown)))


def at_least(hundredths: Ints, rtp: Ints | int, cap: Ints | int) -> Floats:
    """Return P(multiplier >= h), the exact law as a double: 1 up to 1.00, then rtp / (100 h), and 0 above the cap."""
    chance = np.asarray(rtp) / (SMALLEST_MULTIPLIER * np.maximum(hundredths, 1))
    return np.where(hundredths <= SMALLEST_MULTIPLIER, 1.0, np.where(hundredths <= cap, chance, 0.0))


def random_words(table: TableColumns, root: bytes) -> Floats:
    """Return a number in [0, 1) for each round of a table."""
    words = hashlib.shake_256(b"foredraw statistics\0" + root + table.name.encode()).digest(_WORD * len(table))
    return np.asarray((np.frombuffer(words, dtype=">u8") >> np.uint64(_SINGLE_BITS)) * 2.0**-53)


def between(lower: Floats, upper: Floats, within: Floats) -> Floats:
    """Return the randomised probability transform of outcomes with these intervals: numbers in [0, 1)."""
    return np.clip(lower + (upper - lower) * within, 0, np.nextafter(1.0, 0))


def centred(uniform: Floats) -> Floats:
    """Return uniform numbers as scores, with mean 0 and variance 1."""
    return np.asarray((uniform - 0.5) * np.sqrt(12.0))
