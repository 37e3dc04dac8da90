"""The batches of tables: when the next one is due, and how it is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from api.custody.custodian import Custodian
from api.rounds.change import TableChange, TableWriter
from api.rounds.commitments_files import CommitmentsFiles
from api.store import statements as sql
from api.store.rows import BatchRow
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_BATCH, MOST_PENDING_BATCHES
from fairness.records.record import BatchRecord, encode_record
from fairness.records.table_state import TableState


@dataclass(frozen=True, slots=True)
class Batches:
    """Commits batches: their seeds are the custodian's, their commitments are files, their records are queued."""

    writer: TableWriter
    custodian: Custodian
    files: CommitmentsFiles
    size: int
    """The setting: how many rounds a batch has."""

    def is_due(self, state: TableState) -> bool:
        """Whether a table needs its next batch now."""
        return needs_batch(state, self.size)

    def commit(self, state: TableState, rules: Mapping[str, int]) -> None:
        """Make and commit a table's next batch.

        The order is what makes it safe: the seed is durable at the custodian, then the commitments are
        durable on disk, then the record is queued. A crash in between leaves a chain and a file that
        nothing points at.
        """
        first, count = state.committed_through + 1, size_of_batch(state, self.size)
        chain = self.custodian.commit(state.name, state.table_id, first=first, count=count)

        def queue(change: TableChange) -> None:
            now = change.state
            if now.ended or now.committed_through + 1 != first:
                return
            record = BatchRecord(
                anchors=[chain.anchor.hex()],
                batch=now.last_batch + 1,
                commitments=[chain.root.hex()],
                committed=change.now(),
                count=count,
                first=first,
                previous=now.last_batch_id.hex(),
                rules=dict(rules),
                table=now.name,
            )
            batch_id = leaf_hash(encode_record(record))
            self.files.write(batch_id, chain.commitments)
            change.queue(record)
            row = BatchRow(
                table=now.name,
                number=record.batch,
                batch_id=batch_id.hex(),
                first=first,
                last=first + count - 1,
                custodians=1,
            )
            sql.INSERT_BATCH.run(change.connection, row)

        self.writer.change(state.name, 0, queue)


def needs_batch(state: TableState, batch_size: int) -> bool:
    """Whether a table's next batch is due: long before the lead needs it, a whole batch ahead."""
    ahead = state.committed_through - state.next_round
    return (
        not state.ended
        and ahead < state.lead + size_of_batch(state, batch_size)
        and len(state.batches) < MOST_PENDING_BATCHES
    )


def size_of_batch(state: TableState, batch_size: int) -> int:
    """The setting; but never fewer rounds than the lead, so that a few batches always cover it."""
    return min(LARGEST_BATCH, max(batch_size, state.lead))
