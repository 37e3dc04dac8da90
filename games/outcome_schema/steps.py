"""What the place of a step holds (SPEC 3.7), kind by kind, as JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable

from games.declared.declaration import Drum, Shoe
from games.declared.scope import Scope, Step
from games.declared.takes import Pick, Take
from games.declared.throws import Flight, Numbers, One, Reels
from games.declared.values import Bounds, Count, Label, Value
from games.declared.wheels import Chosen, Race, Spin, Wheel, Wheels
from games.outcome_schema.forms import Schema, array, number, one_of, text
from games.outcome_schema.patterns import after_others, decimals_up_to, word_of, words

Pile = Drum | Shoe | None


def count_of(step: Step) -> tuple[Count, int] | None:
    """Return the count of a step, and how many things each of it is; `None` if it has none of its own."""
    match step:
        case Take():
            return step.number, step.times
        case Pick():
            return step.number, 1
        case Wheels():
            return step.times, 1
        case Numbers() if step.times is not None:
            return step.times, 1
    return None


def several(step: Step, count: Bounds, scope: Scope, pile: Pile) -> Schema:
    """Return the things of a step that has a ``count``."""
    match step:
        case Take() if isinstance(pile, Shoe):
            return text(words(word_of(pile.things), count.least, count.most, times=step.times))
        case Take() if isinstance(pile, Drum):
            things = Bounds(count.least * step.times, count.most * step.times)
            return array(_within(scope, pile.low, pile.high), things, distinct=True)
        case Pick():
            return array(_within(scope, step.low, step.high), count, distinct=True)
        case Wheels():
            return array(one_of(_possible(zip(step.labels, step.weights, strict=True), scope)), count)
        case Numbers():
            return array(_within(scope, step.low, step.high), count)
    raise NotImplementedError(step)


def single(step: Step, scope: Scope) -> Schema:
    """Return what a step of another kind has in its place."""
    match step:
        case Numbers():
            return _within(scope, step.low, step.high)
        case One():
            return one_of(step.labels)
        case Flight():
            return text(decimals_up_to(scope.value("cap").most))
        case Reels():
            size, length = scope.family("reel")
            return array(number(0, length.most - 1), size)
    return _by_weights(step, scope)


def _by_weights(step: Step, scope: Scope) -> Schema:
    match step:
        case Wheel():
            return one_of(_possible(step.segments, scope))
        case Spin():
            labels = [str(label) for label in _possible(step.segments, scope)]
            again = [label for label in labels if label in step.again]
            return text(after_others(again, [label for label in labels if label not in step.again]))
        case Chosen():
            return number(1, scope.family("w").size.most)
        case Race():
            return _race(scope.family("w").size)
    raise NotImplementedError(step)


def size_of(step: Step, scope: Scope) -> Bounds | None:
    """Return how many things a step has that counts by the rules' parameters alone: a later step may name its
    place.
    """
    match step:
        case Reels():
            return scope.family("reel").size
        case Race():
            return scope.family("w").size
    return None


def _within(scope: Scope, low: Value, high: Value) -> Schema:
    return number(scope.value(low).least, scope.value(high).most)


def _possible(segments: Iterable[tuple[Label, Value]], scope: Scope) -> list[Label]:
    """Return the labels that have a weight under some rules."""
    return [label for label, weight in segments if scope.value(weight).most]


def _race(size: Bounds) -> Schema:
    """Return all runners, in any order."""
    fields = [
        array(number(1, runners), Bounds(runners, runners), distinct=True)
        for runners in range(size.least, size.most + 1)
    ]
    return {"anyOf": fields} if len(fields) > 1 else fields[0]
