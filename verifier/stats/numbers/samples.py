"""What each device of a table gave: the rounds of a table, apart by their rules, so that each part has one law; and a
sample for each place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairness.draws.game import Rules
from games.bets.laws.devices import MOST_FURTHER
from verifier.stats.numbers import flights
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.devices import Device, codes_of, devices_of, further_of
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.flights import Flown, between, centred, random_words
from verifier.stats.numbers.laws import Law, law_of_place

MOST_PLACES = 8
"""So many places of a device with return have tests of their own."""
MOST_TAKEN = 3
"""So many of a pile, and so many finishing places of a race."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What came at one place in some rounds, in the order of play, table after table."""

    tables: tuple[str, ...]
    law: Law
    classes: Ints
    scores: Floats
    """The numbers from which correlations are computed, with mean 0 and variance 1."""

    def __len__(self) -> int:
        return len(self.classes)

    def asked(self, test: str, subject: str, question: str) -> Finding:
        """Return a test of this sample that was not run yet."""
        return Finding(test, self.tables, subject, question, len(self))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What one device gave in some rounds."""

    tables: tuple[str, ...]
    device: Device
    codes: Ints
    """Shape (rounds, size): indices in the device's labels."""
    further: Ints
    """Shape (rounds, `MOST_FURTHER`): what follows in some rounds; -1 for nothing."""
    flown: Flown | None = None
    """The multipliers, of a device that is a flight."""

    def __len__(self) -> int:
        return len(self.codes)

    def asked(self, test: str, question: str, subject: str = "") -> Finding:
        """Return a test of this device that was not run yet; its ``subject`` is the device's name, if not said."""
        return Finding(test, self.tables, subject or self.device.name, question, len(self))

    def place(self, at: int) -> Sample:
        """Return the sequence at one place."""
        law, classes = law_of_place(self.device, at), self.codes[:, at]
        scores = law.scores[classes] if self.flown is None else centred(self.flown.uniform)
        return Sample(self.tables, law, classes, scores)

    def samples(self) -> Iterator[Sample]:
        """Return those of the first places, which have tests of their own."""
        most = MOST_PLACES if self.device.way == "returned" else MOST_TAKEN
        return map(self.place, range(min(most, self.device.size)))

    def first_scores(self, within: Floats) -> Floats:
        """Return a number for the first thing of each round, with mean 0 and variance 1 under any rules.

        That is the score of a whole outcome, or else the randomised probability transform (`flights`) in the order of
        the device's labels, at the places that ``within`` says, a number in [0, 1) for each round.
        """
        if self.device.whole is not None:
            return self.place(0).scores
        reached = np.concatenate([[0.0], np.cumsum(self.device.at_places()[0])])
        first = self.codes[:, 0]
        return centred(between(reached[first], reached[first + 1], within))

    @property
    def counts(self) -> Ints:
        """Shape (rounds, labels): how many of each a round has."""
        rounds, labels = len(self), len(self.device.labels)
        places = self.codes + labels * np.arange(rounds)[:, None]
        return np.bincount(places.ravel(), minlength=rounds * labels).reshape(rounds, labels)

    def has(self, first: int) -> Bools:
        """Return an array of shape (rounds, labels): whether a round has it among the ``first`` things."""
        found = np.zeros((len(self), len(self.device.labels)), dtype=bool)
        found[np.arange(len(self))[:, None], self.codes[:, :first]] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rounds under one law: what each device gave in them."""

    rules: Rules
    """Those of the rounds; empty for flights, which have one law under all rules."""
    rounds: Bools
    """Which of its table's rounds these are."""
    drawn: tuple[Drawn, ...]
    """In the order of the draws; nothing for a game without a device whose law is known."""


def parts_of(table: TableColumns, rounds: Bools, root: bytes) -> list[Part]:
    """Return these rounds of a table; flights in one part, which the log's ``root`` helps to make uniform."""
    if not table.is_flight:
        return parts_by_rules(table, rounds)
    if not rounds.any():
        return []
    flown = flights.flown(table, rounds, random_words(table, root)[rounds])
    nothing = np.full((len(flown.uniform), MOST_FURTHER), -1)
    return [Part({}, rounds, (Drawn((table.name,), flights.DEVICE, flown.tenths[:, None], nothing, flown),))]


def parts_by_rules(table: TableColumns, rounds: Bools) -> list[Part]:
    """Return these rounds of a table, apart by their rules; rules without a round are left out."""
    numbers = table.rules_of_rounds
    parts = [(rules, rounds & (numbers == number)) for number, rules in enumerate(table.all_rules)]
    return [Part(rules, own, tuple(_drawn(table, rules, own))) for rules, own in parts if own.any()]


def _drawn(table: TableColumns, rules: Rules, rounds: Bools) -> Iterator[Drawn]:
    # An outcome is read by the rules under which it was drawn; the same bytes can come under others.
    used, back = np.unique(table.outcome[rounds], return_inverse=True)
    outcomes = table.outcomes
    texts = [outcomes[place] for place in used.tolist()]
    for device in devices_of(table.declared, rules, table.facts.whole):
        yield Drawn((table.name,), device, codes_of(device, texts)[back], further_of(device, texts)[back])


def together(parts: Sequence[Part]) -> Part:
    """Return several tables' rounds under the same law, one after the other; they are just as independent."""
    return Part(
        parts[0].rules,
        np.concatenate([part.rounds for part in parts]),
        tuple(map(_joined, zip(*(part.drawn for part in parts), strict=True))),
    )


def _joined(drawn: Sequence[Drawn]) -> Drawn:
    flown = [each.flown for each in drawn if each.flown is not None]
    return Drawn(
        tuple(name for each in drawn for name in each.tables),
        drawn[0].device,
        np.concatenate([each.codes for each in drawn]),
        np.concatenate([each.further for each in drawn]),
        flights.joined(flown) if flown else None,
    )


def first_scores(table: TableColumns, root: bytes) -> Floats:
    """Return a number for the first thing of each played round, with mean 0 and variance 1; 0 where there is none."""
    found, within = np.zeros(len(table)), random_words(table, root)
    for part in parts_of(table, table.played, root):
        if part.drawn:
            found[part.rounds] = part.drawn[0].first_scores(within[part.rounds])
    return found
