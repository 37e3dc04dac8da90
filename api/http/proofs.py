"""The proof file of a round, made from the published log alone, as anybody could (SPEC 5.6)."""

from __future__ import annotations

from api.log.publication import Publication
from api.problems import Code, Problem
from api.rounds.reading import table_row
from api.sharing.bounded import BoundedCache
from api.sql.database import Database
from fairness.draws.commitments import CommitmentTrees
from fairness.records.record import BatchRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_table
from fairness.round.prover import commitment_trees, prove_round

# A tree has 8 KiB for each custodian: all together 2 MiB with one custodian, and 16 MiB with eight.
_TREES_REMEMBERED = 256


class RoundProofs:
    """Makes the proof files of one log."""

    def __init__(self, database: Database, publication: Publication) -> None:
        self._database, self._publication = database, publication
        self._trees: BoundedCache[bytes, CommitmentTrees] = BoundedCache(_TREES_REMEMBERED)
        """The trees over the commitments of batches whose rounds' proofs were asked for, by the batches' ids."""

    def proof(self, table: str, number: int) -> bytes:
        """The proof of a round, or the receipt of one that has not ended. Raises `Problem`."""
        table_id = bytes.fromhex(table_row(self._database, table).table_id)
        log = self._publication.newest()
        found = None if log is None else find_table(log, table_id)
        proof = None if log is None or found is None else prove_round(log, found, number, self._trees_of)
        if proof is None:
            raise Problem(Code.UNKNOWN_ROUND, f"{table} round {number} is not committed in the published log yet")
        return bytes(proof)

    def _trees_of(self, log: AuthenticLog, batch: Placed[BatchRecord]) -> CommitmentTrees:
        trees = self._trees.get(batch.record_id)
        if trees is None:
            trees = commitment_trees(log, batch)
            self._trees.put(batch.record_id, trees)
        return trees
