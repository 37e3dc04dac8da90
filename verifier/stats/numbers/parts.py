"""The played rounds of a declared game's table, apart by their rules: each part has one law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from games.declared.declaration import Declaration
from verifier.stats.numbers.columns import Ints, TableColumns
from verifier.stats.numbers.devices import Device, codes_of, devices_of
from verifier.stats.numbers.laws import Sample, law_of_place

MOST_PLACES = 8
"""So many places of a device with return have tests of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What one device gave in some rounds."""

    tables: tuple[str, ...]
    game: str
    device: Device
    codes: Ints
    """Shape (rounds, size): indices in the device's labels."""

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


Part = tuple[Drawn, ...]
"""What each device of a game gave under one set of rules."""


def parts_of(table: TableColumns) -> dict[tuple[tuple[str, int], ...], Part]:
    """By rules."""
    declaration, outcomes = Declaration.parse(table.declaration.encode()), table.outcomes
    rules = {tuple(sorted(batch.rules.items())): None for batch in table.batches}
    played, number = table.outcome[:, 0][table.played], table.rules_of_rounds[table.played]
    found = {}
    for at, own in enumerate(rules):
        # An outcome is read by the rules under which it was drawn; the same bytes can come under others.
        used, back = np.unique(played[number == at], return_inverse=True)
        if len(back):
            texts = [outcomes[place] for place in used.tolist()]
            found[own] = tuple(
                Drawn((table.name,), table.game, device, codes_of(device, texts)[back])
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
        )
        for devices in zip(*parts, strict=True)
    )
