"""Patterns of words and of decimals for JSON Schema: ECMA-262, without look-around, so that every engine reads them
alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SYNTAX = re.compile(r"[\^$\\.*+?()\[\]{}|/]")
"""What has a meaning of its own. Nothing else is escaped: in Unicode mode ECMA-262 refuses needless escapes, as of
``-``.
"""


def word_of(words: Iterable[str]) -> str:
    """Return one of these words. Cards and other words of two letters or digits are put together by what stands
    behind the first one.
    """
    distinct = dict.fromkeys(words)
    if all(len(word) == len("As") and word.isalnum() for word in distinct):
        return _grouped(_pair(firsts, lasts) for lasts, firsts in _pairs(distinct).items())
    return _grouped(_SYNTAX.sub(r"\\\g<0>", word) for word in distinct)


def _pairs(words: Iterable[str]) -> dict[str, str]:
    """Return by all last characters that have the same first ones, these first ones."""
    firsts_of: dict[str, str] = {}
    for word in words:
        firsts_of[word[1]] = firsts_of.get(word[1], "") + word[0]
    lasts_of: dict[str, str] = {}
    for last, firsts in firsts_of.items():
        lasts_of[firsts] = lasts_of.get(firsts, "") + last
    return {lasts: firsts for firsts, lasts in lasts_of.items()}


def _pair(firsts: str, lasts: str) -> str:
    return "".join(each if len(each) == 1 else f"[{each}]" for each in (firsts, lasts))


def _grouped(alternatives: Iterable[str]) -> str:
    found = list(alternatives)
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def words(word: str, least: int, most: int | None, *, times: int = 1) -> str:
    """Match from ``least`` to ``most`` times ``times`` words, a space between; `None`: there is no end of them."""
    if most == 0:
        return "^$"
    following = _repeated(f" {word}", times, times)
    more = None if most is None else most - 1
    some = word + _repeated(f" {word}", times - 1, times - 1) + _repeated(following, max(least - 1, 0), more)
    return f"^{some}$" if least else f"^(?:{some})?$"


def after_others(others: Iterable[str], last: Iterable[str]) -> str:
    """Return one of the ``last`` words, after none or more of the ``others``, a space between."""
    before = f"(?:{word_of(others)} )*" if (others := list(others)) else ""
    return f"^{before}{word_of(last)}$"


def _repeated(part: str, least: int, most: int | None) -> str:
    if most == 0:
        return ""
    if (least, most) == (1, 1):
        return part
    number = f"{least}" if least == most else f"{least},{'' if most is None else most}"
    return f"(?:{part}){{{number}}}"


def decimals_up_to(hundredths: int) -> str:
    """Match decimals with two digits behind the point, from 1.00 to so many ``hundredths``, at least 100."""
    digits = str(hundredths)
    alternatives = [list(digits)]
    for place, digit in enumerate(digits):
        least = 0 if place else 1
        if int(digit) > least:
            rest = ["[0-9]"] * (len(digits) - place - 1)
            alternatives.append([*digits[:place], f"[{least}-{int(digit) - 1}]", *rest])
    spelled = ["".join([*each[:-2], r"\.", *each[-2:]]) for each in alternatives]
    if (fewer := len(digits) - len("1000")) >= 0:
        spelled.append(rf"[1-9][0-9]{{0,{fewer}}}\.[0-9]{{2}}")
    return f"^{_grouped(spelled)}$"
