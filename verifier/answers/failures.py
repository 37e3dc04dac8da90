"""Why there is no good verdict."""

from __future__ import annotations

from typing import Literal, TypedDict

from verifier.typing_error import TypingError


class Verdict(TypedDict):
    """How each begins."""

    v: Literal[1]
    command: str
    verdict: str


class WhatFailed(TypedDict, total=False):
    """A check that failed: of which record, in which file, what was expected and what was found."""

    check: str
    record: int | None
    where: str | None
    expected: str | None
    found: str | None


class Failed(Verdict, WhatFailed):
    """A check failed: what would hold otherwise, what that means, and the file with the evidence."""

    meaning: str
    means: str
    evidence: str | None


class NotShown(Verdict, WhatFailed):
    """What was asked for is not shown, which accuses nobody; `ways_on` says what that means, and the ways on."""

    meaning: str
    ways_on: list[str]


class Mistyped(Verdict):
    """The round code is none."""

    check: str
    expected: str
    found: str
    meaning: str
    typing: TypingError | None


class OnlyUnknown(Verdict):
    """What this verifier does not know, so that nothing could be said of the rest."""

    unknown: list[str]


class Unreadable(Verdict):
    """Which file could not be read, and why."""

    file: str
    why: str


class WrongUsage(TypedDict):
    """Why nothing was done; `command` is absent if none was named. That is no verdict on anybody."""

    v: Literal[1]
    command: str | None
    verdict: Literal["wrong-usage"]
    why: str
