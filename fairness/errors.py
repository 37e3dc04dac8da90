"""The errors of the protocol. Four kinds, which never mix.

::

    ForedrawError
    ├── Malformed     bytes that are not a value of the protocol: nothing was checked yet
    ├── CheckFailed   well-formed bytes that break a named rule: evidence against the operator
    │   ├── NotThisLogs  nothing in a checkpoint claims to be this log's
    │   └── NotShown     what only finding aids say, which nobody signs
    ├── Unknown       what is newer than this program, as far as it can see: evidence against nobody
    └── Unreadable    a file of the log that could not be read: nothing is known
        └── Missing   the log has no such file, and whoever serves it says so

A misuse by the caller (a negative size, a seed of 31 bytes) is a `ValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fairness.checks import FAULT, Check, Fault

_LONGEST_QUOTE = 200
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


def quote(value: object) -> str:
    """Show ``value`` in an error: never more than a line, and nothing that a terminal would obey."""
    text = (value if isinstance(value, str) else repr(value))[: _LONGEST_QUOTE + 1]
    text = _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


class ForedrawError(Exception):
    """The base of everything that this project raises about its input."""


class Malformed(ForedrawError):
    """``what`` is not spelled as `SPEC.md` demands."""

    def __init__(self, what: str, *, expected: object, found: object) -> None:
        self.what, self.expected, self.found = what, quote(expected), quote(found)
        super().__init__(f"{what}: expected {self.expected}, found {self.found}")


class CheckFailed(ForedrawError):
    """A named check does not hold. ``index`` is the record's position in the log, if it is about a record."""

    def __init__(
        self,
        check: Check,
        *,
        expected: object,
        found: object,
        index: int | None = None,
        where: str | None = None,
    ) -> None:
        self.check, self.index, self.where = check, index, where
        self.expected, self.found = quote(expected), quote(found)
        place = [f"record {index}"] if index is not None else []
        place += [where] if where else []
        super().__init__(
            f"{', '.join(place)}{': ' if place else ''}{check.value}: expected {self.expected}, found {self.found}"
        )

    @property
    def fault(self) -> Fault:
        """Whose fault it can be."""
        return FAULT[self.check]

    def at(self, *, index: int | None = None, where: str | None = None) -> CheckFailed:
        """Return this failure with the place that only the caller knows."""
        return type(self)(
            self.check,
            expected=self.expected,
            found=self.found,
            index=self.index if index is None else index,
            where=self.where if where is None else where,
        )


class NotThisLogs(CheckFailed):
    """A checkpoint has no line of the log's name and key id, so it is none of this log's: a wrong key, a portal's
    page (SPEC 8.3).

    Whoever serves the log's files has to refuse it like any other; for a verdict, nothing could be read.
    """

    @property
    def unreadable(self) -> Unreadable:
        """What a verdict says."""
        why = f"this is not signed by the key that you gave: expected {self.expected}, found {self.found}"
        return Unreadable(self.where or "checkpoint", why)


class NotShown(CheckFailed):
    """What was asked for is not shown by what was read: finding aids, which nobody signs, do not lead to it, or a
    receipt ends before.

    Whoever serves the log's files has to refuse it like any other; for a verdict, it is evidence neither for nor
    against anybody (SPEC 8.3).
    """

    ways_on: tuple[str, ...] = ()
    """What to do now, in the sentences of a verifier, which adds them."""


class Unknown(ForedrawError):
    """Something that is newer than this program, as far as it can see: evidence against nobody (SPEC 4.9)."""

    def __init__(self, what: Iterable[str]) -> None:
        self.what = tuple(what)
        super().__init__(f"unknown to this program: {', '.join(self.what)}")


class Unreadable(ForedrawError):
    """A file of the log could not be read: it is missing, or its server did not answer."""

    def __init__(self, path: str, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class Missing(Unreadable):
    """The log has no such file, and whoever serves it says so."""
