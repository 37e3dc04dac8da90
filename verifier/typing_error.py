"""Where a round code was mistyped, as far as its checksum shows.

A Bech32m checksum is linear: how one wrong character changes the remainder of the division depends only on its place
and on the difference. So the remainder shows the place of one error, and mostly of two, without a search over codes.
It has 30 bits: the chance that more errors look like one is about 1 in 400,000, so what is meant is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import HASH_SIZE
from fairness.limits import LONGEST_CODE, MOST_CUSTODIANS
from fairness.player.bech32m import ALPHABET, CHECKSUM_SIZE, residue, shifted
from fairness.player.round_code import HEAD_SIZE, NewerCode, refusal
from games import GAMES

_LENGTHS = tuple(
    -(-8 * (HEAD_SIZE + seeds * HASH_SIZE) // 5) + CHECKSUM_SIZE for seeds in range(1, MOST_CUSTODIANS + 1)
)
"""Characters after the 1, by the number of seeds."""
_GAME = re.compile("([a-z0-9-]{1,32})1[^1]*", re.ASCII)
_SPACE = re.compile(r"\s")
_STRANGE = re.compile(f"[^{ALPHABET}]")

CHECKS_OF_CODES = frozenset({Check.CODE_FORM, Check.CODE_CHECKSUM})
"""What fails only for a code that is none."""

Kind: TypeAlias = Literal[
    "empty",
    "mixed-case",
    "no-game",
    "character",
    "length",
    "substitution",
    "transposition",
    "missing",
    "extra",
    "several",
]


class TypingError(Struct, frozen=True):
    """Where a code was mistyped."""

    kind: Kind
    """`empty`: nothing was typed. `mixed-case`: upper and lower case are mixed. `no-game`: it does not begin with a
    game's name and a 1. `character`: it has characters that no code has. `length`: it is too long or too short.
    `substitution`: one or two characters are wrong. `transposition`: two neighbours are swapped. `missing`: one was
    left out before the place. `extra`: the one at the place is too many. `several`: there are more errors than can be
    located.
    """
    places: tuple[int, ...] = ()
    """Characters, counted from 1."""
    suggestion: str | None = None
    """The code that was probably meant. It is a guess: compare it with the original."""
    missing: int | None = None
    """Of `length`: how many characters are missing; negative, too many; `None` if unknown."""


class Mistyped(CheckFailed):
    """A round code that is none. That says nothing about anybody."""

    def __init__(self, failure: CheckFailed, text: str, unseen: Sequence[str] = ()) -> None:
        beside = f" (beside {', '.join(unseen)}, which nobody can see)" if unseen else ""
        super().__init__(failure.check, expected=failure.expected, found=f"{failure.found}{beside}")
        self.typing = locate_typing_error(text)
        """Where, if that can be seen."""


def locate_typing_error(text: str) -> TypingError | None:
    """Return where a round code was mistyped; `None` if it is one."""
    if _is_code(text) or isinstance(refusal(text), NewerCode):
        return None
    if not text:
        return TypingError("empty")
    if len(text) > LONGEST_CODE:
        return TypingError("length")
    packed = _SPACE.sub("", text).lower()
    if len(packed) < len(text) and _is_code(packed):
        return TypingError("character", _places_of(text, _SPACE), packed)
    lower = text.lower()
    if text not in {lower, text.upper()}:
        return TypingError("mixed-case", (), lower if _is_code(lower) else None)
    return _located(lower)


def _located(lower: str) -> TypingError:
    misspelled = _misspelled_game(lower)
    game = None if misspelled.suggestion else _game_in(lower)
    if game is None:
        return misspelled
    strange = tuple(place for place in _places_of(lower, _STRANGE) if place > len(game) + 1)
    if strange:
        return TypingError("character", strange, _filled(lower, strange))
    return _located_in_data(game, lower)


def _game_in(lower: str) -> str | None:
    """Return the name that a code begins with: a known one; or else what may be that of a declared game, up to the
    last 1.
    """
    known = next((name for name in GAMES if lower.startswith(f"{name}1")), None)
    found = _GAME.fullmatch(lower)
    return known or (found[1] if found else None)


def _places_of(text: str, pattern: re.Pattern[str]) -> tuple[int, ...]:
    return tuple(at for at, character in enumerate(text, 1) if pattern.fullmatch(character))


def _located_in_data(game: str, code: str) -> TypingError:
    start = len(game) + 1
    length = len(code) - start
    if length in _LENGTHS:
        return _substituted(game, code) or TypingError("several")
    missing = _missing_characters(length)
    found = None
    if missing == 1:
        found = next(_inserted(code, start), None)
    elif missing == -1:
        found = next(_removed(code, start), None)
    return found or TypingError("length", missing=missing)


def _missing_characters(length: int) -> int | None:
    """Return how many characters are missing to the nearest length; `None` if two lengths are equally near."""
    first, second = sorted((each - length for each in _LENGTHS), key=abs)[:2]
    return None if abs(first) == abs(second) else first


def _substituted(game: str, code: str) -> TypingError | None:
    """Find one or two wrong characters. Two swapped neighbours are two wrong characters as well, and are reported as
    swapped.
    """
    start = len(game) + 1
    groups = [ALPHABET.index(character) for character in code[start:]]
    rest, errors = residue(game, groups), _single_errors(len(groups))
    if rest in errors:
        return _accepted(code, [errors[rest]], start)
    if swap := next(_swapped(code, start), None):
        return swap
    pairs = (
        (first, errors[rest ^ syndrome])
        for syndrome, first in errors.items()
        if rest ^ syndrome in errors and first[0] < errors[rest ^ syndrome][0]
    )
    found = [each for pair in pairs if (each := _accepted(code, pair, start))]
    return found[0] if len(found) == 1 else None


def _single_errors(length: int) -> dict[int, tuple[int, int]]:
    """Return each single error, by its remainder: its place, from 0, and the difference."""
    errors = {}
    for difference in range(1, 32):
        rest = difference
        for at in reversed(range(length)):
            errors[rest] = at, difference
            rest = shifted(rest)
    return errors


def _accepted(code: str, errors: Sequence[tuple[int, int]], start: int) -> TypingError | None:
    characters = list(code)
    for at, difference in errors:
        characters[start + at] = ALPHABET[ALPHABET.index(characters[start + at]) ^ difference]
    meant = "".join(characters)
    places = tuple(start + at + 1 for at, _ in errors)
    return TypingError("substitution", places, meant) if _is_code(meant) else None


def _swapped(code: str, start: int) -> Iterator[TypingError]:
    for at in range(start, len(code) - 1):
        other = code[:at] + code[at + 1] + code[at] + code[at + 2 :]
        if other != code and _is_code(other):
            yield TypingError("transposition", (at + 1, at + 2), other)


def _inserted(code: str, start: int) -> Iterator[TypingError]:
    for at in range(start, len(code) + 1):
        for character in ALPHABET:
            if _is_code(other := code[:at] + character + code[at:]):
                yield TypingError("missing", (at + 1,), other)


def _removed(code: str, start: int) -> Iterator[TypingError]:
    for at in range(start, len(code)):
        if _is_code(other := code[:at] + code[at + 1 :]):
            yield TypingError("extra", (at + 1,), other)


def _filled(code: str, places: tuple[int, ...]) -> str | None:
    """Return the code with its one impossible character replaced, which the checksum determines; `None` if there are
    several.
    """
    if len(places) > 1:
        return None
    at = places[0] - 1
    return next((other for each in ALPHABET if _is_code(other := code[:at] + each + code[at + 1 :])), None)


def _misspelled_game(lower: str) -> TypingError:
    """Find a mistyped name of a game; the suggestion is for a rest that is a code of exactly one game."""
    _, one, rest = lower.partition("1")
    found = [code for name in GAMES if _is_code(code := f"{name}1{rest}")]
    return TypingError("no-game", (), found[0] if one and len(found) == 1 else None)


def _is_code(text: str) -> bool:
    """Return whether it is a code of this version: what is suggested is never of a later one."""
    return refusal(text) is None
