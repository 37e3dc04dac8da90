"""What the check of one round found."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.draws.game import Outcome, Rules
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from games.bets.settlement import Settled


@dataclass(frozen=True, slots=True)
class Passed:
    """One thing that was checked and held, in words, with the records that it rests on."""

    text: str
    records: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundReport:
    """Everything that was checked about one round held."""

    head: Head
    table: str
    table_id: bytes
    game: str
    round: int
    batch: int
    outcome: Outcome
    status: str
    reason: str | None
    committed: str
    opened: str | None
    locked: str
    revealed: str
    lead: int
    ahead: int
    """How many rounds ahead it was fixed: the distance to the first round that was locked after its batch was in the log."""
    passed: tuple[Passed, ...]
    not_checked: tuple[str, ...]
    rules: Rules
    records: tuple[int, int]
    """The indices of its lock and its reveal."""
    bets: tuple[Settled, ...] = ()
    """The results of the bets that were asked about."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log that was read."""
        return self.head.checkpoint
