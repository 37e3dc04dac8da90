"""Quorums: which witnesses suffice, and what some of them could do together (SPEC 5.7).

A member is a witness or a group, and each name is a member of one group at most. So a quorum is a tree whose leaves
are witnesses, and the smallest numbers below are found from the leaves up.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from fairness.policy.cosignatures import WitnessKey


@dataclass(frozen=True, slots=True)
class Witness:
    """An outside party that cosigns checkpoints."""

    name: str
    """What the policy calls it."""
    key: WitnessKey
    url: str | None = None

    def __str__(self) -> str:
        return self.name

    def is_met_by(self, cosigned: Collection[Witness]) -> bool:
        """Return whether it is one of them."""
        return self in cosigned

    @property
    def least(self) -> int:
        """The smallest number of witnesses that suffice."""
        return 1

    @property
    def least_shared(self) -> int:
        """The smallest number of witnesses that two sets have in common, each of which suffices."""
        return 1

    @property
    def least_missing(self) -> int:
        """The smallest number of witnesses without whom the others do not suffice."""
        return 1


@dataclass(frozen=True, slots=True)
class Group:
    """At least ``threshold`` of its members, which are all different."""

    name: str
    threshold: int
    members: tuple[Member, ...]

    def __str__(self) -> str:
        inside = ", ".join(str(each) if isinstance(each, Witness) else f"({each})" for each in self.members)
        return f"{self.threshold} of {len(self.members)}: {inside}"

    def is_met_by(self, cosigned: Collection[Witness]) -> bool:
        """Return whether these witnesses suffice."""
        return sum(member.is_met_by(cosigned) for member in self.members) >= self.threshold

    @property
    def least(self) -> int:
        """As for a witness."""
        return sum(sorted(member.least for member in self.members)[: self.threshold])

    @property
    def least_shared(self) -> int:
        """As for a witness: two choices of k of n members have 2k - n members in common, at least."""
        common = max(0, 2 * self.threshold - len(self.members))
        return sum(sorted(member.least_shared for member in self.members)[:common])

    @property
    def least_missing(self) -> int:
        """As for a witness: n - k + 1 members must be missing."""
        missing = len(self.members) - self.threshold + 1
        return sum(sorted(member.least_missing for member in self.members)[:missing])


Member: TypeAlias = Witness | Group
