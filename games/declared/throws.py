"""Kinds that draw with return, all results equally likely; and the flight (SPEC 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from fairness.draws.stream import LARGEST_RANGE, WHOLE_RTP
from games.declared.scope import Drawing, Scope, Weight, size_of_list, size_of_member, size_of_number
from games.declared.values import (
    Bounds,
    Count,
    Label,
    Members,
    Value,
    count,
    items,
    label_or_number,
    members,
    name,
    refuse,
    value,
)
from games.multipliers import LARGEST_CAP, SMALLEST_CAP, decimal_text

_RTP, _CAP = Bounds(1, WHOLE_RTP), Bounds(SMALLEST_CAP, LARGEST_CAP)


def range_of(scope: Scope, low: Value, high: Value) -> Bounds:
    """Return the numbers of which one is drawn. Raises `Malformed` if there may be none, or more than a draw can
    choose from.
    """
    least, most = scope.value(low), scope.value(high)
    if not least.most <= most.least or most.most - least.least >= LARGEST_RANGE:
        refuse("low to high, in every choice of rules, and at most 2^32 numbers", [low, high])
    return Bounds(least.least, most.most)


@dataclass(frozen=True, slots=True)
class Numbers:
    """``numbers count low high``, and ``number low high``, which is one outside an array."""

    places: tuple[str]
    times: Count | None
    low: Value
    high: Value

    @classmethod
    def one(cls, place: str, given: list[object]) -> Self:
        """Read ``number``."""
        low, high = items(given, "low high", least=2, most=2)
        return cls((place,), None, value(low), value(high))

    @classmethod
    def many(cls, place: str, given: list[object]) -> Self:
        """Read ``numbers``."""
        times, low, high = items(given, "count low high", least=3, most=3)
        return cls((place,), count(times), value(low), value(high))

    def weigh(self, scope: Scope) -> Weight:
        """Count a draw each."""
        (place,) = self.places
        size = size_of_number(range_of(scope, self.low, self.high).most)
        if self.times is None:
            return Weight(1, size_of_member(place, size))
        scope.counts[place] = found = scope.count(self.times)
        return Weight(found.most + draws_of(self.times), size_of_member(place, size_of_list(found.most, size)))

    def draw(self, drawing: Drawing) -> Members:
        """Draw numbers, each from low to high."""
        (place,) = self.places
        below, low = drawing.stream.below, drawing.value(self.low)
        size = drawing.value(self.high) - low + 1
        if self.times is None:
            return {place: low + below(size)}
        return {place: [low + below(size) for _ in range(drawing.count(self.times))]}


def draws_of(given: Count) -> int:
    """Return the draws that a count takes itself."""
    return 1 if isinstance(given, tuple) else 0


@dataclass(frozen=True, slots=True)
class One:
    """``one labels``."""

    places: tuple[str]
    labels: tuple[Label, ...]

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read an array of labels."""
        (labels,) = items(given, "labels", least=1, most=1)
        return cls((place,), tuple(map(label_or_number, items(labels, "labels"))))

    def weigh(self, scope: Scope) -> Weight:  # noqa: ARG002 -- as every step has it
        """Count one draw."""
        return Weight(1, size_of_member(self.places[0], max(map(size_of, self.labels))))

    def draw(self, drawing: Drawing) -> Members:
        """Return one of them."""
        return {self.places[0]: self.labels[drawing.stream.below(len(self.labels))]}


def size_of(given: Label) -> int:
    """Return the bytes of a label in an outcome."""
    return size_of_number(given) if isinstance(given, int) else len(given) + 2


@dataclass(frozen=True, slots=True)
class Ends:
    """``ends outcomes``: one of a list of whole outcomes."""

    ends: tuple[Mapping[str, Label], ...]

    @classmethod
    def read(cls, given: list[object]) -> Self:
        """Read an array of objects of labels."""
        (ends,) = items(given, "outcomes", least=1, most=1)
        return cls(tuple(map(_end, items(ends, "outcomes"))))

    @property
    def places(self) -> tuple[str, ...]:
        """Those of all ends."""
        return tuple(dict.fromkeys(place for end in self.ends for place in end))

    def weigh(self, scope: Scope) -> Weight:  # noqa: ARG002 -- as every step has it
        """Count one draw."""
        sizes = [sum(size_of_member(place, size_of(each)) for place, each in end.items()) for end in self.ends]
        return Weight(1, max(sizes))

    def draw(self, drawing: Drawing) -> Members:
        """Return one of them."""
        return dict(self.ends[drawing.stream.below(len(self.ends))])


def _end(given: object) -> Mapping[str, Label]:
    end = {name(place, "a place"): label_or_number(each) for place, each in members(given, "an outcome").items()}
    return end or refuse("an outcome with a place", given)


@dataclass(frozen=True, slots=True)
class Bare:
    """A kind without arguments: all that it needs is in the rules."""

    places: tuple[str]

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read no arguments."""
        items(given, "no arguments", least=0, most=0)
        return cls((place,))


@dataclass(frozen=True, slots=True)
class Flight(Bare):
    """``flight``: where a growing multiplier stops, by the rules' ``rtp`` and ``cap``."""

    def weigh(self, scope: Scope) -> Weight:
        """Count one draw."""
        for parameter, allowed in (("rtp", _RTP), ("cap", _CAP)):
            found = scope.value(parameter)
            if not allowed.least <= found.least <= found.most <= allowed.most:
                refuse(f"{parameter} within {allowed.least} to {allowed.most}", list(found))
        return Weight(1, size_of_member(self.places[0], size_of(decimal_text(LARGEST_CAP))))

    def draw(self, drawing: Drawing) -> Members:
        """Draw a multiplier, written with two decimals."""
        hundredths = drawing.stream.multiplier(rtp=drawing.rules["rtp"], cap=drawing.rules["cap"])
        return {self.places[0]: decimal_text(hundredths)}


@dataclass(frozen=True, slots=True)
class Reels(Bare):
    """``reels``: a stop of each of the rules' ``reel1`` …, counted from 0."""

    def weigh(self, scope: Scope) -> Weight:
        """Count a draw each."""
        (place,) = self.places
        size, length = scope.family("reel")
        if length.least < 1 or length.most > LARGEST_RANGE:
            refuse("reels of 1 to 2^32 stops", list(length))
        scope.counts[place] = size
        return Weight(size.most, size_of_member(place, size_of_list(size.most, size_of_number(length.most - 1))))

    def draw(self, drawing: Drawing) -> Members:
        """Draw a stop of each."""
        return {self.places[0]: [drawing.stream.below(length) for length in drawing.family("reel")]}
