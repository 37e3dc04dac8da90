"""A seed chain as it is kept in memory: every 32nd seed, from which the others follow.

A batch can have 65,536 rounds. All of its seeds would take 6 MiB as Python objects, and a service has many
batches; every 32nd takes at most 64 KiB, and any other seed costs at most 31 hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairness.draws.seed_chain import SEED_SIZE, unroll

STEP = 32


@dataclass(frozen=True, slots=True)
class KeptChain:
    """The seeds of one batch."""

    table_id: bytes
    first: int
    count: int
    _kept: bytes = field(repr=False)
    """The last seed of each run of 32 rounds, in the order of play, one after the other. The last run may be
    shorter.
    """

    @classmethod
    def of(cls, seeds: Sequence[bytes], *, table_id: bytes, first: int) -> KeptChain:
        """Keep the seeds of a batch, which are given in the order of play."""
        kept = b"".join(seeds[min(at + STEP, len(seeds)) - 1] for at in range(0, len(seeds), STEP))
        return cls(table_id, first, len(seeds), kept)

    def seed(self, round_number: int) -> bytes:
        """Return the seed of one round of this batch."""
        if not 0 <= (place := round_number - self.first) < self.count:
            raise ValueError(f"round {round_number} is not one of the {self.count} from {self.first}")
        run = place // STEP
        last = min(run * STEP + STEP, self.count) - 1
        kept = self._kept[run * SEED_SIZE : (run + 1) * SEED_SIZE]
        # From `last` down: the seed that this many links lead to.
        *_, seed = unroll(kept, table_id=self.table_id, last=self.first + last, count=last - place)
        return seed
