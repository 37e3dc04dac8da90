"""What a verdict that did not fail is called, with its exit status and its colour (SPEC 8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from fairness.log.checkpoints import is_sandbox
from fairness.policy.head import Head
from verifier.sentences import Line, Verdict


class Kind(StrEnum):
    """The name of a verdict, as programs read it."""

    HELD = "held"
    EMPTY = "empty"
    UNKNOWN = "unknown"
    SANDBOX = "sandbox"

    @property
    def colour(self) -> str:
        """The colour of its last line on a terminal."""
        return "green" if self is Kind.HELD else "yellow"

    @property
    def is_good(self) -> bool:
        """Whether it is status 0."""
        return self in {Kind.HELD, Kind.EMPTY}


def kind_of(head: Head, unknown: Sequence[str] = (), *, is_empty: bool = False) -> Kind:
    """Return the verdict on a log in which nothing failed. A sandbox proves nothing, whatever holds in it."""
    if is_sandbox(head.checkpoint.origin):
        return Kind.SANDBOX
    if unknown:
        return Kind.UNKNOWN
    return Kind.EMPTY if is_empty else Kind.HELD


def last_line(kind: Kind, *verdicts: str) -> str:
    """Return what was found, under the name of its verdict. Of a sandbox nothing is said that somebody could take for
    more than a test.
    """
    if kind is Kind.SANDBOX:
        return Line.SANDBOX.fill(verdict=Verdict.PROVES_NOTHING)
    if kind is Kind.UNKNOWN:
        return Line.UNKNOWN.fill(verdict=" ".join((Verdict.EXCEPT_UNKNOWN, *verdicts)))
    if kind is Kind.EMPTY:
        return Line.EMPTY.fill(verdict=Verdict.NOTHING_IN_IT)
    return Line.HELD.fill(verdict=" ".join(verdicts))
