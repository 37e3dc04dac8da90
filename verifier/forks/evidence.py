"""Evidence of a fork: how anybody with the file and the key checks it, and where it is kept (SPEC 8.5)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork, in_order
from fairness.policy.head import Head
from fairness.policy.policy import Trust
from verifier.durable_file import write_durably

_NAME_SIZE = 8


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """One key signed both checkpoints, and they contradict each other."""

    smaller: Head
    larger: Head
    root_in_larger: bytes
    """The root of the larger tree's first records, as many as the smaller one has."""

    @property
    def cosigned_both(self) -> list[str]:
        """The witnesses of the policy that cosigned two trees of which neither extends the other."""
        return [each.name for each in self.smaller.last_seen if each in self.larger.last_seen]


def check_evidence(data: bytes, trust: Trust, *, name: str) -> EvidenceReport:
    """Check a file of evidence with nothing but ``trust``. ``name`` is its name in errors.

    Nothing is demanded of the witnesses: the log's signature alone proves what it signed. Raises `CheckFailed`, and
    `Unreadable` for a file that has two signed checkpoints but no proof.
    """
    # Two checkpoints prove that a log was forked if (SPEC 8.5):
    #  1. the file has its one form, the smaller checkpoint first;
    #  2. the smaller one is a checkpoint of the log, signed by its key; 3. so is the larger one;
    #  4. the hashes lead to the larger one's root, and so prove the root of the tree's beginning;
    #  5. that is not the root that the smaller one has.

    # Step 1: the form.
    try:
        fork = Fork.parse(data)
    except Malformed as error:
        raise CheckFailed(Check.FORK_FORM, expected=error.expected, found=error.found, where=name) from error

    # Steps 2 and 3: the checkpoints.
    smaller, larger = (
        _open(fork.smaller, trust, "the first checkpoint"),
        _open(fork.larger, trust, "the second checkpoint"),
    )
    if in_order(smaller.signed, larger.signed) != (smaller.signed, larger.signed):
        sizes = f"{smaller.checkpoint.size}, {larger.checkpoint.size}"
        expected = "the smaller checkpoint first, or for equal sizes the smaller root"
        raise CheckFailed(Check.FORK_FORM, expected=expected, found=f"sizes {sizes}", where=name)
    if not fork.hashes and smaller.checkpoint.size != larger.checkpoint.size:
        raise Unreadable(name, _only_checkpoints(smaller.checkpoint, larger.checkpoint))

    # Step 4: the hashes.
    root = fork.root_in_larger(smaller.checkpoint, larger.checkpoint)

    # Step 5: the contradiction.
    if root == smaller.checkpoint.root:
        expected = f"another root than {root.hex()} over the first {smaller.checkpoint.size} records"
        raise CheckFailed(Check.FORK_ROOTS, expected=expected, found="this one, in both", where=name)
    return EvidenceReport(smaller, larger, root)


def _open(note: bytes, trust: Trust, where: str) -> Head:
    try:
        return Head.read(note, trust)
    except CheckFailed as error:
        raise error.at(where=where) from error


def _only_checkpoints(smaller: Checkpoint, larger: Checkpoint) -> str:
    return (
        f"it holds two signed checkpoints, of {smaller.size} and {larger.size} records, and no hashes that would show"
        " whether they contradict each other; ask the operator for a consistency proof between them: if the log"
        " was forked, there is none"
    )


def keep_evidence(state: Path, fork: Fork) -> Path:
    """Write evidence next to a state file, under a name derived from its bytes. Raises `OSError`."""
    data = bytes(fork)
    file = state.with_name(f"{state.name}.evidence-{sha256(data).hex()[:_NAME_SIZE]}.txt")
    write_durably(file, data)
    return file
