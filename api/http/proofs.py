"""The proof file of a round, made from the published log alone, as anybody could (SPEC 5.6)."""

from __future__ import annotations

from api.problems import Code, Problem
from api.rounds.reading import table_row
from api.service import Service
from fairness.draws.commitments import CommitmentTrees
from fairness.records.record import BatchRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_table
from fairness.round.prover import commitment_trees, prove_round


def round_proof(service: Service, table: str, number: int) -> bytes:
    """The proof of a round, or the receipt of one that has not ended. Raises `Problem`."""
    table_id = bytes.fromhex(table_row(service.database, table).table_id)
    log = service.publication.newest()
    found = None if log is None else find_table(log, table_id)

    def trees_of(log: AuthenticLog, batch: Placed[BatchRecord]) -> CommitmentTrees:
        trees = service.commitment_trees.get(batch.record_id)
        if trees is None:
            trees = commitment_trees(log, batch)
            service.commitment_trees.put(batch.record_id, trees)
        return trees

    proof = None if log is None or found is None else prove_round(log, found, number, trees_of)
    if proof is None:
        raise Problem(Code.UNKNOWN_ROUND, f"{table} round {number} is not committed in the published log yet")
    return bytes(proof)
