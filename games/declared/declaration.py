"""A game as data: parsed from its one spelling, checked against every limit, drawn (SPEC 3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import msgspec

from fairness.draws.game import Rules, RulesRefused
from fairness.draws.stream import Stream
from fairness.errors import Malformed, Unknown
from fairness.limits import LARGEST_OUTCOME, LARGEST_PILE, MOST_DRAWS, MOST_STEPS
from games.declared.deals import Deal
from games.declared.kinds import UnknownStep, read_step
from games.declared.packs import PACKS
from games.declared.parameters import Parameters
from games.declared.pile import Pile
from games.declared.scope import Drawing, Room, Scope, Step, Weight, size_of_number
from games.declared.spelling import parse, spelled
from games.declared.takes import Take
from games.declared.throws import Flight
from games.declared.values import Members, Value, items, label, members, name, refuse, value

_KEYS = {"draw", "drum", "moves", "rules", "shoe"}


@dataclass(frozen=True, slots=True)
class Drum:
    """Numbers, each once."""

    low: Value
    high: Value


@dataclass(frozen=True, slots=True)
class Shoe:
    """A pack, so many times. ``pack`` is its name, if it has one; ``things`` is empty if that name is unknown."""

    packs: Value
    pack: str | None
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """The rules of drawing of one game. What exists keeps every limit, and is known in all its parts."""

    steps: tuple[Step, ...]
    parameters: Parameters
    pile: Drum | Shoe | None
    has_flight: bool
    """Whether players act after the lock."""
    text: bytes
    """Its one spelling."""

    @property
    def is_flight(self) -> bool:
        """Whether an outcome is a multiplier, and nothing else."""
        return len(self.steps) == 1 and isinstance(self.steps[0], Flight)

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Parse a declaration. Raises `Malformed` for what is none, and `Unknown` for what has a kind, a pack or a
        deal that is new.
        """
        refuse_later(data)
        return cls.of(parse(data))

    @classmethod
    def of(cls, given: object) -> Self:
        """Read a declaration from a value whose spelling was checked with what it stands in."""
        found = members(given, "a declaration")
        if not found.keys() <= _KEYS or "draw" not in found or {"drum", "shoe"} <= found.keys():
            refuse("draw, and no keys but drum or shoe, moves, rules", sorted(found))
        if found.get("moves", 1) != 1:
            refuse("moves 1, or none", found["moves"])
        if found.get("rules") == {}:
            refuse("rules with a parameter, or none", {})
        declaration = cls(
            tuple(map(read_step, items(found["draw"], "draw", most=MOST_STEPS))),
            Parameters.read(found.get("rules", {})),
            _pile(found),
            "moves" in found,
            spelled(found),
        )
        declaration._check_places()
        declaration.weigh(declaration.parameters)
        if unknown := declaration._unknown():
            raise Unknown(unknown)
        return declaration

    def _check_places(self) -> None:
        places = [place for step in self.steps for place in step.places]
        if len(set(places)) < len(places) or not self.parameters.plain.keys().isdisjoint(places):
            refuse("places with names of their own", places)
        takers = [step for step in self.steps if isinstance(step, Take) or (isinstance(step, Deal) and step.pack)]
        if len(takers) > 1 and any(isinstance(step, Deal) for step in takers):
            refuse("no step that takes beside a deal of cards", places)

    def _unknown(self) -> list[str]:
        found = [step.what for step in self.steps if isinstance(step, UnknownStep)]
        if isinstance(self.pile, Shoe) and not self.pile.things:
            found.append(f"the pack {self.pile.pack}")
        return found

    def weigh(self, parameters: Parameters) -> Weight:
        """Return the most that a round can need. Raises `Malformed` if that is more than the limits, or if it cannot
        be drawn.
        """
        scope = Scope(parameters.plain, parameters.ranges, None, None)
        if self.pile is not None:
            scope.room = _room(self.pile, scope)
            scope.pack = self.pile.pack if isinstance(self.pile, Shoe) else None
        weights = [step.weigh(scope) for step in self.steps]
        draws, size, taken = map(sum, zip(*weights, strict=True))
        if draws > MOST_DRAWS:
            refuse(f"at most {MOST_DRAWS} draws", draws)
        if size + 1 > LARGEST_OUTCOME:
            refuse(f"outcomes of at most {LARGEST_OUTCOME} bytes", size + 1)
        if scope.room is not None and scope.room.things is not None and taken > scope.room.things:
            refuse(f"at most the {scope.room.things} things that there are", f"{taken} are taken")
        return Weight(draws, size + 1, taken)

    def check_rules(self, rules: Rules) -> None:
        """Raise `RulesRefused` unless ``rules`` are exactly the parameters, in their ranges, and there is enough to
        take.
        """
        self.parameters.check(rules)
        try:
            self.weigh(self.parameters.of(rules))
        except Malformed as error:
            raise RulesRefused(error.expected) from error

    def outcome(self, stream: Stream, rules: Rules) -> Members:
        """Return the outcome of a round, under rules that were checked."""
        drawing = Drawing(stream, rules, None, self.parameters.families)
        if self.pile is not None:
            drawing.pile = _filled(self.pile, drawing)
        if len(self.steps) == 1:
            return self.steps[0].draw(drawing)
        for step in self.steps:
            drawing.outcome.update(step.draw(drawing))
        return drawing.outcome


def refuse_later(data: bytes) -> None:
    """Raise `Unknown` for a declaration that names a later vocabulary; its spelling is that of the record that it
    stands in.
    """
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return
    if isinstance(found, dict) and type(version := found.get("version")) is int and version > 1:
        raise Unknown([f"declarations of version {version}"])


def _pile(found: Mapping[str, object]) -> Drum | Shoe | None:
    if "drum" in found:
        low, high = items(found["drum"], "a drum: low, high", least=2, most=2)
        return Drum(value(low), value(high))
    if "shoe" not in found:
        return None
    packs, pack = items(found["shoe"], "a shoe: packs, pack", least=2, most=2)
    if isinstance(pack, list):
        return Shoe(value(packs), None, tuple(map(label, items(pack, "a pack"))))
    known = name(pack, "a pack")
    return Shoe(value(packs), known, PACKS.get(known, ()))


def _room(pile: Drum | Shoe, scope: Scope) -> Room:
    if isinstance(pile, Drum):
        low, high = scope.value(pile.low), scope.value(pile.high)
        if low.most > high.least:
            refuse("a drum from low to high, in every choice of rules", [pile.low, pile.high])
        room = Room(high.most - low.least + 1, size_of_number(high.most), numbers=True)
    else:
        packs = scope.value(pile.packs)
        if packs.least < 1:
            refuse("a shoe of 1 pack or more", pile.packs)
        if not pile.things:
            return Room(None, 0, numbers=False)
        room = Room(packs.most * len(pile.things), max(map(len, pile.things)), numbers=False)
    if (room.things or 0) > LARGEST_PILE:
        refuse(f"at most {LARGEST_PILE} things in a drum or a shoe", room.things)
    return room


def _filled(pile: Drum | Shoe, drawing: Drawing) -> Pile:
    if isinstance(pile, Shoe):
        return Pile(drawing.stream, drawing.value(pile.packs) * len(pile.things), pile.things)
    low = drawing.value(pile.low)
    return Pile(drawing.stream, drawing.value(pile.high) - low + 1, first=low)
