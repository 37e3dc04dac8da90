"""What was found: a sentence about one part of the service, and the next command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from msgspec import Struct

LOOK_AGAIN = "foredraw doctor"
"""The next command after something was done by hand."""


class Finding(Struct, frozen=True):
    """A sentence about one part of the service, with what it means, and a command."""

    about: str
    level: Literal["problem", "note"]
    """A problem needs somebody; a note explains a state that the service can start in, or play on in."""
    says: str
    next: str


def problem(about: str, says: str, then: str | None = None) -> Finding:
    """Make a finding that somebody has to act on. Without ``then`` the next command is the first one that the
    sentence names.
    """
    return Finding(about, "problem", _capital(says), then or _named(says))


def note(about: str, says: str, then: str | None = None) -> Finding:
    """Make a finding that is good to know; its next command is chosen in the same way."""
    return Finding(about, "note", _capital(says), then or _named(says))


def some(paths: list[Path]) -> str:
    """Begin a sentence about files: ``log/a is``, or ``log/a and 3 more are``."""
    return f"{paths[0]} is" if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more are"


def _named(says: str) -> str:
    # A folder with anything of a service in it needs that back: what `init` makes is another log.
    named = re.search(r"`(foredraw (?!init\b)[^`]+)`", says)
    return LOOK_AGAIN if named is None else named[1]


def _capital(says: str) -> str:
    """Make a sentence of what may be the continuation of one. File names stay as they are."""
    first = says.partition(" ")[0]
    begun = says[0].upper() + says[1:] if first.isalpha() else says
    return begun if begun.endswith(".") else f"{begun}."
