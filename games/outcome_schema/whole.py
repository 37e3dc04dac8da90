"""All places of an outcome, and which of them agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from games.declared.deals import Deal
from games.declared.declaration import Declaration, Shoe
from games.declared.scope import Scope, Step
from games.declared.throws import Ends
from games.declared.values import Bounds, Count, Label
from games.outcome_schema.deals import dealt
from games.outcome_schema.forms import Schema, one_of
from games.outcome_schema.patterns import word_of, words
from games.outcome_schema.steps import count_of, several, single, size_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANY_OUTCOME: Schema = {"$schema": DIALECT, "type": "object"}
"""Of a game whose declaration has words that this program does not know."""
_MOST_CASES = 100
"""Up to how many numbers of things each is a case of its own."""


def outcome_schema(declaration: Declaration) -> Schema:
    """Return the schema of all outcomes that a game with this ``declaration`` can have, under whatever rules.

    Every outcome of the game is valid. What no schema can say is left out: that a card of one hand is not in another,
    too.
    """
    places = _Places(declaration)
    further = [*places.between, *places.agreements()]
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": places.schemas,
        "required": [place for place in places.schemas if place not in places.optional],
        "additionalProperties": False,
        **({"allOf": further} if further else {}),
    }


@dataclass(frozen=True, slots=True)
class _Counted:
    """A place with a count of its own, each of which is ``times`` things."""

    count: Count
    times: int
    bounds: Bounds
    is_text: bool
    """Whether it has words with a space between, and no array."""

    def exactly(self, number: int) -> Schema:
        """Return the schema of this count alone; what the things are, the schema of the place says."""
        things = number * self.times
        return (
            {"pattern": words("[^ ]+", things, things)} if self.is_text else {"minItems": things, "maxItems": things}
        )


class _Places:
    """The places of a declaration, read step after step."""

    def __init__(self, declaration: Declaration) -> None:
        self.schemas: dict[str, Schema] = {}
        self.optional: set[str] = set()
        self.between: list[Schema] = []
        """What holds between the places of one step."""
        self._pile = declaration.pile
        self._scope = Scope(declaration.parameters.plain, declaration.parameters.ranges, None, None)
        self._counted: dict[str, _Counted] = {}
        for step in declaration.steps:
            self._read(step)

    def _read(self, step: Step) -> None:
        if isinstance(step, Ends):
            self._read_ends(step)
        elif isinstance(step, Deal):
            self._read_deal(step)
        elif (count := count_of(step)) is not None:
            self._read_counted(step, *count)
        else:
            (place,) = step.places
            self.schemas[place] = single(step, self._scope)
            if (size := size_of(step, self._scope)) is not None:
                self._scope.counts[place] = size

    def _read_ends(self, step: Ends) -> None:
        for place in step.places:
            self.schemas[place] = one_of(end[place] for end in step.ends if place in end)
            if any(place not in end for end in step.ends):
                self.optional.add(place)
        self.between.append({"anyOf": [_end(end, step.places) for end in step.ends]})

    def _read_deal(self, step: Deal) -> None:
        shoe = self._pile if isinstance(self._pile, Shoe) else None
        found = dealt(
            step, *(("", 0) if shoe is None else (word_of(shoe.things), self._scope.value(shoe.packs).most))
        )
        self.schemas |= found.places
        self.between += found.between

    def _read_counted(self, step: Step, count: Count, times: int) -> None:
        (place,) = step.places
        bounds = Bounds(*count) if isinstance(count, tuple) else self._scope.count(count)
        self.schemas[place] = schema = several(step, bounds, self._scope, self._pile)
        self._counted[place] = _Counted(count, times, bounds, schema["type"] == "string")
        self._scope.counts[place] = Bounds(bounds.least * times, bounds.most * times)

    def agreements(self) -> Iterator[Schema]:
        """Return places that have as many things as an earlier one, or as the same parameter says: case by case."""
        for leader, followers in self._followers().items():
            counted = self._counted[leader]
            cases = range(counted.bounds.least, counted.bounds.most + 1)
            if not 1 < len(cases) <= _MOST_CASES:
                continue
            for number in cases:
                have = {place: self._counted[place].exactly(number * each) for place, each in followers.items()}
                yield {"if": {"properties": {leader: counted.exactly(number)}}, "then": {"properties": have}}

    def _followers(self) -> dict[str, dict[str, int]]:
        """Return by each place those whose counts follow it, and by which number: things, if they name it, or else as
        it counts.

        Each follows one: a schema for each two of sixty places with the same count would be megabytes.
        """
        found: dict[str, dict[str, int]] = {}
        first_with: dict[Count, str] = {place: place for place in self._counted}
        for place, counted in self._counted.items():
            leader = first_with.setdefault(counted.count, place)
            if leader != place and isinstance(counted.count, str):
                each = self._counted[leader].times if leader == counted.count else 1
                found.setdefault(leader, {})[place] = each
        return found


def _end(end: Mapping[str, Label], places: tuple[str, ...]) -> Schema:
    """Return one outcome of a list: its places have these labels, and the others are not there."""
    return {
        "properties": {place: {"const": end[place]} if place in end else False for place in places},
        "required": list(end),
    }
