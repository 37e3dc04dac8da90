"""What a declaration's names stand for: as ranges while it is checked, as numbers while a round is drawn (SPEC
3.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from fairness.draws.game import Rules
from fairness.draws.stream import Stream
from games.declared.pile import Pile
from games.declared.values import Bounds, Count, Members, Value, refuse

NOTHING = Bounds(0, 0)


class Family(NamedTuple):
    """The parameters ``w1`` … ``wn`` of ``w*n``: how many they are, and the range of each."""

    size: Bounds
    member: Bounds


class Room(NamedTuple):
    """What a drum or a shoe has: how many things at most, and how long the longest is. `None`: the pack is
    unknown.
    """

    things: int | None
    longest: int
    numbers: bool


class Weight(NamedTuple):
    """The most that a step can need: draws, bytes of the outcome, things of the pile."""

    draws: int
    size: int
    taken: int = 0


@dataclass(slots=True)
class Scope:
    """What is known before a round is drawn. Once a batch's rules are chosen, each range is one number."""

    parameters: Mapping[str, Bounds]
    families: Mapping[str, Family]
    room: Room | None
    pack: str | None
    counts: dict[str, Bounds] = field(default_factory=dict)
    """How many things each earlier place has, if a count may name it."""
    has_hidden_places: bool = False
    """Whether an earlier step is unknown, and so are its places."""

    def value(self, given: Value) -> Bounds:
        """Return the range of a number."""
        if isinstance(given, int):
            return Bounds(given, given)
        if given not in self.parameters:
            refuse("the name of a parameter, or of an earlier place where several things are counted", given)
        return self.parameters[given]

    def count(self, given: Count) -> Bounds:
        """Return the range of a count. One that is drawn can be any, so its range is that of the largest."""
        if isinstance(given, tuple):
            return Bounds(given[1], given[1])
        if isinstance(given, str) and given in self.counts:
            return self.counts[given]
        if isinstance(given, str) and given not in self.parameters and self.has_hidden_places:
            return NOTHING
        return self.value(given)

    def family(self, prefix: str) -> Family:
        """Return the parameters whose names begin so."""
        if prefix not in self.families:
            refuse(f"rules with {prefix}*", "none")
        return self.families[prefix]


@dataclass(slots=True)
class Drawing:
    """A round while it is drawn."""

    stream: Stream
    rules: Rules
    pile: Pile | None
    families: Mapping[str, tuple[str, Bounds]]
    """By prefix, the parameter that says how many there are."""
    outcome: Members = field(default_factory=dict)

    def value(self, given: Value) -> int:
        """Return what a value stands for."""
        return given if isinstance(given, int) else self.rules[given]

    def count(self, given: Count) -> int:
        """Return what a count stands for; a range is drawn."""
        if isinstance(given, tuple):
            low, high = given
            return low + self.stream.below(high - low + 1)
        if isinstance(given, int):
            return given
        earlier = self.outcome.get(given)
        if earlier is None:
            return int(self.rules[given])
        return len(earlier) if isinstance(earlier, list) else len(str(earlier).split())

    def family(self, prefix: str) -> list[int]:
        """Return the numbers of ``w1`` … ``wn``."""
        size = self.rules[self.families[prefix][0]]
        return [self.rules[f"{prefix}{number}"] for number in range(1, size + 1)]

    def take(self) -> str:
        """Return the next thing of the drum or the shoe, as a word."""
        if self.pile is None:
            raise ValueError("the declaration was not checked: it takes, and has neither drum nor shoe")
        return str(self.pile.next())


class Step(Protocol):
    """One line of a declaration's draw."""

    @property
    def places(self) -> tuple[str, ...]:
        """Where it writes."""

    def weigh(self, scope: Scope) -> Weight:
        """Return the most that it can need. Raises `Malformed` if it cannot be drawn; notes what its place counts."""

    def draw(self, drawing: Drawing) -> Members:
        """Return what it adds to the outcome."""


def size_of_number(most: int) -> int:
    """Return the bytes of the largest number."""
    return len(str(most))


def size_of_list(things: int, longest: int) -> int:
    """Return the bytes of an array of numbers, or of words in one string."""
    return max(2, things * (longest + 1) + 1)


def size_of_member(place: str, size: int) -> int:
    """Return the bytes of a place with its value and a comma."""
    return len(place) + 4 + size
