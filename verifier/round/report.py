"""What the check of one round found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from msgspec import UNSET, Struct

from fairness.checks import Check
from fairness.draws.game import Outcome, Rules
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from fairness.policy.witnessed import Witnessed
from fairness.records.record import BatchRecord, SaltRecord, TableRecord
from fairness.round.authentic_log import Placed
from games.order import Thing
from verifier.caveats import cosigners
from verifier.sentences import Checked

if TYPE_CHECKING:
    from games.bets.settlement import Settled


@dataclass(frozen=True, slots=True)
class Passed:
    """One thing that was checked and held, in words, with the records that it rests on."""

    check: Check
    """What would have failed first."""
    text: str
    records: tuple[int, ...] = ()


def signed(head: Head) -> Passed:
    """Return whose signatures on a checkpoint were checked."""
    if head.policy.quorum is None:
        return Passed(Check.NOTE_SIGNATURE, Checked.CHECKPOINT_SIGNED)
    return Passed(Check.CHECKPOINT_QUORUM, Checked.CHECKPOINT_COSIGNED.fill(names=cosigners(head)))


class Salt(Struct, frozen=True):
    """The pulse that salted a round's batch, and when it was published, by the operator's clock."""

    beacon: str
    """As the table names it."""
    round: int
    """The beacon's round."""
    signature: str
    salted_at: str
    record: int
    """Where it stands."""

    @classmethod
    def of(
        cls, table: Placed[TableRecord], batch: Placed[BatchRecord], salt: Placed[SaltRecord] | None
    ) -> Self | None:
        """Return the salt of a ``batch``; `None` if it has none."""
        if salt is None or batch.record.beacon is UNSET:
            return None
        record = salt.record
        return cls(table.record.salt, batch.record.beacon, record.signature, record.salted, salt.index)


@dataclass(frozen=True, slots=True)
class RoundReport:
    """Everything that was checked about one round held."""

    head: Head
    table: str
    table_id: bytes
    game: str
    declaration: str
    """The declaration in the table's record; empty if the game is known by its name."""
    paytable: str
    """The SHA-256, in HEX, of what its bets pay; empty if the table has no bets."""
    round: int
    batch: int
    outcome: Outcome
    status: str
    reason: str | None
    committed_at: str
    salt: Salt | None
    witnessed: Witnessed | None
    """What witnesses saw of the batch; `None` if the table has no salt, or if nothing is demanded of witnesses."""
    opened_at: str | None
    locked_at: str
    revealed_at: str
    lead: int
    ahead: int
    """How many rounds ahead it was fixed: the distance to the first round that was locked after its batch was in the
    log.
    """
    passed: tuple[Passed, ...]
    not_checked: tuple[str, ...]
    unknown: tuple[str, ...]
    """What this verifier does not know, so that what depends on it was not checked (SPEC 4.8)."""
    is_outcome_known: bool
    """Whether this verifier knows what the batch's rules make of the seeds."""
    rules: Rules
    records: tuple[int, int]
    """The indices of its lock and its reveal."""
    bets: tuple[Settled, ...] = ()
    """The results of the bets that were asked about."""
    is_own: bool | None = None
    """Whether what they pay is the operator's own paytable, and not the catalogue's; `None` without such results."""
    order: tuple[Thing, ...] = ()
    """What players' decisions moved along, if they decided after the lock."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log that was read."""
        return self.head.checkpoint
