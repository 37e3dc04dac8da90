"""What the monitor counts at a declared game whose bets it does not follow: how many of each thing a round draws.

Each device of the game gives some things in every round: balls, cards, dice, the winner of a race. How many of them are a 7 has
a law that a few binomials give, whatever else the game is (SPEC 3.7), while the laws of its bets may take half a minute. Such a
count is a bet that pays 1 for each 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

from fairness.draws.game import Outcome, Rules
from games.bets.bet import Payments
from games.bets.laws.devices import MOST_LABELS, Device, devices_of
from games.declared.declaration import Declaration


@dataclass(frozen=True, slots=True)
class Part:
    """Some labels of a device, mostly one, that are counted together."""

    name: str
    """``balls: 7``."""
    law: Payments
    """How many of them a round draws, each number with its chance."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One device; its labels are cut into at most `MOST_LABELS` parts, so that no table costs more than that."""

    device: Device

    @property
    def _width(self) -> int:
        return -(-len(self.device.labels) // MOST_LABELS)

    @property
    def size(self) -> int:
        """How many parts."""
        return -(-len(self.device.labels) // self._width)

    def parts(self) -> Iterator[Part]:
        """In the order of the labels."""
        device, width = self.device, self._width
        law = cache(_taken if device.way == "taken" else _returned)
        total = sum(map(Fraction, device.counts))
        for at in range(0, len(device.labels), width):
            labels = device.labels[at : at + width]
            own = sum(map(Fraction, device.counts[at : at + width]))
            text = labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"
            yield Part(f"{device.name}: {text}", law(own, total, self.device.telling))

    def found(self, outcome: Outcome) -> Counter[int]:
        """How many of each part, by its place among the parts, are in an outcome."""
        return Counter(at // self._width for at in self.device.read(outcome)[: self.device.telling])


def counted(declaration: str, rules: Rules) -> tuple[Counted, ...]:
    """The devices of a declared game under these rules."""
    return tuple(map(Counted, devices_of(Declaration.parse(declaration.encode()), rules)))


def _returned(own: Fraction, total: Fraction, drawn: int) -> Payments:
    """Binomial."""
    chance = own / total
    return tuple(
        (Fraction(many), comb(drawn, many) * chance**many * (1 - chance) ** (drawn - many))
        for many in range(drawn + 1)
    )


def _taken(own: Fraction, total: Fraction, drawn: int) -> Payments:
    """Hypergeometric."""
    mine, things = int(own), int(total)
    return tuple(
        (Fraction(many), Fraction(comb(mine, many) * comb(things - mine, drawn - many), comb(things, drawn)))
        for many in range(min(mine, drawn) + 1)
    )
