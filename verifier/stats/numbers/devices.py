"""The devices of a game, each with its exact law: by place, at the first two places, of the likeliest sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairness.draws.game import Outcome, Rules
from games.bets.laws import devices
from games.declared.declaration import Declaration
from games.facts.facts import Whole
from verifier.stats.numbers.columns import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Device(devices.Device):
    """A device with its chances."""

    whole: Whole | None = None
    """What players know of it, if it gives whole outcomes."""

    @property
    def weights(self) -> Floats:
        """By label: how many there are, or its weight."""
        return np.array(self.counts, dtype=np.float64)

    @property
    def chances(self) -> Floats:
        """By label, at the first place."""
        return np.asarray(self.weights / self.weights.sum())

    def at_places(self) -> Floats:
        """Return an array of shape (size, labels): the exact chance of each label at each place."""
        if self.way == "ranked":
            return _finishes(self.weights)[: self.size]
        return np.tile(self.chances, (self.size, 1))

    @property
    def likeliest(self) -> float:
        """A bound on the chance of any one sequence of its things: the likeliest has no larger one."""
        if self.way == "returned":
            return float(self.chances.max() ** self.size)
        # Of a race the order by weights; of a pile the thing that is there most often, as if none of it were taken.
        most = np.sort(self.weights)[::-1] if self.way == "ranked" else np.full(self.size, self.weights.max())
        gone = np.concatenate([[0.0], np.cumsum(most)]) if self.way == "ranked" else np.arange(self.size + 1)
        left = self.weights.sum() - gone[: self.size]
        return float(np.minimum(1.0, most[: self.size] / left).prod())

    def at_first_two(self) -> Floats:
        """Return an array of shape (labels, labels): the exact chance of each pair at the first two places."""
        first, total = self.weights, self.weights.sum()
        if self.way == "returned":
            return np.outer(self.chances, self.chances)
        if self.way == "taken":
            left = np.tile(first, (len(first), 1)) - np.eye(len(first))
            return np.asarray(first[:, None] / total * left / (total - 1))
        pairs = first[:, None] / total * first / (total - first)[:, None]
        np.fill_diagonal(pairs, 0.0)
        return np.asarray(pairs)


def _finishes(weights: Floats) -> Floats:
    """Return the chance of each runner at each place, added up over the sets of those who can have come before."""
    number = len(weights)
    sets = np.arange(1 << number)
    has = (sets[:, None] >> np.arange(number)) & 1
    left, size = weights.sum() - has @ weights, has.sum(axis=1)
    chance, found = np.zeros(1 << number), np.zeros((number, number))
    chance[0] = 1.0
    for at in range(number):
        own = sets[size == at]
        for runner in range(number):
            some = own[has[own, runner] == 0]
            next_is = chance[some] * weights[runner] / left[some]
            found[at, runner] = next_is.sum()
            np.add.at(chance, some | (1 << runner), next_is)
    return found


def devices_of(declaration: Declaration, rules: Rules, whole: Whole | None = None) -> tuple[Device, ...]:
    """Return the devices of a game, under rules that were checked, in the order of its draws.

    Of an outcome that players know as a ``whole`` there is one device, whatever draws it.
    """
    if whole is not None:
        return (device_of(whole, devices.whole_outcome(whole.one, whole.labels, declaration, rules).read),)
    return tuple(
        Device(each.name, each.way, each.labels, each.counts, each.size, each.read, each.further)
        for each in devices.devices_of(declaration, rules)
    )


def device_of(whole: Whole, read: devices.Read) -> Device:
    """Return the one device of outcomes that are all equally likely."""
    return Device(whole.one, "returned", whole.labels, (1,) * len(whole.labels), 1, read, whole=whole)


def codes_of(device: Device, outcomes: Sequence[Outcome]) -> Ints:
    """Return an array of shape (outcomes, size): the indices of their things in the device's labels."""
    return np.array([device.read(outcome) for outcome in outcomes], dtype=np.int64).reshape(-1, device.size)


def further_of(device: Device, outcomes: Sequence[Outcome]) -> Ints:
    """Return an array of shape (outcomes, `devices.MOST_FURTHER`): what follows in some rounds; -1 for nothing."""
    found = np.full((len(outcomes), devices.MOST_FURTHER), -1, dtype=np.int64)
    if device.further is not None:
        for at, outcome in enumerate(outcomes):
            things = device.further(outcome)
            found[at, : len(things)] = things
    return found
