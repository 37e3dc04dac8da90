"""Kinds that draw by weights (SPEC 3.7)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from fairness.draws.stream import LARGEST_RANGE, Stream
from games.declared.scope import Drawing, Scope, Weight, size_of_list, size_of_member, size_of_number
from games.declared.throws import Bare, draws_of, size_of
from games.declared.values import (
    Bounds,
    Count,
    Label,
    Members,
    Value,
    count,
    integer,
    items,
    label,
    label_or_number,
    refuse,
    value,
)

Segment = tuple[Label, Value]


def sums_of(weights: Iterable[int]) -> list[int]:
    """Return the weight of each and all before it."""
    return list(accumulate(weights))


def weighted(stream: Stream, sums: Sequence[int]) -> int:
    """Return the place of one of the weights with these sums: each as likely as it is heavy. One draw."""
    return bisect_right(sums, stream.below(sums[-1]))


def _segments(given: object) -> tuple[Segment, ...]:
    pairs = [items(each, "a label and its weight", least=2, most=2) for each in items(given, "segments")]
    return tuple((label_or_number(each), value(weight)) for each, weight in pairs)


def _check_sum(weights: Iterable[Bounds], what: object) -> None:
    least, most = (sum(side) for side in zip(*weights, strict=True))
    if least < 1 or most > LARGEST_RANGE:
        refuse("weights with a sum of 1 to 2^32, in every choice of rules", what)


@dataclass(frozen=True, slots=True)
class Wheel:
    """``wheel segments``: one label."""

    places: tuple[str]
    segments: tuple[Segment, ...]

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read segments with a label or a number each."""
        (segments,) = items(given, "segments", least=1, most=1)
        return cls((place,), _segments(segments))

    def weigh(self, scope: Scope) -> Weight:
        """Count one draw."""
        _check_sum([scope.value(weight) for _, weight in self.segments], self.segments)
        return Weight(1, size_of_member(self.places[0], max(size_of(each) for each, _ in self.segments)))

    def draw(self, drawing: Drawing) -> Members:
        """Return the label of a segment."""
        return {self.places[0]: self.segments[_turn(self.segments, drawing)][0]}


def _turn(segments: Sequence[Segment], drawing: Drawing) -> int:
    return weighted(drawing.stream, sums_of(drawing.value(weight) for _, weight in segments))


@dataclass(frozen=True, slots=True)
class Wheels:
    """``wheels count segments``: so many numbers."""

    places: tuple[str]
    times: Count
    labels: tuple[int, ...]
    weights: tuple[Value, ...]

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read segments with a number each."""
        times, given_segments = items(given, "count and segments", least=2, most=2)
        labels, weights = zip(*_segments(given_segments), strict=True)
        return cls((place,), count(times), tuple(map(integer, labels)), weights)

    def weigh(self, scope: Scope) -> Weight:
        """Count a draw each."""
        (place,) = self.places
        _check_sum([scope.value(weight) for weight in self.weights], self.weights)
        scope.counts[place] = found = scope.count(self.times)
        size = size_of_list(found.most, max(map(size_of_number, self.labels)))
        return Weight(found.most + draws_of(self.times), size_of_member(place, size))

    def draw(self, drawing: Drawing) -> Members:
        """Return the numbers of as many segments."""
        times, sums = drawing.count(self.times), sums_of(map(drawing.value, self.weights))
        return {self.places[0]: [self.labels[weighted(drawing.stream, sums)] for _ in range(times)]}


@dataclass(frozen=True, slots=True)
class Spin:
    """``spin segments again``: labels, up to the first that is not one of ``again``."""

    places: tuple[str]
    segments: tuple[tuple[str, Value], ...]
    again: frozenset[str]

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read segments with a word each, and some of these words."""
        given_segments, given_again = items(given, "segments and those that are spun again", least=2, most=2)
        segments = tuple((label(each), weight) for each, weight in _segments(given_segments))
        again = [label(each) for each in items(given_again, "labels", least=0)]
        if len(set(again)) < len(again) or not set(again) <= {each for each, _ in segments}:
            refuse("different labels of the wheel", given_again)
        return cls((place,), segments, frozenset(again))

    def weigh(self, scope: Scope) -> Weight:
        """Count one draw, beside those that are repeated: at most half of the weight is."""
        weights = [(each in self.again, scope.value(weight)) for each, weight in self.segments]
        _check_sum([weight for _, weight in weights], self.segments)
        if sum(each.most for again, each in weights if again) > sum(
            each.least for again, each in weights if not again
        ):
            refuse("at most half of the weight on segments that are spun again", sorted(self.again))
        return Weight(1, size_of_member(self.places[0], max(size_of(each) for each, _ in self.segments)))

    def draw(self, drawing: Drawing) -> Members:
        """Return all labels, a space between."""
        labels = [self._label(drawing)]
        while labels[-1] in self.again:
            labels.append(self._label(drawing))
        return {self.places[0]: " ".join(labels)}

    def _label(self, drawing: Drawing) -> str:
        return self.segments[_turn(self.segments, drawing)][0]


def _field(scope: Scope) -> Bounds:
    size, weight = scope.family("w")
    if weight.least < 1 or size.most * weight.most > LARGEST_RANGE:
        refuse("weights from 1, with a sum of at most 2^32", list(weight))
    return size


@dataclass(frozen=True, slots=True)
class Chosen(Bare):
    """``chosen``: one of the rules' ``w1`` …, by its number."""

    def weigh(self, scope: Scope) -> Weight:
        """Count one draw."""
        return Weight(1, size_of_member(self.places[0], size_of_number(_field(scope).most)))

    def draw(self, drawing: Drawing) -> Members:
        """Draw places, which count from 1."""
        return {self.places[0]: 1 + weighted(drawing.stream, sums_of(drawing.family("w")))}


@dataclass(frozen=True, slots=True)
class Race(Bare):
    """``race``: all of the rules' ``w1`` …, in the order in which they finish."""

    def weigh(self, scope: Scope) -> Weight:
        """Count a draw each."""
        (place,) = self.places
        scope.counts[place] = size = _field(scope)
        return Weight(size.most, size_of_member(place, size_of_list(size.most, size_of_number(size.most))))

    def draw(self, drawing: Drawing) -> Members:
        """Draw places; what was drawn leaves, with its weight."""
        weights = drawing.family("w")
        left = list(range(1, len(weights) + 1))
        order = []
        while left:
            at = weighted(drawing.stream, sums_of(weights))
            order.append(left.pop(at))
            del weights[at]
        return {self.places[0]: order}
