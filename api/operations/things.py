"""What the monitor counts: how many of each thing a round draws.

Each device of a game gives some things in every round: balls, cards, dice, a multiplier, the winner of a race. How
many of them are a 7 has a law that a few binomials give, whatever else the game is (SPEC 3.7), while the laws of its
bets may take half a minute. Such a count is a bet that pays 1 for each 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

from fairness.draws.game import Outcome, Rules
from games.bets.bet import Payments
from games.bets.laws.devices import CASH_OUTS_IN_WORDS, MOST_LABELS, Device, devices_of, whole_outcome
from games.declared.declaration import Declaration
from games.declared.throws import Flight
from games.facts.facts import Whole


@dataclass(frozen=True, slots=True)
class Counted:
    """One device, and what is counted of it."""

    device: Device
    labels: Mapping[str, tuple[int, ...]]
    """The places of labels that are counted together, by a name of their own: ``balls: 7``, ``colours: red``."""

    def laws(self) -> Iterator[tuple[str, Payments]]:
        """Yield each count: how many a round draws, each number with its chance."""
        device, law = self.device, cache(_taken if self.device.way == "taken" else _returned)
        total = sum(map(Fraction, device.counts))
        for name, places in self.labels.items():
            yield name, law(sum(Fraction(device.counts[at]) for at in places), total, device.telling)

    def found(self, outcome: Outcome) -> Counter[int]:
        """Return how many of each count, by its place among them, are in an outcome."""
        drawn = Counter(self.device.read(outcome)[: self.device.telling])
        counts = enumerate(sum(drawn[at] for at in places) for places in self.labels.values())
        return Counter({place: many for place, many in counts if many})


def counted(declaration: Declaration, rules: Rules, whole: Whole | None) -> tuple[Counted, ...]:
    """Return the devices of a game under these rules, or the one of its outcomes that players know as a ``whole``."""
    if whole is not None:
        device = whole_outcome(whole.every, whole.labels, declaration, rules)
        return (Counted(device, {**_in_turn(device), **_grouped(whole)}),)
    flights = [step.places[0] for step in declaration.steps if isinstance(step, Flight)]
    return tuple(
        Counted(device, _reached(device) if device.name in flights else _in_turn(device))
        for device in devices_of(declaration, rules)
    )


def _in_turn(device: Device) -> dict[str, tuple[int, ...]]:
    """Return each label, or neighbours together: at most `MOST_LABELS` counts, so that no table costs more than
    that.
    """
    width = -(-len(device.labels) // MOST_LABELS)
    found = {}
    for first in range(0, len(device.labels), width):
        places = tuple(range(first, min(first + width, len(device.labels))))
        text = " to ".join(dict.fromkeys((device.labels[first], device.labels[places[-1]])))
        found[f"{device.name}: {text}"] = places
    return found


def _reached(device: Device) -> dict[str, tuple[int, ...]]:
    """Count what a flight reaches: what reaches a cash-out reached all before."""
    return {
        f"{device.name}: {cash_out} or more": tuple(range(at, len(device.labels)))
        for at, cash_out in enumerate(CASH_OUTS_IN_WORDS[: len(device.labels) - 1], 1)
    }


def _grouped(whole: Whole) -> dict[str, tuple[int, ...]]:
    return {f"{name}: {label}": own for name, places in whole.groups.items() for label, own in places.items()}


def _returned(own: Fraction, total: Fraction, drawn: int) -> Payments:
    """Return the binomial law."""
    chance = own / total
    return tuple(
        (Fraction(many), comb(drawn, many) * chance**many * (1 - chance) ** (drawn - many))
        for many in range(drawn + 1)
    )


def _taken(own: Fraction, total: Fraction, drawn: int) -> Payments:
    """Return the hypergeometric law."""
    mine, things = int(own), int(total)
    return tuple(
        (Fraction(many), Fraction(comb(mine, many) * comb(things - mine, drawn - many), comb(things, drawn)))
        for many in range(min(mine, drawn) + 1)
    )
