"""Proof files of rounds, made from the log of an operator."""

from __future__ import annotations

from collections.abc import Mapping

from fairness.errors import Missing
from fairness.log.notes import VerifierKey
from fairness.round.authentic_log import AuthenticLog
from fairness.round.finder import find_table
from fairness.round.proof import RoundProof
from fairness.round.prover import prove_round
from tests.support.dishonest_operator import KEY, Operator


def proof_of(operator: Operator, name: str, number: int) -> RoundProof:
    """The proof of a round from the current log."""
    return proof_from(operator.files(), operator.tables[name].table_id, number)


def proof_from(
    files: Mapping[str, bytes], table_id: bytes, number: int, key: VerifierKey = KEY.verifier_key
) -> RoundProof:
    """The proof of a round from a log's files."""

    def read(path: str) -> bytes:
        if path not in files:
            raise Missing(path, "no such file")
        return files[path]

    log = AuthenticLog.open(read, key)
    table = find_table(log, table_id)
    assert table is not None
    proof = prove_round(log, table, number)
    assert proof is not None
    return proof


def seen_sections(proof: bytes) -> bytes:
    """The sections of a proof file that say when witnesses saw its batch, with the empty line below each."""
    begin = proof.index(b"\n\nwitnessed\n") + 2
    after = [proof.find(name, begin) for name in (b"\n\nlead-lock\n", b"\n\ncommitment\n")]
    return proof[begin : min(at for at in after if at >= 0) + 2]
