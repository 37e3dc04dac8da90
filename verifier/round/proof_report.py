"""What the check of a proof file found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET

from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from fairness.policy.witnessed import Witnessed
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, TableRecord
from fairness.records.rules import UNSALTED
from fairness.round.authentic_log import Placed
from fairness.round.rules import lead_round
from verifier.round.report import Passed, Salt

if TYPE_CHECKING:
    from games.bets.settlement import Settled
    from games.order import Thing


@dataclass(frozen=True, slots=True)
class ProofReport:
    """Everything that was checked about a proof file held."""

    head: Head
    round: int
    table: Placed[TableRecord]
    batch: Placed[BatchRecord]
    salt: Salt | None
    """`None` if the table has no salt, or if the file has none: then the outcome is not fixed yet."""
    witnessed: Witnessed | None
    """What witnesses saw of the batch; `None` if the table has no salt, or if nothing is demanded of witnesses."""
    lead_lock: Placed[LockRecord] | None
    """The first lock after the record that fixed the round, among those in the file."""
    lock: Placed[LockRecord] | None
    reveal: Placed[RevealRecord] | None
    commitments: tuple[str, ...]
    """In hexadecimal, one per custodian."""
    passed: tuple[Passed, ...]
    """The numbered steps of SPEC 8.6 that had something to check, in words."""
    not_checked: tuple[str, ...]
    unknown: tuple[str, ...]
    """What this verifier does not know, so that what depends on it was not checked (SPEC 4.8)."""
    is_outcome_known: bool
    """Whether this verifier knows what the batch's rules make of the seeds."""
    order: tuple[Thing, ...]
    """What players' decisions moved along, if they decided after the lock, and the round has ended."""
    of_code: tuple[Passed, ...] = ()
    """What was checked about the code that came with the file, in words; empty if none did."""
    bets: tuple[Settled, ...] = ()
    """The results of the bets that were asked about."""
    is_own: bool | None = None
    """Whether what they pay is the operator's own paytable, and not the catalogue's; `None` without such results."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log that was read."""
        return self.head.checkpoint

    @property
    def stage(self) -> Literal["committed", "locked", "ended"]:
        """How far the round had progressed by this file: later records may have been left out."""
        return "ended" if self.reveal else "locked" if self.lock else "committed"

    @property
    def newest_time(self) -> str:
        """The time of its last record."""
        if self.reveal is not None:
            return self.reveal.record.revealed
        if self.lock is not None:
            return self.lock.record.locked
        return self.batch.record.committed if self.salt is None else self.salt.salted_at

    @property
    def fixed_by(self) -> int | None:
        """The index of the record that fixed the round; `None` as long as its batch awaits its salt."""
        if self.salt is not None:
            return self.salt.record
        return self.batch.index if self.table.record.salt == UNSALTED else None

    @property
    def lead_round(self) -> int:
        """The round of `lead_lock`."""
        return lead_round(self.table.record, self.round)

    @property
    def ahead(self) -> int | None:
        """How many rounds ahead it was fixed, at least; `None` if there is no lock to show it."""
        return None if self.lead_lock is None else self.round - self.lead_round

    @property
    def reason(self) -> str | None:
        """Why the round is void, or given up."""
        for placed in (self.lock, self.reveal):
            if placed is not None and placed.record.reason is not UNSET:
                return placed.record.reason
        return None
