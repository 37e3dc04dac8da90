"""What replay remembers of one table: small, and plain enough to be stored as JSON.

The service keeps one of these per table in its database; the verifier keeps them in its state file.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field


class PendingBatch(Struct):
    """A batch with rounds that have not ended."""

    number: int
    batch_id: bytes
    first: int
    count: int
    anchors: list[bytes]
    roots: list[bytes]
    rules: dict[str, Any]
    context: bytes
    """Empty as long as the batch awaits its salt."""
    fixed: str
    """The time of the record that fixed its outcomes: its own, or that of its salt."""
    locks_before: int
    """How many rounds had been locked, and not given up, when that record was appended."""
    awaits: int | None = None
    """The beacon's round whose pulse this batch awaits; `None` if it is salted, or its table has no salt."""

    @property
    def last(self) -> int:
        """The batch's last round."""
        return self.first + self.count - 1


class LockedRound(Struct, frozen=True):
    """A round between its lock and its reveal."""

    number: int
    given_up: bool
    opened: bool
    since: str
    """The time of its lock."""


class RoundCounts(Struct):
    """How a table's rounds ended. Void rounds are counted in three classes, by what preceded them."""

    played: int = 0
    void_never_opened: int = 0
    void_opened: int = 0
    void_locked: int = 0
    unused: int = 0
    without_digest: int = 0
    """Locks that say nothing about bets."""
    without_bets: int = 0
    """Locks whose digest is that of no bets. No lock of a round given up is in either."""

    @property
    def void(self) -> int:
        """All void rounds."""
        return self.void_never_opened + self.void_opened + self.void_locked


class TableState(Struct):
    """One table, as the records so far have made it."""

    name: str
    table_id: bytes
    game: str
    lead: int
    custodians: list[str]
    created: str
    latest: str
    """The latest time in record order; no later record of this table may be earlier."""
    last_batch_id: bytes
    last_batch: int = 0
    committed_through: int = 0
    batches: list[PendingBatch] = field(default_factory=list)
    next_round: int = 1
    locked: LockedRound | None = None
    previous_seeds: list[bytes] = field(default_factory=list)
    """The seeds of the round before the next reveal; empty at a batch's first round."""
    peaks: list[list[bytes]] = field(default_factory=list)
    """Per custodian the growing tree over the commitments of the first pending batch, as far as their seeds are
    revealed.
    """
    ended: bool = False
    ended_at: str = ""
    """When it ended; empty before."""
    closed: bool = False
    engine_locks: int = 0
    smallest_distance: int | None = None
    counts: RoundCounts = field(default_factory=RoundCounts)
    salt: str = "none"
    """`none`, or the name of the beacon whose pulses salt the batches."""
    unverified: bool = False
    """Whether a batch or a salt was accepted while its beacon was unknown."""
    declaration_text: str = ""
    """What its record declares; empty if its game is known by name."""
    unknown: list[str] = field(default_factory=list)
    """What is newer than this program, so that the outcomes that depend on it were not checked (SPEC 4.9)."""
    newer: str = ""
    """If the table is of a later version than this program's: which, in words. Nothing of it is judged but its
    records' form.
    """
    bets_required: bool = False
    """Whether every lock but that of a round that is given up must carry a digest of the bets."""
    paytable: str = ""
    """The SHA-256, in HEX, of what its bets pay, as its record has it; empty if it has no bets."""

    @property
    def has_unknown(self) -> bool:
        """Whether something could not be checked, because the program did not know it."""
        return self.unverified or bool(self.unknown) or bool(self.newer)
