"""Requests to a table's custodians, with their proofs. Only this module knows how many custodians there are: today
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from api.custody.chain import ChainId
from api.custody.custodian import NAME, CommittedChain, Custodian, SeedsUnavailableError
from api.custody.mark import Mark
from api.findings.states import OLDER_DATABASE
from api.log.publication import Publication
from api.problems import Code, Problem
from api.rounds.reading import status_of_tables
from api.sql.database import Database
from fairness.log.proof import Inclusion, Proven, TlogProof
from fairness.records.table_state import PendingBatch, TableState

CUSTODIANS = (NAME,)
"""The custodians of a new table."""


def chain_of(table: TableState, batch: PendingBatch) -> ChainId:
    """Return the custodian's chain of a batch."""
    anchor = batch.anchors[table.custodians.index(NAME)]
    return ChainId(table.name, table.table_id, batch.first, batch.count, anchor)


def check_key(custodian: Custodian, database: Database) -> None:
    """Raise `SeedsUnavailableError` if the custodian's key is not the one that the seeds of rounds to come are sealed
    with.
    """
    tables = (table.state for table in status_of_tables(database) if not table.damaged)
    custodian.check_key(chain_of(table, batch) for table in tables for batch in table.batches)


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of tables, requested from their custodians with proofs from the published log.

    A list has one thing for each custodian, in the order of the table's record.
    """

    custodian: Custodian
    publication: Publication

    def commit(self, table: TableState, *, first: int, count: int) -> list[CommittedChain]:
        """Make the chains of a batch. When this returns, their last seeds are durable."""
        return [self.custodian.commit(table.name, table.table_id, first=first, count=count)]

    def commitments(self, table: TableState, batch: PendingBatch) -> bytes:
        """Return the file of a batch's commitments again (SPEC 5.3). Raises `SeedsUnavailableError` without its
        seeds.
        """
        return self.custodian.commitments(chain_of(table, batch))

    def check_held(self, table: TableState, batch: PendingBatch) -> None:
        """Raise `SeedsUnavailableError` unless the seeds of a batch can be released when their time comes."""
        self.custodian.check_holds(chain_of(table, batch))

    def release(self, table: TableState, batch: PendingBatch, number: int, freed_by: Proven) -> list[bytes]:
        """Return the seeds of a round, which a published record frees. Raises `SeedsUnavailableError`."""
        return [self._release(chain_of(table, batch), number, freed_by)]

    def _release(self, chain: ChainId, number: int, freed_by: Proven) -> bytes:
        while True:
            mark = self.custodian.mark_to_prove(chain.table_id)
            proofs = (freed_by, None) if mark is None else self._in_one_log(freed_by, mark)
            try:
                return self.custodian.release(chain, number, *proofs)
            except SeedsUnavailableError:
                # Another process may have moved the mark since it was asked for.
                if self.custodian.mark_to_prove(chain.table_id) == mark:
                    raise

    def _in_one_log(self, freed_by: Proven, mark: Mark) -> tuple[Proven, Inclusion | None]:
        """Return the proof of a record, and the one of a mark's record, from the same checkpoint."""
        log = self.publication.newest()
        if log is None or mark.position >= log.size:
            return freed_by, None
        index = freed_by.proof.inclusion.index
        again = Proven(freed_by.data, TlogProof(log.inclusion(index), log.head.note))
        return again, log.inclusion(mark.position)

    def check_not_released(self, table: TableState, number: int) -> None:
        """Raise `SeedsUnavailableError` if the seed of a round has been released: there must be no bets on it."""
        mark = self.custodian.mark(table.table_id)
        if mark is None or mark.round < number:
            return
        log = self.publication.newest()
        if log is not None and log.holds(mark.position, mark.leaf):
            raise SeedsUnavailableError(f"{mark}: {OLDER_DATABASE}")
        raise SeedsUnavailableError(f"{table.name} round {number}: {mark.missing}")


@contextmanager
def refusal_as_problem() -> Iterator[None]:
    """Make a refusal of the custodian, raised inside, the refusal of the call."""
    try:
        yield
    except SeedsUnavailableError as error:
        raise Problem(Code.SEEDS_UNAVAILABLE, str(error)) from error
