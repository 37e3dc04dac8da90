"""What a declaration is made of: numbers, names, labels, and what stands for a number (SPEC 3.6)."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from fairness.errors import Malformed
from fairness.limits import LARGEST_INTEGER, LONGEST_LABEL

Value = int | str
"""A number, or the name of a parameter of the rules."""
Count = int | str | tuple[int, int]
"""A value; the name of an earlier place, for as many as that has; or a range, from which it is drawn."""
Label = int | str
"""What is written on a segment: a word, or a number."""
Members = dict[str, str | int | list[int]]
"""Members of an outcome: one place each."""

NAME = re.compile(r"[a-z0-9-]{1,32}")
_LABEL = re.compile(rf"[\x21\x23-\x5b\x5d-\x7e]{{1,{LONGEST_LABEL}}}")


class Bounds(NamedTuple):
    """The least and the most that a number can be."""

    least: int
    most: int


def refuse(expected: str, found: object) -> NoReturn:
    """Raise `Malformed` about the declaration."""
    raise Malformed("declaration", expected=expected, found=found)


def integer(given: object, least: int = 0, most: int = LARGEST_INTEGER) -> int:
    """Read a whole number in a range."""
    if type(given) is not int or not least <= given <= most:
        refuse(f"a whole number from {least} to {most}", given)
    return given


def name(given: object, what: str) -> str:
    """Read a name of SPEC 4.1."""
    if not isinstance(given, str) or not NAME.fullmatch(given):
        refuse(f"{what}: 1 to 32 characters of a-z, 0-9 and -", given)
    return given


def label(given: object) -> str:
    """Read a word, without the space that separates words in an outcome."""
    if not isinstance(given, str) or not _LABEL.fullmatch(given):
        refuse(f'a label of 1 to {LONGEST_LABEL} visible characters without " and \\', given)
    return given


def label_or_number(given: object) -> Label:
    """Read a word or a number."""
    return label(given) if isinstance(given, str) else integer(given)


def value(given: object) -> Value:
    """Read a number, or the name of a parameter."""
    return name(given, "a parameter") if isinstance(given, str) else integer(given)


def count(given: object) -> Count:
    """Read a value, the name of a place, or a range."""
    if not isinstance(given, list):
        return value(given)
    low, high = map(integer, items(given, "a range", least=2, most=2))
    if low > high:
        refuse("a range that does not fall", given)
    return low, high


def items(given: object, what: str, *, least: int = 1, most: int | None = None) -> list[object]:
    """Read an array of so many."""
    if not isinstance(given, list) or len(given) < least or (most is not None and len(given) > most):
        refuse(f"{what}: an array of {least} {'or more' if most is None else f'to {most}'}", given)
    return given


def members(given: object, what: str) -> dict[str, object]:
    """Read an object."""
    if not isinstance(given, dict):
        refuse(f"{what}: an object", given)
    return given
