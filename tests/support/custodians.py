"""Custodians of tests: their notes for an operator's batches, and the policy by which they release seeds (SPEC
5.9).
"""

from __future__ import annotations

from collections.abc import Mapping

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from fairness.policy.custody import Chain, custody_path, policy_path
from fairness.records.record import BatchRecord, parse_record
from tests.support.dishonest_operator import Operator

HOUSE_KEY = SigningKey("house.example/custodian", sha256(b"the house's custodian"))
LAB_KEY = SigningKey("lab.example/custodian", sha256(b"the lab's custodian"))
CUSTODIANS = {"house": HOUSE_KEY, "lab": LAB_KEY}


def custodian_lines(keys: Mapping[str, SigningKey] | None = None) -> bytes:
    """The lines of a verifier's policy that name the custodians."""
    named = CUSTODIANS if keys is None else keys
    return "".join(f"custodian {name} {key.verifier_key}\n" for name, key in named.items()).encode()


def custody_files(
    operator: Operator, policy: bytes, keys: Mapping[str, SigningKey] | None = None
) -> dict[str, bytes]:
    """The notes of all batches of an operator's tables, and the policy; each custodian of ``keys`` signs its own."""
    named, policy_hash = CUSTODIANS if keys is None else keys, sha256(policy)
    files = {policy_path(policy_hash): policy}
    for table in operator.tables.values():
        for batch in table.batches:
            record = parse_record(operator.records[batch.index])
            assert isinstance(record, BatchRecord)
            for at, name in enumerate(table.custodians):
                if name in named:
                    chain = Chain(
                        table.table_id,
                        record.batch,
                        record.first,
                        record.count,
                        record.anchors[at],
                        record.commitments[at],
                    )
                    files[custody_path(batch.batch_id, name)] = named[name].sign(chain.note_text(policy_hash))
    return files
