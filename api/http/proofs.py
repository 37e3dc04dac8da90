"""The proof file of a round, made from the published log alone, as anybody could (SPEC 5.6)."""

from __future__ import annotations

import re

from api.log.publication import Publication
from api.problems import Code, Problem
from api.rounds.reading import table_row
from api.sharing.bounded import BoundedCache
from api.sql.database import Database
from fairness.draws.commitments import CommitmentTrees
from fairness.records.record import BatchRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.finder import find_table, find_table_ids
from fairness.round.proof import RoundProof
from fairness.round.prover import commitment_trees, prove_round

# A tree has 8 KiB for each custodian: all together 2 MiB with one custodian, and 16 MiB with eight.
_TREES_REMEMBERED = 256
_DIGITS = re.compile("[0-9a-f]{8,64}")


class RoundProofs:
    """Makes the proof files of one log."""

    def __init__(self, database: Database, publication: Publication) -> None:
        self._database, self._publication = database, publication
        self._trees: BoundedCache[bytes, CommitmentTrees] = BoundedCache(_TREES_REMEMBERED)
        """The trees over the commitments of batches whose rounds' proofs were asked for, by the batches' ids."""

    def proof(self, table: str, number: int) -> RoundProof:
        """Return the proof of a round, or the receipt of one that has not ended. Raises `Problem`."""
        return self.proof_of_id(bytes.fromhex(table_row(self._database, table).table_id), number, table)

    def table_ids(self, digits: str) -> list[bytes]:
        """Return the ids of the published log's tables that begin with these ``digits``, one at least. Raises
        `Problem`.
        """
        if not _DIGITS.fullmatch(digits):
            expected = "the first 8 to 64 hexadecimal digits of a table's id, in lower case"
            raise Problem(Code.UNKNOWN_TABLE, f"expected {expected}, found {digits[:80]!r}")
        log = self._publication.newest()
        found = [] if log is None else find_table_ids(log, digits)
        if not found:
            raise Problem(Code.UNKNOWN_TABLE, f"the published log has no table whose id begins with {digits}")
        return found

    def proof_of_id(self, table_id: bytes, number: int, name: str | None = None) -> RoundProof:
        """Return the same by the table's id; its ``name`` is for the words of the `Problem`."""
        log = self._publication.newest()
        found = None if log is None else find_table(log, table_id)
        proof = None if log is None or found is None else prove_round(log, found, number, self._trees_of)
        if proof is None:
            table = name or (found.record.table if found else table_id.hex())
            raise Problem(Code.UNKNOWN_ROUND, f"{table} round {number} is not committed in the published log yet")
        return proof

    def _trees_of(self, log: AuthenticLog, batch: Placed[BatchRecord]) -> CommitmentTrees:
        trees = self._trees.get(batch.record_id)
        if trees is None:
            trees = commitment_trees(log, batch)
            self._trees.put(batch.record_id, trees)
        return trees
