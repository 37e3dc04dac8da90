"""Whether two people see a split view: two checkpoints of one log, from two places (SPEC 8.5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fairness.errors import CheckFailed, Unreadable
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.tiles import WIDTH, AuthenticTiles, hashes_of_level, levels_of
from fairness.policy.head import Head
from fairness.policy.policy import Trust
from verifier.forks.extension import NotAnExtension, check_extends
from verifier.sources.source import Source


@dataclass(frozen=True, slots=True)
class Shown:
    """The checkpoint that one place shows."""

    source: Source
    head: Head

    @classmethod
    def at(cls, source: Source, trust: Trust) -> Shown:
        """Read it, and check the log's signature. Raises `CheckFailed` or `Unreadable`."""
        try:
            return cls(source, Head.read(source.read(CHECKPOINT), trust))
        except CheckFailed as error:
            raise error.at(where=f"checkpoint of {source.address}") from error

    def check_quorum(self) -> None:
        """Do `Head.check_quorum` after the comparison, because the log's signature alone shows a fork."""
        try:
            self.head.check_quorum()
        except CheckFailed as error:
            raise error.at(where=f"checkpoint of {self.source.address}") from error

    @property
    def size(self) -> int:
        """The number of records."""
        return self.head.checkpoint.size


def compare(first: Shown, second: Shown) -> None:
    """Raise `NotAnExtension` unless the smaller log is a prefix of the larger one; or `Unreadable`.

    If the files of both can be read, the failure names the first record that differs.
    """
    smaller, larger = (first, second) if first.size <= second.size else (second, first)
    try:
        check_extends(smaller.head.signed, larger.head.signed, partial(AuthenticTiles, read=larger.source.read))
    except NotAnExtension as error:
        raise error.at(index=_first_difference(smaller, larger), where=larger.source.address) from error


def _first_difference(*places: Shown) -> int | None:
    try:
        return first_difference(*(AuthenticTiles(place.head.checkpoint, place.source.read) for place in places))
    except (CheckFailed, Unreadable):
        return None


def first_difference(one: AuthenticTiles, other: AuthenticTiles) -> int | None:
    """Return the index of the first record that differs between two logs, or `None`. Raises `CheckFailed` or
    `Unreadable`.
    """
    size, at = min(one.checkpoint.size, other.checkpoint.size), 0
    for level in reversed(range(levels_of(size))):
        at *= WIDTH
        while at < hashes_of_level(size, level) and _entry(one, level, at) == _entry(other, level, at):
            at += 1
    return at if at < size else None


def _entry(tiles: AuthenticTiles, level: int, at: int) -> bytes:
    return tiles.tile(level, at // WIDTH)[at % WIDTH]
