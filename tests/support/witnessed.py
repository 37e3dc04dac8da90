"""Logs that witnesses saw: the files of SPEC 5.8 for an operator's batches, and false ones in their place."""

from __future__ import annotations

from collections.abc import Sequence

from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import root_of_hashes
from fairness.log.merkle_proofs import inclusion_path
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.policy.witnessed import witnessed_path
from tests.support.beacons import KNOWN, OURS
from tests.support.dishonest_operator import KEY, Batch, Operator
from tests.support.witnesses import LAB, PRESS, Cosigner, cosigned, policy_text

EARLY = 20
"""Seconds before its pulse at which witnesses see a batch."""
TWO = (LAB, PRESS)
POLICY = policy_text(KEY.verifier_key) + f"beacon {OURS}\n".encode()
"""Two of three witnesses, and the beacon whose pulses tests can make."""
SALTED_BY = OURS.chain_hash.hex()


def checkpoint_of(records: Sequence[bytes], size: int | None = None) -> Checkpoint:
    """The checkpoint of a log's first records, by default of all."""
    leaves = [leaf_hash(data) for data in records[:size]]
    return Checkpoint(KEY.name, len(leaves), root_of_hashes(leaves))


def witnessed_file(
    records: Sequence[bytes],
    index: int,
    time: int,
    *,
    size: int | None = None,
    witnesses: Sequence[Cosigner] = TWO,
    extra: bytes = b"",
    key: SigningKey = KEY,
) -> bytes:
    """The file of the batch at ``index``, seen at ``time`` in the checkpoint of ``size`` records: by default the
    first that has it.
    """
    size = index + 1 if size is None else size
    path = inclusion_path([leaf_hash(data) for data in records[:size]], index)
    note = cosigned(checkpoint_of(records, size).sign(key), *witnesses, time=time)
    return bytes(TlogProof(Inclusion(index, tuple(path)), note, extra))


def pulse_time(operator: Operator, batch: Batch) -> int:
    """When the pulse that a batch of the operator names can exist: seconds since 1970."""
    table = next(each for each in operator.tables.values() if batch in each.batches)
    assert batch.beacon is not None
    return KNOWN[table.salt].time_of(batch.beacon)


def witnessed_files(operator: Operator) -> dict[str, bytes]:
    """The files of all its batches that name a pulse, each in time."""
    return {
        witnessed_path(batch.batch_id): witnessed_file(
            operator.records, batch.index, pulse_time(operator, batch) - EARLY
        )
        for table in operator.tables.values()
        for batch in table.batches
        if batch.beacon is not None
    }


def witnessed_log(operator: Operator) -> dict[str, bytes]:
    """All files of a log that two witnesses saw, each batch of it in time."""
    files = operator.files()
    return files | witnessed_files(operator) | {"checkpoint": cosigned(files["checkpoint"], *TWO)}


def salted_operator() -> Operator:
    """Two batches of 4 rounds that a beacon of our own salts, of which 3 rounds are played, and a bystander without a
    salt.
    """
    operator = Operator()
    operator.table("salty-1", "keno-express", salted_by=SALTED_BY)
    operator.table("sic-bo-1", "sic-bo")
    operator.batch("sic-bo-1", 10)
    for _ in range(2):
        operator.batch("salty-1", 4)
        operator.salt("salty-1")
    return operator.play("salty-1", 3)
