"""Logs with a lie about a record, without the tables that are not concerned."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.hashing import leaf_hash
from fairness.log.merkle_proofs import inclusion_path
from fairness.log.proof import Inclusion
from fairness.records.record import table_and_type
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import ProvenCommitment, ProvenRecord
from tests.lies import Lie
from tests.lies.catalogue import told
from tests.support.dishonest_operator import Operator, Table

_LOOKS_ON = "sic-bo-1"


@dataclass(frozen=True)
class Short:
    """A log with a lie, without the tables that are not concerned."""

    log: Operator
    index: int
    """The index of the lie."""
    books: Table | None
    """The operator's state of the table that the lie is about, if it made one."""
    where: dict[int, int]
    """From positions in the operator's log to positions in this one."""

    def proof(self) -> bytes:
        """The proof file of the table's last round, whatever its records contain."""
        if self.books is None:
            raise ValueError("a lie about no table")
        table, number = self.books, self.books.round
        _, batch = table.batch_of(number)
        checkpoint = self.log.files()["checkpoint"]
        leaves, place = [leaf_hash(data) for data in self.log.records], number - batch.first

        def proven(position: int) -> ProvenRecord:
            index = self.where[position]
            return ProvenRecord(self.log.records[index], Inclusion(index, tuple(inclusion_path(leaves, index))))

        def promised(digests: list[bytes]) -> ProvenCommitment:
            path = inclusion_path([leaf_hash(digest) for digest in digests], place)
            return ProvenCommitment(digests[place], Inclusion(place, tuple(path)))

        witness = max(1, number - table.lead)
        proof = RoundProof(
            table.name,
            number,
            table=proven(table.index),
            batch=proven(batch.index),
            salt=proven(batch.salted) if batch.salted else None,
            lead_lock=proven(table.locks[witness]) if witness != number else None,
            lock=proven(table.locks[number]),
            reveal=proven(table.reveals[number]) if number in table.reveals else None,
            commitments=tuple(map(promised, batch.digests)),
            checkpoint=checkpoint,
        )
        return bytes(proof)


def short(lie: Lie) -> Short:
    """Tell a lie, and keep only the records of its own table and of a bystander."""
    operator, index = told(lie)
    found = table_and_type(operator.records[index])
    name = found[0] if found else "keno-1"
    log, where = Operator(), dict[int, int]()
    for position, data in enumerate(operator.records):
        owner = table_and_type(data)
        if position == index or (owner is not None and owner[0] in {name, _LOOKS_ON}):
            where[position] = log.append(data)
    return Short(log, where[index], operator.tables.get(name), where)
