"""How bets are written: forms with letters, and what each letter may be.

``{"form": "sum N", "choices": {"N": [4, 17]}}`` is ``sum 4`` to ``sum 17``. A choice is

* ``[low, high]``: whole numbers; ``["$M+1", "runners"]`` depends on an earlier letter, and on the rules;
* ``{"words": {"0 1": [0, 1]}}``: words, and what each stands for;
* ``{"choose": 3, "of": [1, 36]}``: different numbers in ascending order; with ``"order": 1`` in any order;
* ``{"hundredths": [101, "cap"]}``: ``1.01`` to the cap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, repeat
from typing import Protocol

from fairness.draws.game import Rules
from games.bets.values import Given

Letters = Mapping[str, Given]
"""What each letter of a form stands for."""
Bound = int | str
KINDS = {"choose", "hundredths", "words"}
"""The keys of choices that are objects."""

_LETTER = re.compile(r"\b([A-Z])\b")
_BOUND = re.compile(r"(\$?)([A-Za-z0-9]+)(?:\.([a-z]+))?(/2)?([+-][0-9]+)?", re.ASCII)
_BELOW_ZERO = re.compile(r"-[1-9][0-9]{0,8}", re.ASCII)
_SMALLEST = 101
_MOST_NUMBERS = 100_000
_NUMBER = "(?:0|[1-9][0-9]{0,9})"


class NotOffered(ValueError):
    """A word is not among those that a letter may be; the message may say which there are."""


def bound(given: Bound, letters: Letters, rules: Rules) -> int:
    """Return a number, a parameter of the rules, or a ``$`` letter or a part of it; perhaps ``/2`` (rounded down),
    then ``+1`` or ``-1``.
    """
    if isinstance(given, int):
        return given
    if _BELOW_ZERO.fullmatch(given):
        return int(given)
    match = _BOUND.fullmatch(given)
    if match is None:
        raise ValueError(f"{given!r} is no bound")
    found: Given = letters[match[2]] if match[1] else rules[match[2]]
    value = int(found[match[3]] if match[3] else found)
    return (value // 2 if match[4] else value) + int(match[5] or 0)


def hundredths_text(value: int) -> str:
    """Write hundredths as ``1.01``."""
    return f"{value // 100}.{value % 100:02}"


class Choice(Protocol):
    """What one letter may be."""

    @property
    def pattern(self) -> str:
        """A regular expression for all that it might be, under any rules; without a group."""

    def read(self, word: str, letters: Letters, rules: Rules) -> Given:
        """Return what a word of the pattern stands for. Raises `NotOffered`."""

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:
        """Return the words that the returns list."""

    def every(self, letters: Letters, rules: Rules) -> Iterator[str]:
        """Return all words; of hundredths the ends, between which no return is larger than at one of them."""


@dataclass(frozen=True, slots=True)
class _Range:
    low: Bound
    high: Bound
    pattern: str = _NUMBER

    def read(self, word: str, letters: Letters, rules: Rules) -> int:
        low, high = bound(self.low, letters, rules), bound(self.high, letters, rules)
        if not low <= int(word) <= high:
            raise NotOffered
        return int(word)

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:
        yield from map(str, range(bound(self.low, letters, rules), bound(self.high, letters, rules) + 1))

    every = words


@dataclass(frozen=True, slots=True)
class _Words:
    meanings: Mapping[str, Given]
    listed: Sequence[str] | None = None

    @property
    def pattern(self) -> str:
        return f"(?:{'|'.join(re.escape(word) for word in sorted(self.meanings, key=len, reverse=True))})"

    def read(self, word: str, letters: Letters, rules: Rules) -> Given:  # noqa: ARG002 -- as every choice has it
        return self.meanings[word]

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:  # noqa: ARG002 -- as every choice has it
        yield from self.meanings if self.listed is None else self.listed

    def every(self, letters: Letters, rules: Rules) -> Iterator[str]:  # noqa: ARG002 -- as every choice has it
        yield from self.meanings


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Different numbers; the returns list only the first ones, as in the catalogue it does not matter which."""

    count: int
    low: Bound
    high: Bound
    in_order: bool

    @property
    def pattern(self) -> str:
        return f"{_NUMBER}(?: {_NUMBER}){{{self.count - 1}}}"

    def read(self, word: str, letters: Letters, rules: Rules) -> list[int]:
        low, high = bound(self.low, letters, rules), bound(self.high, letters, rules)
        numbers = [int(each) for each in word.split(" ")]
        ascending = numbers == sorted(numbers) or not self.in_order
        if not ascending or len(set(numbers)) < len(numbers) or min(numbers) < low or max(numbers) > high:
            raise NotOffered
        return numbers

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:
        low = bound(self.low, letters, rules)
        yield " ".join(map(str, range(low, low + self.count)))

    def every(self, letters: Letters, rules: Rules) -> Iterator[str]:
        # Of so many numbers there are more bets than anybody looks at.
        numbers = range(bound(self.low, letters, rules), bound(self.high, letters, rules) + 1)[:_MOST_NUMBERS]
        for chosen in (combinations if self.in_order else permutations)(numbers, self.count):
            yield " ".join(map(str, chosen))


@dataclass(frozen=True, slots=True)
class _Hundredths:
    low: Bound
    high: Bound
    listed: Sequence[Bound]
    pattern: str = r"[1-9][0-9]{0,7}\.[0-9]{2}"

    def read(self, word: str, letters: Letters, rules: Rules) -> int:
        low, high = bound(self.low, letters, rules), bound(self.high, letters, rules)
        value = int(word.replace(".", ""))
        if not low <= value <= high:
            raise NotOffered(
                f"cash-outs from {hundredths_text(_SMALLEST)} to the cap of {hundredths_text(high)}, in order"
            )
        return value

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:
        high = bound(self.high, letters, rules)
        for value in dict.fromkeys(min(bound(each, letters, rules), high) for each in self.listed):
            yield hundredths_text(value)

    def every(self, letters: Letters, rules: Rules) -> Iterator[str]:
        for value in dict.fromkeys((bound(self.low, letters, rules), bound(self.high, letters, rules))):
            yield hundredths_text(value)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A range of which the returns list a part, perhaps downwards."""

    range: _Range
    first: int
    last: int

    @property
    def pattern(self) -> str:
        return self.range.pattern

    def read(self, word: str, letters: Letters, rules: Rules) -> int:
        return self.range.read(word, letters, rules)

    def words(self, letters: Letters, rules: Rules) -> Iterator[str]:  # noqa: ARG002 -- as every choice has it
        step = 1 if self.first <= self.last else -1
        yield from map(str, range(self.first, self.last + step, step))

    def every(self, letters: Letters, rules: Rules) -> Iterator[str]:
        yield from self.range.every(letters, rules)


def choice_of(given: Given, listed: Given = None) -> Choice:
    """Return a choice out of JSON; ``listed`` are those of them that the returns list."""
    if isinstance(given, list):
        of_range = _Range(*given)
        return of_range if listed is None else _Listed(of_range, *listed)
    if "words" in given:
        return _Words(given["words"], listed)
    if "choose" in given:
        low, high = given["of"]
        return _Chosen(given["choose"], low, high, in_order="order" not in given)
    low, high = given["hundredths"]
    return _Hundredths(low, high, [low, high] if listed is None else listed)


def chosen_from(choice: Choice) -> tuple[Bound, Bound] | None:
    """Return from which to which numbers some are chosen; `None` for another choice."""
    return (choice.low, choice.high) if isinstance(choice, _Chosen) else None


def is_cash_out(choice: Choice) -> bool:
    """Return whether a choice is of hundredths."""
    return isinstance(choice, _Hundredths)


@lru_cache(4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile the form only when a bet is read: a file may have hundreds, of which nobody asks for most."""
    return re.compile(pattern, re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """How the bets of an option are written."""

    text: str
    choices: Mapping[str, Choice]
    pattern: str

    @classmethod
    def of(cls, text: str, choices: Mapping[str, Choice]) -> Form:
        """Return the form that is written so, and what its letters may be."""
        parts = (f"({choices[part].pattern})" if part in choices else re.escape(part) for part in _LETTER.split(text))
        return cls(text, choices, "".join(parts))

    def match(self, text: str, rules: Rules) -> tuple[Letters, str] | None:
        """Return the letters of a bet, and their words with a space between; `None` if it has another form. Raises
        `NotOffered`.

        The words are a key of odds, which do not depend on which numbers are chosen: these are left out.
        """
        match = _compiled(self.pattern).fullmatch(text)
        if match is None:
            return None
        letters: dict[str, Given] = {}
        names = [part for part in _LETTER.split(self.text) if part in self.choices]
        for name, word in zip(names, match.groups(), strict=True):
            letters[name] = self.choices[name].read(word, letters, rules)
        words = zip(names, match.groups(), strict=True)
        return letters, " ".join(word for name, word in words if not isinstance(self.choices[name], _Chosen))

    def texts(self, rules: Rules, *, every: bool = False, looks: Iterator[object] | None = None) -> Iterator[str]:
        """Yield the bets that the returns list; or ``every`` one. No more words are looked at than ``looks`` has."""
        looks = repeat(None) if looks is None else looks
        yield from self._texts("", _LETTER.split(self.text), {}, rules, every=every, looks=looks)

    def _texts(
        self,
        text: str,
        parts: Sequence[str],
        letters: Letters,
        rules: Rules,
        *,
        every: bool,
        looks: Iterator[object],
    ) -> Iterator[str]:
        if not parts:
            yield text
            return
        part, *rest = parts
        if part not in self.choices:
            yield from self._texts(text + part, rest, letters, rules, every=every, looks=looks)
            return
        choice = self.choices[part]
        for word, _ in zip((choice.every if every else choice.words)(letters, rules), looks, strict=False):
            try:
                value = choice.read(word, letters, rules)
            except NotOffered:  # a cap below the smallest cash-out
                continue
            yield from self._texts(text + word, rest, {**letters, part: value}, rules, every=every, looks=looks)
