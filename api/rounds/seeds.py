"""Requests to the custodian, with their proofs."""

from __future__ import annotations

from api.custody.chain import ChainId
from api.custody.custodian import NAME, SeedsUnavailableError
from api.custody.seed_store import Mark
from api.log.publication import Publication
from api.service import Service
from fairness.log.proof import Inclusion, Proven, TlogProof
from fairness.records.table_state import PendingBatch, TableState


def chain_of(table: TableState, batch: PendingBatch) -> ChainId:
    """The custodian's chain of a batch."""
    anchor = batch.anchors[table.custodians.index(NAME)]
    return ChainId(table.name, table.table_id, batch.first, batch.count, anchor)


def release(service: Service, chain: ChainId, number: int, freed_by: Proven) -> bytes:
    """The seed of a round, which a published record frees. Raises `SeedsUnavailableError`."""
    custodian = service.custodian
    while True:
        mark = custodian.mark_to_prove(chain.table_id)
        proofs = (freed_by, None) if mark is None else _in_one_log(service.publication, freed_by, mark)
        try:
            return custodian.release(chain, number, *proofs)
        except SeedsUnavailableError:
            # Another process may have moved the mark since it was asked for.
            if custodian.mark_to_prove(chain.table_id) == mark:
                raise


def _in_one_log(publication: Publication, freed_by: Proven, mark: Mark) -> tuple[Proven, Inclusion | None]:
    """The proof of a record, and the one of a mark's record, from the same checkpoint."""
    log = publication.newest()
    if log is None or mark.position >= log.size:
        return freed_by, None
    index = freed_by.proof.inclusion.index
    again = Proven(freed_by.data, TlogProof(log.inclusion(index), log.head.note))
    return again, log.inclusion(mark.position)


def check_not_released(service: Service, table: TableState, number: int) -> None:
    """Raise `SeedsUnavailableError` if the seed of a round has been released: there must be no bets on it."""
    mark = service.custodian.mark(table.table_id)
    if mark is None or mark.round < number:
        return
    log = service.publication.newest()
    if log is not None and log.holds(mark.position, mark.leaf):
        raise SeedsUnavailableError(f"{mark}: the database is older than the log. Run `foredraw rebuild`")
    raise SeedsUnavailableError(f"{table.name} round {number}: {mark.missing}")
