"""The batches of tables: when the next one is due, and how it is committed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from api.beacon.waits import Pulses, Waits
from api.custody.source import EntropyFailsError
from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed
from api.paytables.chosen import PaytableRefusedError, check_rules_for_bets
from api.rounds.change import TableChange, TableWriter
from api.rounds.commitments_files import CommitmentsFiles
from api.rounds.seeds import Seeds
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_rules
from api.store.models import BatchRow, SaltRow
from api.world.statuses import write_status
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_BATCH, MOST_PENDING_BATCHES
from fairness.records.record import BatchRecord, encode_record
from fairness.records.table_state import TableState
from games import GAMES

_logger = logging.getLogger("foredraw.batches")


@dataclass(frozen=True, slots=True)
class Batches:
    """Commits batches: custodians make their seeds, their commitments become files, their records are queued."""

    writer: TableWriter
    seeds: Seeds
    files: CommitmentsFiles
    size: int
    """The setting: how many rounds a batch has."""
    waits: Waits
    trouble: Path
    """Where the status goes that the source of seeds fails."""

    def is_due(self, state: TableState) -> bool:
        """Return whether a table needs its next batch now."""
        return needs_batch(state, self.size)

    def commit(self, state: TableState, rules: Mapping[str, int], pulses: Pulses | None = None) -> None:
        """Make and commit a table's next batch; if the table has a salt, it names one of the ``pulses``.

        The order is what makes it safe: the seeds are durable at the custodians, then the commitments are
        durable on disk, then the record is queued. A crash in between leaves chains and a file that
        nothing points at.
        """
        self._check_returns(state, rules)
        first, count = state.committed_through + 1, size_of_batch(state, self.size)
        if pulses is not None:
            # Refused now rather than in the transaction, so that no chain is stored in vain.
            self.waits.pulse(pulses, self.writer.timekeeper.stamp(), first=not state.last_batch)
        try:
            chains = self.seeds.commit(state, first=first, count=count)
        except EntropyFailsError as error:
            self._alarm(str(error))
            raise

        def queue(change: TableChange) -> None:
            now = change.state
            if now.ended or now.committed_through + 1 != first:
                return
            if decode_rules(GAMES.of(now), change.row.rules) != rules:
                # They were set meanwhile: the next turn commits a batch under the present ones.
                return
            committed = change.now()
            beacon = None if pulses is None else self.waits.pulse(pulses, committed, first=not now.last_batch)
            record = BatchRecord(
                anchors=[chain.anchor.hex() for chain in chains],
                batch=now.last_batch + 1,
                beacon=UNSET if beacon is None else beacon,
                commitments=[chain.root.hex() for chain in chains],
                committed=committed,
                count=count,
                first=first,
                previous=now.last_batch_id.hex(),
                rules=dict(rules),
                table=now.name,
            )
            self._queue(change, record, b"".join(chain.commitments for chain in chains))

        self.writer.change(state.name, 0, queue)

    def _check_returns(self, state: TableState, rules: Mapping[str, int]) -> None:
        """Check other rules than those of the last batch were looked at when somebody set them; here nobody can come
        by that.

        Raises `DamagedStateError`.
        """
        if not state.batches or state.batches[-1].rules == rules:
            return
        try:
            check_rules_for_bets(self.writer.database, state, rules)
        except PaytableRefusedError as error:
            raise DamagedStateError(f"no batch is made under its rules in the database: {error}") from error

    def _queue(self, change: TableChange, record: BatchRecord, commitments: bytes) -> None:
        batch_id = leaf_hash(encode_record(record))
        self.files.write(batch_id, commitments)
        change.queue(record)
        sql.INSERT_BATCH.run(change.connection, BatchRow.of(record, batch_id))
        if record.beacon is not UNSET:
            sql.INSERT_SALT.run(change.connection, SaltRow(record.table, record.batch, record.beacon))

    def _alarm(self, why: str) -> None:
        """Leave a status for all who watch, until the next start; and a note in the journal, once."""
        timekeeper = self.writer.timekeeper
        if not self.trouble.exists():
            note(self.writer.database, timekeeper.shown(), Deed(SERVICE, Act.ENTROPY, "entropy", reason=why))
            _logger.critical("%s", why)
            write_status(self.trouble, timekeeper, why)


def needs_batch(state: TableState, batch_size: int) -> bool:
    """Return whether a table's next batch is due: long before the lead needs it, a whole batch ahead."""
    ahead = state.committed_through - state.next_round
    return (
        not state.ended
        and ahead < state.lead + size_of_batch(state, batch_size)
        and len(state.batches) < MOST_PENDING_BATCHES
    )


def size_of_batch(state: TableState, batch_size: int) -> int:
    """Return the setting; but never fewer rounds than the lead, so that a few batches always cover it."""
    return min(LARGEST_BATCH, max(batch_size, state.lead))
