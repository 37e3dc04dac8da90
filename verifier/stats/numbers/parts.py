"""The rounds of a declared game's table, apart by their rules: each part has one law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from games.declared.declaration import Declaration
from verifier.stats.numbers.columns import Bools, Floats, Ints, TableColumns
from verifier.stats.numbers.devices import Device, codes_of, devices_of, further_of
from verifier.stats.numbers.laws import Sample, between, law_of_place, random_words

MOST_PLACES = 8
"""So many places of a device with return have tests of their own."""
MOST_TAKEN = 3
"""So many of a pile, and so many finishing places of a race."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What one device gave in some rounds."""

    tables: tuple[str, ...]
    game: str
    device: Device
    codes: Ints
    """Shape (rounds, size): indices in the device's labels."""
    further: Ints
    """Shape (rounds, `MOST_FURTHER`): what follows in some rounds; -1 for nothing."""

    def __len__(self) -> int:
        return len(self.codes)

    def place(self, at: int) -> Sample:
        """The sequence at one place."""
        return Sample(self.tables, self.game, law_of_place(self.device, at), self.codes[:, at], None)

    @property
    def counts(self) -> Ints:
        """Shape (rounds, labels): how many of each a round has."""
        rounds, labels = len(self), len(self.device.labels)
        places = self.codes + labels * np.arange(rounds)[:, None]
        return np.bincount(places.ravel(), minlength=rounds * labels).reshape(rounds, labels)

    def has(self, first: int) -> Bools:
        """Shape (rounds, labels): whether a round has it among the ``first`` things."""
        found = np.zeros((len(self), len(self.device.labels)), dtype=bool)
        found[np.arange(len(self))[:, None], self.codes[:, :first]] = True
        return found

    @property
    def places(self) -> range:
        """Those that have tests of their own."""
        return range(min(MOST_PLACES if self.device.way == "returned" else MOST_TAKEN, self.device.size))


Part = tuple[Drawn, ...]
"""What each device of a game gave under one set of rules."""


def parts_of(table: TableColumns, rounds: Bools | None = None) -> dict[tuple[tuple[str, int], ...], Part]:
    """By rules, of these rounds: the played ones, if not said."""
    some = table.played if rounds is None else rounds
    declaration, outcomes = Declaration.parse(table.declaration.encode()), table.outcomes
    rules = {tuple(sorted(batch.rules.items())): None for batch in table.batches}
    outcome, number = table.outcome[:, 0][some], table.rules_of_rounds[some]
    found = {}
    for at, own in enumerate(rules):
        # An outcome is read by the rules under which it was drawn; the same bytes can come under others.
        used, back = np.unique(outcome[number == at], return_inverse=True)
        if len(back):
            texts = [outcomes[place] for place in used.tolist()]
            found[own] = tuple(
                Drawn(
                    (table.name,), table.game, device, codes_of(device, texts)[back], further_of(device, texts)[back]
                )
                for device in devices_of(declaration, dict(own))
            )
    return found


def together(parts: Sequence[Part]) -> Part:
    """Several tables under the same rules, one after the other."""
    return tuple(
        Drawn(
            tuple(name for each in devices for name in each.tables),
            devices[0].game,
            devices[0].device,
            np.concatenate([each.codes for each in devices]),
            np.concatenate([each.further for each in devices]),
        )
        for devices in zip(*parts, strict=True)
    )


def uniform_of(table: TableColumns, root: bytes) -> Floats:
    """The first thing that each played round draws, as a number that is exactly uniform in [0, 1), whatever its rules are.

    That is the randomised probability transform (`laws`), in the order of the device's labels. Of void rounds, and of a game that
    has no device, it is one half.
    """
    found, within = np.full(len(table), 0.5), random_words(table, root)
    for number, part in enumerate(in_order(table)):
        if part:
            rounds = table.played & (table.rules_of_rounds == number)
            reached = np.concatenate([[0.0], np.cumsum(part[0].device.at_places()[0])])
            first = part[0].codes[:, 0]
            found[rounds] = between(reached[first], reached[first + 1], within[rounds])
    return found


def in_order(table: TableColumns, rounds: Bools | None = None) -> list[Part]:
    """The parts by the numbers of their rules; empty for rules under which there is no such round."""
    parts, rules = parts_of(table, rounds), {tuple(sorted(batch.rules.items())): None for batch in table.batches}
    return [parts.get(own, ()) for own in rules]
