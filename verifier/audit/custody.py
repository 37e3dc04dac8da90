"""What custodians said of a log's batches: that each vouched for its own chains (SPEC 5.9, 8.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from fairness.errors import CheckFailed, ForedrawError, Unreadable
from fairness.hashing import sha256
from fairness.log.tiles import ReadFile
from fairness.policy.custody import Chain, Released, check_custody, custody_path, read_custody
from fairness.policy.policy import Policy
from verifier.custodians import custody_sentences, unknown_custody
from verifier.sources.read_ahead import reading_ahead
from verifier.sources.source import Source

_MOST_UNREADABLE = 3
"""After so many files that cannot be read the others are left for later, because each may have taken a minute."""
_POLICIES_KEPT = 64


class HeldBatch(Struct, frozen=True):
    """A batch of a table that names a custodian whose key the policy has."""

    table_id: bytes
    custodians: list[str]
    batch: int
    first: int
    count: int
    index: int
    """The index of its record."""
    batch_id: bytes
    anchors: list[str]
    commitments: list[str]

    def chain(self, at: int) -> Chain:
        """Return what its record has of one custodian."""
        return Chain(self.table_id, self.batch, self.first, self.count, self.anchors[at], self.commitments[at])


class Custody(Struct):
    """What is remembered of custodians from one audit to the next."""

    by: str = ""
    """The custodians' keys and the witnesses by which notes were checked, as `custodians_of` spells them."""
    notes: int = 0
    """How many notes held."""
    said: list[str] = field(default_factory=list)
    """What they show, in sentences, each once."""
    unknown: list[str] = field(default_factory=list)
    """What is newer than this program, in sentences."""
    unchecked: list[HeldBatch] = field(default_factory=list)
    """Batches whose records were replayed, but whose notes did not hold yet; empty after an audit that held."""


def custodians_of(policy: Policy) -> str:
    """Return what of a policy decides what is said of custodians: their keys, and the names and keys of its
    witnesses.
    """
    named = [f"custodian {each.name} {each.key}" for each in policy.custodians]
    named += [f"witness {each.name} {each.key}" for each in policy.witnesses]
    return sha256("\n".join(named).encode("utf-8", "surrogateescape")).hex()


def check_notes(source: Source, policy: Policy, before: Custody) -> tuple[Custody, ForedrawError | None]:
    """Check the notes of each batch that is unchecked; one that fails does not hide the others.

    The batches whose notes held are noted; what is wrong with another one is returned, a failure first.
    """
    left, failed, unreadable = list[HeldBatch](), list[ForedrawError](), 0
    after = replace(before, said=[*before.said], unknown=[*before.unknown])
    with reading_ahead(source, _paths(before.unchecked, policy)) as read:
        kept = lru_cache(maxsize=_POLICIES_KEPT)(read)
        for batch in before.unchecked:
            if unreadable == _MOST_UNREADABLE:
                left.append(batch)
                continue
            try:
                released = _check_batch(kept, batch, policy)
            except ForedrawError as error:
                unreadable += isinstance(error, Unreadable)
                failed.append(error)
                left.append(batch)
            else:
                _note(after, batch, released, policy)
    failure = min(failed, key=lambda error: not isinstance(error, CheckFailed), default=None)
    return replace(after, unchecked=left), failure


def _paths(batches: Sequence[HeldBatch], policy: Policy) -> Iterator[str]:
    asked = {each.name for each in policy.custodians}
    return (custody_path(batch.batch_id, name) for batch in batches for name in batch.custodians if name in asked)


def _check_batch(read: ReadFile, batch: HeldBatch, policy: Policy) -> list[Released]:
    keys, found = {each.name: each for each in policy.custodians}, list[Released]()
    for at, name in enumerate(batch.custodians):
        if name in keys:
            note, released_by = read_custody(read, batch.batch_id, name, batch.index)
            found.append(check_custody(note, released_by, batch.chain(at), keys[name], policy.log, batch.index))
    return found


def _note(custody: Custody, batch: HeldBatch, released: Sequence[Released], policy: Policy) -> None:
    custody.notes += len(released)
    sentences = custody_sentences(released, batch.custodians, policy, one_round=False)
    custody.said += [each for each in sentences if each not in custody.said]
    custody.unknown += [each for each in unknown_custody(released) if each not in custody.unknown]
