"""Kinds that draw without return: from the declaration's drum or shoe, or from a drum of their own (SPEC 3.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from fairness.limits import LARGEST_PILE
from games.declared.scope import Drawing, Scope, Weight, size_of_list, size_of_member, size_of_number
from games.declared.throws import draws_of, range_of
from games.declared.values import Bounds, Count, Members, Value, count, integer, items, refuse, value


@dataclass(frozen=True, slots=True)
class Take:
    """``take count``, ``take count times``: the next things."""

    places: tuple[str]
    number: Count
    times: int

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read how many, and how many times as many."""
        number, *times = items(given, "count and times", least=1, most=2)
        return cls((place,), count(number), integer(times[0], least=1) if times else 1)

    def weigh(self, scope: Scope) -> Weight:
        """Count one draw per thing; refuse it if the drum or the shoe can run out even when the fewest are
        taken.
        """
        (place,) = self.places
        if scope.room is None:
            refuse("a drum or a shoe to take from", "neither")
        found = scope.count(self.number)
        least, most = found.least * self.times, found.most * self.times
        scope.counts[place] = Bounds(least, most)
        size = 0 if scope.room.things is None else size_of_member(place, size_of_list(most, scope.room.longest))
        return Weight(most + draws_of(self.number), size, taken=least)

    def draw(self, drawing: Drawing) -> Members:
        """Draw numbers from a drum; words with a space between from a shoe."""
        number = drawing.count(self.number) * self.times
        things = [drawing.take() for _ in range(number)]
        is_drum = drawing.pile is not None and drawing.pile.holds_numbers
        return {self.places[0]: [int(each) for each in things] if is_drum else " ".join(things)}


@dataclass(frozen=True, slots=True)
class Pick:
    """``pick count low high``: different numbers."""

    places: tuple[str]
    number: Count
    low: Value
    high: Value

    @classmethod
    def read(cls, place: str, given: list[object]) -> Self:
        """Read how many, of which."""
        number, low, high = items(given, "count low high", least=3, most=3)
        return cls((place,), count(number), value(low), value(high))

    def weigh(self, scope: Scope) -> Weight:
        """Count a draw each."""
        (place,) = self.places
        low, high = range_of(scope, self.low, self.high)
        scope.counts[place] = found = scope.count(self.number)
        if not found.least <= high - low + 1 <= LARGEST_PILE:
            refuse(f"at most {LARGEST_PILE} numbers to pick from, and enough of them", [low, high])
        size = size_of_list(found.most, size_of_number(high))
        return Weight(found.most + draws_of(self.number), size_of_member(place, size))

    def draw(self, drawing: Drawing) -> Members:
        """Return them in the order of their draws."""
        number = drawing.count(self.number)
        low, high = drawing.value(self.low), drawing.value(self.high)
        return {self.places[0]: [low + each for each in drawing.stream.sample(high - low + 1, number)]}
