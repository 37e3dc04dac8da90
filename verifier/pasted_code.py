"""A round code in what somebody pasted: a sentence, a link, two lines of a print-out, with characters that nobody can
see.

`RoundCode.parse` takes a code and nothing else; this looks for one before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from fairness.limits import LONGEST_CODE
from fairness.player.round_code import NewerCode, refusal

_LONGEST = 4 * LONGEST_CODE
"""Characters; of more, the beginning is looked at."""
_ESCAPED = re.compile("%([2-7][0-9A-Fa-f])")
_WORD = re.compile("[A-Za-z0-9-]+")
_FORM = re.compile("[a-z0-9-]{1,32}1[02-9ac-hj-np-z]*", re.IGNORECASE)
_REST = re.compile("[02-9ac-hj-np-z]+", re.IGNORECASE)
_MOST_WORDS = 128
"""A code is printed in several words at most."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """What was found in a text."""

    codes: tuple[str, ...]
    """All codes without a typing error, in their order; in lower case."""
    longest: str
    """If there is none: the longest text with the form of one, or all of it."""
    unseen: tuple[str, ...]
    """The characters that nobody can see and that were left out, such as ``U+200B``."""


def find_codes(text: str) -> Pasted:
    """Return the codes in a text that somebody pasted. Nothing is raised: `RoundCode.parse` judges what was found."""
    text = text[:_LONGEST]
    unseen = dict.fromkeys(f"U+{ord(each):04X}" for each in text if unicodedata.category(each) == "Cf")
    seen = "".join(each for each in text if unicodedata.category(each) != "Cf")
    seen = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), seen)
    groups = _groups(seen)
    codes = dict.fromkeys(each.lower() for group in groups for each in _joined(group) if _is_code(each))
    formed = [_longest_form(group[at:]) for group in groups for at in range(len(group))]
    longest = max((each for each in formed if each), key=len, default="".join(seen.split()))
    return Pasted(tuple(codes), longest, tuple(unseen))


def _groups(text: str) -> list[list[str]]:
    """Return groups of words with nothing but white space between them: one code may stand in several."""
    groups: list[list[str]] = []
    end = 0
    for found in _WORD.finditer(text):
        if not groups or text[end : found.start()].strip():
            groups.append([])
        groups[-1].append(found[0])
        end = found.end()
    return groups


def _joined(words: list[str]) -> Iterator[str]:
    """Yield every run of words that has the form of a code."""
    for start in range(len(words)):
        whole = ""
        for word in words[start : start + _MOST_WORDS]:
            whole += word
            if len(whole) > LONGEST_CODE:
                break
            if _FORM.fullmatch(trimmed := whole.strip("-")):
                yield trimmed


def _longest_form(words: list[str]) -> str:
    """Return a word that begins like a code, with the words after it that may be its rest."""
    whole = words[0].strip("-")
    if not _FORM.fullmatch(whole):
        return ""
    for word in words[1:_MOST_WORDS]:
        if not _REST.fullmatch(rest := word.strip("-")):
            break
        whole += rest
    return whole


def _is_code(text: str) -> bool:
    found = refusal(text)
    return found is None or isinstance(found, NewerCode)
