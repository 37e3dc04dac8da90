"""Whether the two checkpoints in a proof file are of one log: the one in which witnesses saw the batch, and the head
(SPEC 8.6).
"""

from __future__ import annotations

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.log.fork import Fork, in_order
from fairness.log.merkle_proofs import roots_of_consistency
from fairness.policy.head import Head
from fairness.policy.witnessed import claimed_size, open_seen
from fairness.round.proof import RoundProof
from verifier.forks.extension import NotAnExtension

_WHERE = "the section consistency"


def check_witnessed_begins(proof: RoundProof, head: Head) -> None:
    """Check that the checkpoint in ``witnessed`` is the log's own, and its tree begins that of ``head``, whomever the
    reader trusts.

    Raises `CheckFailed`: `PROOF_FORM`, `BATCH_WITNESSED`, `LOG_EXTENDS`; `NotAnExtension`, with evidence, if it is
    shown that both were signed.
    """
    seen = 0 if proof.witnessed is None else claimed_size(proof.witnessed)
    _check_presence(proof, is_needed=1 <= seen < head.checkpoint.size)
    if proof.witnessed is None:
        return
    smaller, larger = open_seen(proof.witnessed, head), head.signed
    size, root = smaller.checkpoint.size, smaller.checkpoint.root
    if proof.consistency is None:
        if root != larger.checkpoint.root:
            one, other = in_order(smaller, larger)
            raise _forked(size, root, larger.checkpoint.root, Fork(one.note, other.note))
        return
    beginning = _beginning(size, root, head, proof.consistency)
    if beginning != root:
        raise _forked(size, root, beginning, Fork(smaller.note, larger.note, (beginning, *proof.consistency)))


def _check_presence(proof: RoundProof, *, is_needed: bool) -> None:
    """Refuse a file without the section: the party that makes it is the one that forks."""
    if is_needed != (proof.consistency is not None):
        expected = "a section consistency, for witnessed is smaller than the checkpoint"
        absent = "no section consistency: witnessed is not smaller than the checkpoint, or there is none"
        raise CheckFailed(
            Check.PROOF_FORM,
            expected=expected if is_needed else absent,
            found="none" if is_needed else "one",
        )


def _beginning(size: int, root: bytes, head: Head, hashes: tuple[bytes, ...]) -> bytes:
    """Return the root over the first records of the head's tree, as the hashes show it. Raises `CheckFailed` if they
    show nothing.
    """
    expected = f"hashes that lead to the root {head.checkpoint.root.hex()}"
    try:
        beginning, found = roots_of_consistency(size, root, head.checkpoint.size, list(hashes))
    except Malformed as error:
        raise CheckFailed(
            Check.LOG_EXTENDS, expected=error.expected, found=f"{error.found} hashes", where=_WHERE
        ) from error
    if found != head.checkpoint.root:
        raise CheckFailed(Check.LOG_EXTENDS, expected=expected, found=found.hex(), where=_WHERE)
    return beginning


def _forked(size: int, signed: bytes, found: bytes, fork: Fork) -> NotAnExtension:
    return NotAnExtension(
        expected=f"a log that begins with {size} records of root {signed.hex()}",
        found=f"root {found.hex()}",
        fork=fork,
        where="its witnessed file",
    )
