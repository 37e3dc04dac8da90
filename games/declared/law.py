"""The exact law of a declared game, where it can be listed: every way through its draws (SPEC 3.6)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fairness.draws.game import Rules
from fairness.draws.stream import Stream
from games.declared.declaration import Declaration
from games.declared.spelling import spelled

MOST_WAYS = 100_000
_MOST_DRAWS = 1_000_000


class TooMany(Exception):
    """A law has more ways than can be listed, or no end of them."""


class _Way(Stream):
    """A stream whose draws are chosen, and 0 after the last chosen one; it notes the limit of each."""

    __slots__ = ("chosen", "limits", "ways")

    def __init__(self, chosen: list[int]) -> None:
        self.chosen, self.limits, self.ways = chosen, list[int](), 1

    def below(self, limit: int) -> int:
        """Return what is chosen for this draw."""
        self.ways *= limit
        if self.ways > MOST_WAYS:
            raise TooMany
        self.limits.append(limit)
        if len(self.limits) > len(self.chosen):
            self.chosen.append(0)
        return self.chosen[len(self.limits) - 1]

    def multiplier(self, *, rtp: int, cap: int) -> int:  # noqa: ARG002 -- as its base has it
        """Refuse: nobody lists 2^64 words."""
        raise TooMany


def law(declaration: Declaration, rules: Rules) -> dict[bytes, Fraction]:
    """Return each outcome's chance, by its spelling, under rules that were checked. Raises `TooMany` above 100,000
    ways, or a million draws.
    """
    chances: dict[bytes, Fraction] = {}
    for outcome, ways in _ways(declaration, rules):
        chances[outcome] = chances.get(outcome, Fraction(0)) + Fraction(1, ways)
    return chances


def _ways(declaration: Declaration, rules: Rules) -> Iterator[tuple[bytes, int]]:
    """Yield each outcome, and among how many ways it is, in the order of the draws."""
    chosen: list[int] = []
    number = draws = 0
    while True:
        number, draws = number + 1, draws + len(chosen)
        if number > MOST_WAYS or draws > _MOST_DRAWS:
            raise TooMany
        way = _Way(chosen)
        yield spelled(declaration.outcome(way, rules)), way.ways
        while chosen and chosen[-1] == way.limits[len(chosen) - 1] - 1:
            chosen.pop()
        if not chosen:
            return
        chosen[-1] += 1
