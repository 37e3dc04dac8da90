"""What a custodian said of a batch: its note, and the policy by which it releases the batch's seeds (SPEC 5.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.hashing import sha256
from fairness.limits import LARGEST_CUSTODY_NOTE, LARGEST_POLICY
from fairness.log.folders import hashed_path
from fairness.log.notes import VerifierKey, open_note
from fairness.log.tiles import ReadFile
from fairness.policy.policy import Custodian, Policies
from fairness.policy.published_policy import read_published

_FIRST_LINE = re.compile(r"foredraw/v([1-9][0-9]*)/custody\n")
_POLICY_LINE = re.compile(rb"^policy ([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chain:
    """What a batch's record has of one custodian."""

    table_id: bytes
    batch: int
    first: int
    count: int
    anchor: str
    """In hexadecimal, as the root."""
    commitments: str

    def note_text(self, policy_hash: bytes) -> str:
        """Return the text of the note that this custodian signs, with the hash of its policy."""
        lines = (
            "foredraw/v1/custody",
            f"table {self.table_id.hex()}",
            f"batch {self.batch} {self.first} {self.count}",
            f"anchor {self.anchor}",
            f"commitments {self.commitments}",
            f"policy {policy_hash.hex()}",
        )
        return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Released:
    """By what a custodian releases the seeds of a batch."""

    custodian: Custodian
    policies: Policies | None
    """`None` if its note or its policy is of a later version, so that nothing is known of it."""


def custody_path(batch_id: bytes, custodian: str) -> str:
    """Return the path of a custodian's note below the log's prefix."""
    return f"{hashed_path('custody', batch_id.hex())}/{custodian}"


def policy_path(policy_hash: bytes) -> str:
    """Return the path of a custodian's policy below the log's prefix."""
    return f"policies/{policy_hash.hex()}"


def policy_hash_in(note: bytes) -> bytes | None:
    """Return the hash of the policy that a note names, whoever signed it."""
    found = _POLICY_LINE.search(note)
    return None if found is None else bytes.fromhex(found[1].decode())


def read_custody(read: ReadFile, batch_id: bytes, custodian: str, index: int) -> tuple[bytes, bytes | None]:
    """Return a custodian's note for the batch whose record stands at ``index``, and its policy if the note names one.

    Raises `CheckFailed` (`CUSTODY_NOTE`) if one of them is missing, and `Unreadable`.
    """
    try:
        note = read(custody_path(batch_id, custodian))
        policy_hash = policy_hash_in(note)
        return note, None if policy_hash is None else read(policy_path(policy_hash))
    except Missing as error:
        raise _failed(custodian, f"the file {error.path}", error.why, index) from error


def check_custody(
    note: bytes, policy: bytes | None, chain: Chain, custodian: Custodian, log: VerifierKey, index: int
) -> Released:
    """Check what a ``custodian`` said of its ``chain``, in the batch whose record stands at ``index`` of the ``log``.

    Raises `CheckFailed` (`CUSTODY_NOTE`).
    """
    try:
        return Released(custodian, _check(note, policy, chain, custodian.key, log))
    except (CheckFailed, Malformed) as error:
        raise _failed(custodian.name, error.expected, error.found, index) from error


def _check(note: bytes, policy: bytes | None, chain: Chain, key: VerifierKey, log: VerifierKey) -> Policies | None:
    if len(note) > LARGEST_CUSTODY_NOTE:
        raise Malformed("note", expected=f"at most {LARGEST_CUSTODY_NOTE} bytes", found=len(note))
    text = open_note(note, key)
    version = _FIRST_LINE.match(text)
    named = policy_hash_in(text.encode())
    if policy is not None and named is not None:
        check_policy_hash(policy, named)
    if version is not None and version[1] != "1":
        return None
    if policy is None or named is None or text != chain.note_text(named):
        expected = chain.note_text(named or b"").replace("\n", ", ")
        raise Malformed("note", expected=expected, found=text.replace("\n", ", "))
    return read_published(policy, log)


def check_policy_hash(policy: bytes, named: bytes) -> None:
    """Check that the file of a policy is the one that is named after it. Raises `Malformed`."""
    if len(policy) > LARGEST_POLICY:
        raise Malformed("policy", expected=f"at most {LARGEST_POLICY} bytes", found=len(policy))
    if sha256(policy) != named:
        raise Malformed("policy", expected=f"one with the SHA-256 {named.hex()}", found=sha256(policy).hex())


def _failed(custodian: str, expected: object, found: object, index: int) -> CheckFailed:
    where = f"the note of {custodian}"
    return CheckFailed(Check.CUSTODY_NOTE, expected=expected, found=found, index=index, where=where)
