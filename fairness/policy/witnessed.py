"""Whether a batch was fixed before its beacon's pulse existed, by the clocks of outsiders (SPEC 5.8)."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.limits import WITNESSED_BEFORE
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.folders import hashed_path
from fairness.log.notes import Note
from fairness.log.proof import TlogProof
from fairness.log.tiles import ReadFile
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.quorum import Witness
from fairness.times import seconds_in_words


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The first checkpoint with a batch that had the quorum."""

    head: Head
    time: int
    """The time of the quorum, in seconds since 1970: when the last witness that it needed had seen the checkpoint."""

    @property
    def cosigned(self) -> dict[Witness, int]:
        """The witnesses that had seen it by then, in the policy's order, each with the first time at which it
        cosigned.
        """
        seen: dict[Witness, int] = {}
        for each in self.head.cosigned:
            if each.time <= self.time:
                seen[each.witness] = min(each.time, seen.get(each.witness, each.time))
        return seen


_WHERE = "its witnessed file"


def witnessed_path(batch_id: bytes) -> str:
    """Return the path of a batch's file below the log's prefix; ``batch_id`` is the leaf hash of its record."""
    return hashed_path("witnessed", batch_id.hex())


def read_witnessed(read: ReadFile, batch_id: bytes, index: int) -> bytes:
    """Return the file of the batch whose record stands at ``index``. Raises `CheckFailed` (`BATCH_WITNESSED`), or
    `Unreadable`.
    """
    path = witnessed_path(batch_id)
    try:
        return read(path)
    except Missing as error:
        raise CheckFailed(Check.BATCH_WITNESSED, expected=path, found=error.why, index=index) from error


def claimed_size(data: bytes) -> int:
    """Return the number of records of the checkpoint in a file, whoever signed it; 0 if it holds no checkpoint of a
    log with records.
    """
    try:
        return Checkpoint.parse(Note.parse(TlogProof.parse(data).checkpoint).text).size
    except Malformed:
        return 0


def open_seen(data: bytes, head: Head) -> SignedCheckpoint:
    """Return the checkpoint in a file, which the log signed and which is not larger than its ``head``, whomever the
    reader trusts.

    Raises `CheckFailed` (`BATCH_WITNESSED`).
    """
    try:
        seen = SignedCheckpoint.open(TlogProof.parse(data).checkpoint, head.policy.log)
    except (CheckFailed, Malformed) as error:
        raise CheckFailed(Check.BATCH_WITNESSED, expected=error.expected, found=error.found, where=_WHERE) from error
    if not 1 <= seen.checkpoint.size <= head.checkpoint.size:
        raise CheckFailed(
            Check.BATCH_WITNESSED,
            expected=f"a checkpoint of 1 to {head.checkpoint.size} records, as the log has",
            found=f"one of {seen.checkpoint.size}",
            where=_WHERE,
        )
    return seen


def check_witnessed(data: bytes, *, batch_id: bytes, index: int, pulse: int | None, policy: Policy) -> Witnessed:
    """Check the file of the batch whose record stands at ``index`` of the log and has the leaf hash ``batch_id``.

    ``pulse`` is the time of the pulse that the batch names, in seconds since 1970; `None` if its beacon is unknown,
    so that any time of a witness will do. Raises `CheckFailed` (`BATCH_WITNESSED`); `ValueError` for a policy without
    a quorum.
    """
    if policy.quorum is None:
        raise ValueError("a policy without a quorum demands no witnessed batch")
    try:
        head = _head(data, batch_id, index, policy)
    except (CheckFailed, Malformed) as error:
        raise CheckFailed(
            Check.BATCH_WITNESSED, expected=error.expected, found=error.found, index=index, where=_WHERE
        ) from error
    time = head.quorum_time
    expected = f"cosignatures of {policy.quorum}"
    if time is None:
        raise _failed(expected, head.cosigners_in_words, index)
    if pulse is not None and time > pulse - WITNESSED_BEFORE:
        early = f"{expected}, by {seconds_in_words(pulse - WITNESSED_BEFORE)}, {WITNESSED_BEFORE} seconds before the pulse"
        raise _failed(early, f"them by {seconds_in_words(time)} only", index)
    return Witnessed(head, time)


def _head(data: bytes, batch_id: bytes, index: int, policy: Policy) -> Head:
    """Return the checkpoint of a file, in whose log the batch stands. Raises `CheckFailed` of any check, or
    `Malformed`.
    """
    proof = TlogProof.parse(data)
    if proof.inclusion.index != index:
        raise _failed(f"index {index}", f"index {proof.inclusion.index}", index)
    head = Head.read(proof.checkpoint, policy)
    proof.inclusion.check(batch_id, head.checkpoint)
    head.check_cosignatures()
    return head


def _failed(expected: str, found: str, index: int) -> CheckFailed:
    return CheckFailed(Check.BATCH_WITNESSED, expected=expected, found=found, index=index, where=_WHERE)
