"""The exact law of every game's outcome, in the forms that the tests need.

Most games draw uniformly from a short list: each outcome is a class, and all classes are equally likely.
Of a declared game each place is such a list, with weights (`devices`).
A multiplier has another law (SPEC 3.4), with an atom at 1.00 and one at the cap. The *randomised
probability transform* makes it uniform on [0, 1): the outcome h becomes a number in the interval from
P(X < h) to P(X <= h), at a place that a word of random bits decides. This law is exactly uniform in spite
of atoms and changing rules, and its classes are the ten tenths of the interval [0, 1).

The words are derived from the log's root hash and the table's name (SHAKE-256), so anyone who reads the
same log gets the same figures, and nobody can choose them outcome by outcome.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairness.draws.stream import SMALLEST_MULTIPLIER
from games.facts import FACTS
from games.facts.facts import Uniform
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns, places_of
from verifier.stats.numbers.devices import Device

TENTHS = 10
_WORD = 8
_SINGLE_BITS = 11
"""A double has 53 of a word's 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Classes combined into groups that matter to players: ``groups[class]`` is an index in ``labels``."""

    name: str
    labels: tuple[str, ...]
    groups: Ints
    weights: Floats | None = None
    """By class; `None` if all classes are equally likely."""

    @property
    def chances(self) -> Floats:
        """Each group's exact chance: its share of the classes."""
        sums = self._sums
        return np.asarray(sums / sums.sum())

    @property
    def is_uniform(self) -> bool:
        """Whether all groups are equally likely."""
        return len(set(self._sums.tolist())) == 1

    @property
    def _sums(self) -> Floats:
        return np.bincount(self.groups, weights=self.weights, minlength=len(self.labels)).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A game's outcomes, or what comes at one place of them, as classes 0, 1, …, and what the tests ask about them."""

    one: str
    """What one class is called: ``card``."""
    classes: int
    groupings: tuple[Grouping, ...]
    """In the first, each class is a group."""
    half: tuple[str, Ints] | None
    """A split into two equally likely halves, by class: 0, 1, or -1 for a class in neither; `None` if there is none."""
    event: tuple[str, Bools] | None
    """Something rare that players wait for, by class; `None` if nothing is rare."""
    scores: Floats
    """A number for each class, with mean 0 and variance 1, for correlations; equally likely classes have a symmetric law."""

    @property
    def chances(self) -> Floats:
        """By class."""
        return self.groupings[0].chances

    @property
    def is_uniform(self) -> bool:
        """Whether all classes are equally likely."""
        return self.groupings[0].is_uniform


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The final outcomes of some tables of one game, table after table, in the order of play."""

    tables: tuple[str, ...]
    game: str
    law: Law
    classes: Ints
    uniform: Floats | None
    """Multipliers as numbers in [0, 1), lower ones for lower multipliers; `None` for other games."""

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def scores(self) -> Floats:
        """The numbers from which correlations are computed."""
        return self.law.scores[self.classes] if self.uniform is None else (self.uniform - 0.5) * np.sqrt(12.0)


def sample_of(table: TableColumns, root: bytes) -> Sample:
    """The played rounds of one table."""
    classes, uniform = classes_of(table, root)
    drawn = None if uniform is None else uniform[table.played]
    return Sample((table.name,), table.game, LAWS[table.game], classes[table.played], drawn)


def pooled(samples: Sequence[Sample]) -> Sample:
    """Several tables of one game as one sequence, one after the other; its rounds are just as independent."""
    first = samples[0]
    uniform = (
        None
        if first.uniform is None
        else np.concatenate([each.uniform for each in samples if each.uniform is not None])
    )
    return Sample(
        tuple(name for each in samples for name in each.tables),
        first.game,
        first.law,
        np.concatenate([each.classes for each in samples]),
        uniform,
    )


def classes_of(table: TableColumns, root: bytes) -> tuple[Ints, Floats | None]:
    """The class of every round, including void ones; for multipliers also the uniform number."""
    if table.facts.is_multiplier:
        uniform = _transformed(table, root)
        return (uniform * TENTHS).astype(np.int64), uniform
    return places_of(table.game, table.outcome), None


def at_least(hundredths: Ints, rtp: Ints | int, cap: Ints | int) -> Floats:
    """P(multiplier >= h), the exact law rounded to a double: 1 up to 1.00, rtp / (100 h) above, and 0 above the cap."""
    chance = np.asarray(rtp) / (SMALLEST_MULTIPLIER * np.maximum(hundredths, 1))
    return np.where(hundredths <= SMALLEST_MULTIPLIER, 1.0, np.where(hundredths <= cap, chance, 0.0))


def parameter(table: TableColumns, name: str) -> Ints:
    """One parameter of each round's rules."""
    return np.array([batch.rules[name] for batch in table.batches], dtype=np.int64)[table.batch]


def _transformed(table: TableColumns, root: bytes) -> Floats:
    hundredths, rtp, cap = table.outcome[:, 0], parameter(table, "rtp"), parameter(table, "cap")
    lower, upper = 1 - at_least(hundredths, rtp, cap), 1 - at_least(hundredths + 1, rtp, cap)
    return between(lower, upper, random_words(table, root))


def random_words(table: TableColumns, root: bytes) -> Floats:
    """A number in [0, 1) for each round of a table."""
    words = hashlib.shake_256(b"foredraw statistics\0" + root + table.name.encode()).digest(_WORD * len(table))
    return np.asarray((np.frombuffer(words, dtype=">u8") >> np.uint64(_SINGLE_BITS)) * 2.0**-53)


def between(lower: Floats, upper: Floats, within: Floats) -> Floats:
    """The randomised probability transform of outcomes with these intervals: numbers in [0, 1)."""
    return np.clip(lower + (upper - lower) * within, 0, np.nextafter(1.0, 0))


def _standardised(scores: Sequence[int] | Ints) -> Floats:
    values = np.asarray(scores)
    return np.asarray((values - values.mean()) / values.std())


_CARD = re.compile(r"[2-9TJQKA1MVCDR][cdhs]")
_MANY, _PARTS = 20, 10
_RARE = 0.2


def law_of_place(device: Device, at: int) -> Law:
    """The law of what a device of a declared game gives at one of its places, from 0."""
    place = device.place(at)
    labels, weights = device.labels, device.at_places()[at] if device.way == "ranked" else device.weights
    count = len(labels)
    rare = weights == weights.min()
    if rare.all():
        rare = np.arange(count) == 0
    rarest = labels[int(rare.argmax())] if rare.sum() == 1 else "the rarest"
    spread = np.sqrt(np.cov(np.arange(count), aweights=weights, ddof=0))
    mean = np.average(np.arange(count), weights=weights)
    return Law(
        f"{place} result",
        count,
        tuple(_groupings(place, labels, weights)),
        (f"halves of {place}", _halves(count)) if device.is_uniform and device.way != "ranked" else None,
        (f"{rarest} at {place}", rare) if weights[rare].sum() / weights.sum() < _RARE else None,
        np.asarray((np.arange(count) - mean) / spread),
    )


def _groupings(place: str, labels: Sequence[str], weights: Floats) -> Iterator[Grouping]:
    """Each label for itself; cards by rank and by suit, other things by neighbours if they are many."""
    every = np.arange(len(labels))
    yield Grouping(place, tuple(labels), every, weights)
    if sum(map(bool, map(_CARD.fullmatch, labels))) > len(labels) // 2:
        for name, part in (("ranks", 0), ("suits", 1)):
            of_each = [label[part] if _CARD.fullmatch(label) else label for label in labels]
            distinct = tuple(dict.fromkeys(of_each))
            yield Grouping(
                f"{place}, {name}", distinct, np.array([distinct.index(each) for each in of_each]), weights
            )
    elif len(labels) > _MANY:
        groups = every * _PARTS // len(labels)
        ends = [np.flatnonzero(groups == part)[[0, -1]] for part in range(_PARTS)]
        names = tuple(f"{labels[first]} to {labels[last]}" for first, last in ends)
        yield Grouping(f"{place}, neighbours", names, groups, weights)


def _halves(count: int) -> Ints:
    places = np.arange(count)
    halves = (places >= count // 2).astype(np.int64)
    if count % 2:
        halves[count // 2] = -1
    return halves


def _uniform(uniform: Uniform) -> Law:
    half, event = uniform.half, uniform.event
    return Law(
        uniform.one,
        len(uniform.outcomes),
        tuple(Grouping(each.name, each.labels, np.array(each.groups)) for each in uniform.groupings),
        (half[0], np.array(half[1])),
        (event[0], np.array(event[1])),
        _standardised(uniform.scores),
    )


def _multiplier() -> Law:
    tenths = np.arange(TENTHS)
    labels = ("lowest tenth", *(f"tenth {place + 1}" for place in tenths[1:-1]), "highest tenth")
    return Law(
        "tenth",
        TENTHS,
        (Grouping("tenths of the law", labels, tenths),),
        ("low and high halves", tenths // (TENTHS // 2)),
        ("a multiplier of the highest tenth", tenths == TENTHS - 1),
        _standardised(tenths),
    )


LAWS: Mapping[str, Law] = {
    game: _multiplier() if facts.uniform is None else _uniform(facts.uniform) for game, facts in FACTS.items()
}
"""By the game's name."""
