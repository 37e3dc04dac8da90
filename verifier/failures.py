"""A failure as a value that passes between processes and into JSON without losing a part."""

from __future__ import annotations

from typing import Self

from msgspec import Struct

from fairness.checks import Check
from fairness.errors import CheckFailed, Unreadable


class Failure(Struct, frozen=True, tag="check"):
    """A `CheckFailed` as a value."""

    check: Check
    expected: str
    found: str
    index: int | None = None
    where: str | None = None

    @classmethod
    def of(cls, error: CheckFailed) -> Self:
        """Return the value of ``error``."""
        return cls(error.check, error.expected, error.found, error.index, error.where)

    def error(self) -> CheckFailed:
        """Return the error again."""
        return CheckFailed(self.check, expected=self.expected, found=self.found, index=self.index, where=self.where)


class Obstacle(Struct, frozen=True, tag="unreadable"):
    """A file that could not be read: an `Unreadable` as a value."""

    path: str
    why: str

    def error(self) -> Unreadable:
        """Return the error again."""
        return Unreadable(self.path, self.why)
