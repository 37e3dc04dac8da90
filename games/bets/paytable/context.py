"""What the parts of a paytable may name: the declaration's places and parameters, the file's tables, the letters of
an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, product
from math import prod
from typing import NamedTuple

from games.bets.paytable.spelling import refuse
from games.bets.values import Given
from games.declared.deals import Deal, rally
from games.declared.declaration import Declaration
from games.declared.wheels import Race

MOST_TEXTS = 16_384
"""Selections of a file, each as often as its letters have meanings: so many are looked at when it is read."""
LONGEST_TEXT = 64
"""Characters of a word, of a value and of a form."""
_LETTER = re.compile(r"\$([A-Z])(?:\.([a-z]+))?")
_BOUND = re.compile(r"(?:\$([A-Z])(?:\.([a-z]+))?|([a-z][a-z0-9]*))(?:/2)?(?:[+-][1-9][0-9]{0,3})?|-[1-9][0-9]{0,8}")
_SELECTION = re.compile(
    r"(letters )?([a-z0-9-]+)(?: (?:(-[1-9][0-9]{0,3})|([0-9]{1,4}(?:\+[0-9]{1,4}){0,2})(?:-([0-9]{1,4}))?))?"
)
_TO_A_LETTER = re.compile(r" [^ ]+-[^ ]*\$")
"""A selection from one thing to another that a letter says, of which no example shows how far it goes."""
_HALF = 2
"""A thing of an outcome has at least a character, and something that separates it from the next one."""


def text(given: object, most: int = LONGEST_TEXT) -> str:
    """Read a short string."""
    if not isinstance(given, str) or not 0 < len(given) <= most:
        refuse(f"a text of 1 to {most} characters", given)
    return given


def plain_text(given: object, most: int = LONGEST_TEXT) -> str:
    """Read a short string in which no letter stands for anything."""
    if "$" in (found := text(given, most)):
        refuse("a text without $", given)
    return found


def keys(given: object, what: str, needed: set[str], allowed: set[str]) -> dict[str, Given]:
    """Read an object with these keys."""
    if not isinstance(given, dict) or not needed <= given.keys() <= needed | allowed:
        refuse(
            f"{what}: an object with {', '.join(sorted(needed))}; perhaps {', '.join(sorted(allowed)) or 'no more'}",
            given,
        )
    return given


def items(given: object, what: str, least: int = 1, most: int = 4096) -> list[Given]:
    """Read an array."""
    if not isinstance(given, list) or not least <= len(given) <= most:
        refuse(f"{what}: an array of {least} to {most}", given)
    return given


@dataclass(slots=True)
class Context:
    """The declaration and the tables."""

    places: frozenset[str]
    parameters: Mapping[str, int]
    """The largest value of each parameter of the rules."""
    largest: int
    """Bytes of the largest outcome."""
    tables: frozenset[str]
    drawn: frozenset[str]
    """The chances that are found when a bet is read, and that the declaration draws: ``race``, ``points``."""
    unknown: list[str] = field(default_factory=list)
    """Words that are newer than this program."""
    known: dict[str, int] = field(default_factory=dict)
    """How many things selections without letters are, for a file may have one again and again."""
    texts: int = 0
    """How many selections there are, each as often as its letters have meanings."""

    @classmethod
    def of(cls, declaration: Declaration, tables: Mapping[str, Given]) -> Context:
        """Return what the declaration has."""
        places = frozenset(place for step in declaration.steps for place in step.places)
        parameters = {name: bounds.most for name, bounds in declaration.parameters.plain.items()}
        size = declaration.weigh(declaration.parameters).size
        return cls(places, parameters, size, frozenset(tables), frozenset(_drawn(declaration)))

    def count(self, texts: int, given: object) -> None:
        """Count so many selections more."""
        self.texts += texts
        if self.texts > MOST_TEXTS:
            refuse(f"at most {MOST_TEXTS} selections, each letter filled in with all that it may be", given)

    def reading(self, given: object) -> None:
        """Read what counts of a thing."""
        if not isinstance(given, str) or given not in {"", "rank", "suit", *self.tables}:
            refuse("a reading: rank, suit, the name of a table, or an empty text", given)


def _drawn(declaration: Declaration) -> Iterator[str]:
    sizes = {prefix: size for prefix, (size, _) in declaration.parameters.families.items()}
    for step in declaration.steps:
        if isinstance(step, Race) and step.places == ("order",) and sizes["w"] == "runners":
            yield "race"
        if isinstance(step, Deal) and step.draw is rally:
            yield "points"


class Meanings(NamedTuple):
    """What a letter may stand for."""

    all: list[Given]
    longest: int
    """How many values an array among them has; 0 if there is none."""
    are_numbers: bool


@dataclass(frozen=True, slots=True)
class Letters:
    """What the letters of a form may stand for: everything, or an example where they are numbers in a range."""

    context: Context
    samples: Mapping[str, list[Given]]
    _found: dict[tuple[str, str | None], Meanings] = field(default_factory=dict)
    """Once for each letter, however often it is named."""

    def meanings(self, letter: str, part: str | None) -> Meanings:
        """Return what ``$N`` or ``$N.part`` may stand for."""
        if (letter, part) not in self._found:
            self._found[letter, part] = self._meanings(letter, part)
        return self._found[letter, part]

    def _meanings(self, letter: str, part: str | None) -> Meanings:
        samples = self.samples.get(letter, [])
        found = [each.get(part) if isinstance(each, dict) else None for each in samples] if part else samples
        if not found or None in found or any(isinstance(each, dict) for each in found):
            name = f"${letter}{f'.{part}' if part else ''}"
            refuse("a letter of the form, before it where it is bounded by another one", name)
        longest = max((len(each) for each in found if isinstance(each, list)), default=0)
        has_lists = any(isinstance(each, list) for each in found)
        return Meanings(found, max(longest, int(has_lists)), all(type(each) is int for each in found))

    def bound(self, given: object) -> None:
        """Read a number, or what stands for one."""
        if type(given) is int:
            return
        match = _BOUND.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            refuse("a number, a letter or a parameter, perhaps with /2, +1 or -1", given)
        if match[1] and not self.meanings(match[1], match[2]).are_numbers:
            refuse("a letter that stands for a number", given)
        if match[3] and match[3] not in self.context.parameters:
            refuse(f"a parameter of the rules: {', '.join(self.context.parameters) or 'none'}", given)

    def number(self, given: object) -> None:
        """Read a number, or a letter that stands for one."""
        self.bound(given)
        if type(given) is not int and not _LETTER.fullmatch(str(given)):
            refuse("a number, or a letter that stands for one", given)

    def text(self, given: object) -> list[str]:
        """Read a text with letters, which stand for no arrays: what stands around them, and letter and part by
        turns.
        """
        parts = re.split(_LETTER, text(given))
        letters = list(zip(parts[1::3], parts[2::3], strict=True))
        if len(letters) != text(given).count("$") or any(self.meanings(*each).longest for each in letters):
            refuse("$ before a letter alone, which stands for one word or number", given)
        return parts

    def value(self, given: object) -> int:
        """Read a value of a figure: how many it stands for."""
        if type(given) is int or given == "":
            return 1
        match = _LETTER.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            self.text(given)
            return 1
        return max(1, self.meanings(match[1], match[2]).longest)

    def values(self, given: object) -> int:
        """Read a list of values and ranges: its steps."""
        steps = 0
        for each in items(given, "values", least=0):
            if isinstance(each, dict):
                if not keys(each, "a range", set(), {"from", "to"}):
                    refuse("a range with an end", each)
                for end in each.values():
                    self.bound(end)
                steps += 1
            else:
                steps += self.value(each)
        return steps

    def selection(self, given: object) -> int:
        """Return which things of the outcome: how many at most."""
        if isinstance(given, list):
            return sum(self.selection(each) for each in items(given, "a selection", most=64))
        if (known := self.context.known.get(text(given))) is not None:
            self.context.count(1, given)
            return known
        *parts, end = self.text(given)
        if not parts:
            self.context.count(1, given)
            return self.context.known.setdefault(end, self._selected(end, is_open=False))
        meanings = [self.meanings(*each).all for each in zip(parts[1::3], parts[2::3], strict=True)]
        self.context.count(prod(map(len, meanings)), given)
        around, is_open = parts[::3], _TO_A_LETTER.search(str(given)) is not None
        return max(
            self._selected("".join((*chain(*zip(around, map(str, chosen), strict=True)), end)), is_open=is_open)
            for chosen in product(*meanings)
        )

    def _selected(self, given: str, *, is_open: bool) -> int:
        match = _SELECTION.fullmatch(given)
        if match is None or match[2] not in self.context.places:
            refuse(f"a selection of the places {', '.join(sorted(self.context.places))}", given)
        if match[3]:
            return 1
        if match[4] and not (match[5] and is_open):
            first = sum(map(int, match[4].split("+")))
            return max(1, int(match[5]) - first + 1) if match[5] else 1
        return self.context.largest // (1 if match[1] else _HALF)
