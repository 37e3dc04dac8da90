"""The exact law of what a device gives at one of its places, in the forms that the tests need.

What can come there are classes, each with its weight; most devices draw uniformly from a short list. Of a flight
these are tenths (`flights`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from games.facts.facts import Whole
from verifier.stats.numbers.columns import Bools, Floats, Ints
from verifier.stats.numbers.devices import Device


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

    def has(self, labels: Sequence[str]) -> Bools:
        """Return, by class, whether it is in a group with one of these labels."""
        return np.isin(self.groups, [self.labels.index(label) for label in labels])


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """What comes at one place of a game's outcomes as classes 0, 1, …, and what the tests ask about them."""

    one: str
    """What one class is called: ``card``."""
    groupings: tuple[Grouping, ...]
    """In the first, each class is a group."""
    half: tuple[str, Ints] | None
    """A split into two equally likely halves, by class: 0, 1, or -1 for neither; `None` if there is none."""
    event: tuple[str, Bools] | None
    """Something rare that players wait for, by class; `None` if nothing is rare."""
    scores: Floats
    """A number for each class, for correlations: with mean 0 and variance 1, symmetric if all are equally likely."""

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.scores)

    @property
    def chances(self) -> Floats:
        """By class."""
        return self.groupings[0].chances

    @property
    def is_uniform(self) -> bool:
        """Whether all classes are equally likely."""
        return self.groupings[0].is_uniform

    def grouping(self, name: str) -> Grouping:
        """Return the grouping of this name."""
        return next(each for each in self.groupings if each.name == name)


_CARD = re.compile(r"[2-9TJQKA1MVCDR][cdhs]")
_MANY, _PARTS = 20, 10
_RARE = 0.2


def law_of_place(device: Device, at: int) -> Law:
    """Return the law of what a device gives at one of its places, from 0."""
    if device.whole is not None:
        return law_of_whole(device.whole)
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
        tuple(_groupings(place, labels, weights)),
        (f"halves of {place}", _halves(count)) if device.is_uniform and device.way != "ranked" else None,
        (f"{rarest} at {place}", rare) if weights[rare].sum() / weights.sum() < _RARE else None,
        np.asarray((np.arange(count) - mean) / spread),
    )


def _groupings(place: str, labels: Sequence[str], weights: Floats) -> Iterator[Grouping]:
    """Yield each label for itself; cards by rank and by suit, other things by neighbours if they are many."""
    every = np.arange(len(labels))
    yield Grouping(place, tuple(labels), every, weights)
    if sum(map(bool, map(_CARD.fullmatch, labels))) > len(labels) // 2:
        for name, part in (("ranks", 0), ("suits", 1)):
            of_each = [label[part] if _CARD.fullmatch(label) else label for label in labels]
            distinct = tuple(dict.fromkeys(of_each))
            groups = np.array([distinct.index(each) for each in of_each])
            yield Grouping(f"{place}, {name}", distinct, groups, weights)
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


def law_of_whole(whole: Whole) -> Law:
    """Return the law of outcomes that are all equally likely, with the groups that players know."""
    groupings = [Grouping(whole.every, whole.labels, np.arange(len(whole.labels)))]
    for name, places in whole.groups.items():
        groups = np.zeros(len(whole.labels), np.int64)
        for group, own in enumerate(places.values()):
            groups[list(own)] = group
        groupings.append(Grouping(name, tuple(places), groups))
    named = {each.name: each for each in groupings}
    half, event = whole.half, whole.event
    one, other = (named[half.group].has(side) for side in half.sides)
    scores = np.array(whole.scores or range(len(whole.labels)))
    return Law(
        whole.one,
        tuple(groupings),
        (half.name, np.where(one, 0, np.where(other, 1, -1))),
        (event.name, named[event.group].has(event.labels)),
        np.asarray((scores - scores.mean()) / scores.std()),
    )
