"""The files of commitments: one per batch, written before the batch is queued, and made again if they are lost.

An audit fails without the file of a batch that has rounds to come, and the check of one round fails without
its batch's file, however old. The seeds give the same file again; the batch's record says whether it is the same.
"""

from __future__ import annotations

import logging

from api.custody.custodian import SeedsUnavailableError
from api.log.publication import Publication
from api.rounds.seeds import Seeds
from api.sharing.bounded import BoundedCache
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import DamagedStateError, decode_state
from api.store.models import BatchRow
from api.world.published.log_folder import LogFolder
from fairness.draws.commitments import commitments_path, split_commitments_file
from fairness.errors import CheckFailed, ForedrawError
from fairness.hashing import HASH_SIZE, parse_hex
from fairness.records.record import BatchRecord
from fairness.records.table_state import PendingBatch, TableState

_REMEMBERED = 4096

_logger = logging.getLogger("foredraw.commitments")


class CommitmentsFiles:
    """The files of one log, and the seeds that give a lost one again."""

    def __init__(self, log: LogFolder, seeds: Seeds) -> None:
        self._log, self._seeds = log, seeds
        self._sound: BoundedCache[bytes, None] = BoundedCache(_REMEMBERED)
        """Batches whose files this process has checked."""

    def write(self, batch_id: bytes, commitments: bytes) -> None:
        """Write the file of a new batch. It is durable when this returns."""
        self._log.write(commitments_path(batch_id), commitments)

    def check_once(self, table: TableState, batch: PendingBatch) -> None:
        """Check it, if this process has not checked the file of this batch yet."""
        if batch.batch_id not in self._sound:
            self.check(table, batch)
            self._sound.put(batch.batch_id, None)

    def check(self, table: TableState, batch: PendingBatch) -> None:
        """Check that the file of a batch is there and has the root of the batch's record; if not, it is made again.

        Raises `SeedsUnavailableError` if it cannot be.
        """
        path = commitments_path(batch.batch_id)
        try:
            _check(self._log.read(path), batch, path)
        except ForedrawError as error:
            commitments = self._seeds.commitments(table, batch)
            try:
                _check(commitments, batch, path)
            except CheckFailed as other:
                raise SeedsUnavailableError(
                    f"{table.name}: the seeds do not give the commitments: {other}"
                ) from error
            self._log.write(path, commitments)
            _logger.warning(
                "table %s: the file of batch %d was made again from its seeds: %s", table.name, batch.number, error
            )

    def check_all(self, database: Database, publication: Publication) -> None:
        """Check, at a start, the files of all batches, those of batches whose rounds have all ended by their size."""
        with database.read() as connection:
            tables = sql.ALL_TABLES.all(connection)
            batches = sql.ALL_BATCHES.all(connection)
        by_table: dict[str, list[BatchRow]] = {}
        for batch in batches:
            by_table.setdefault(batch.table, []).append(batch)
        for row in tables:
            try:
                self._check_table(decode_state(row.queued_state), by_table.get(row.name, []), publication)
            except DamagedStateError:
                # The table is halted, and a rebuild comes first.
                continue

    def _check_table(self, table: TableState, rows: list[BatchRow], publication: Publication) -> None:
        pending = {batch.batch_id: batch for batch in table.batches}
        for row in rows:
            batch_id = bytes.fromhex(row.batch_id)
            batch = pending.get(batch_id)
            size = (row.last - row.first + 1) * row.custodians * HASH_SIZE
            if batch is None and self._log.size(commitments_path(batch_id)) == size:
                continue
            try:
                self.check(table, batch or _batch_of_the_log(publication, table, row))
            except (SeedsUnavailableError, ForedrawError) as error:
                _logger.error(  # noqa: TRY400 -- a sentence for the operator, who needs no traceback
                    "table %s: %s is missing or damaged, and cannot be made again: %s. Put the file back from a copy of the log",
                    *(table.name, commitments_path(batch_id), error),
                )


def _batch_of_the_log(publication: Publication, table: TableState, row: BatchRow) -> PendingBatch:
    """Return a batch whose rounds have ended, from its record."""
    log = publication.newest()
    hints = None if log is None else log.round_positions(table.table_id, row.first)
    if log is None or hints is None or hints.batch is None:
        raise SeedsUnavailableError(f"the finding aids do not lead to the record of batch {row.number}")
    placed = log.record(hints.batch, BatchRecord, f"batch {row.number}")
    if placed.record_id.hex() != row.batch_id:
        raise SeedsUnavailableError(f"the finding aids lead to another record than that of batch {row.number}")
    record = placed.record
    return PendingBatch(
        number=record.batch,
        batch_id=placed.record_id,
        first=record.first,
        count=record.count,
        anchors=[parse_hex(anchor) for anchor in record.anchors],
        roots=[parse_hex(root) for root in record.commitments],
        rules=record.rules,
        # These rounds are over: nobody reads the fields below.
        context=b"",
        fixed=record.committed,
        locks_before=0,
    )


def _check(commitments: bytes, batch: PendingBatch, path: str) -> None:
    split_commitments_file(commitments, count=batch.count, roots=batch.roots, where=path)
