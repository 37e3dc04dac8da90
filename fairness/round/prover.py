"""Makes the proof file of a round from the public log alone (SPEC 5.6): a handful of reads, and no scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.commitments import CommitmentTrees, commitments_path
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.hashing import parse_hex
from fairness.log.proof import Inclusion, TlogProof
from fairness.policy.custody import read_custody
from fairness.policy.witnessed import claimed_size, witnessed_path
from fairness.records.record import BatchRecord, TableRecord, encode_record
from fairness.records.rules import UNSALTED
from fairness.round.authentic_log import AnyRecord, AuthenticLog, Placed
from fairness.round.finder import find_batch, find_lock, find_reveal, find_salt
from fairness.round.positions import RoundHints
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import CustodySection, ProvenCommitment, ProvenRecord
from fairness.round.rules import lead_round

TreesOf = Callable[[AuthenticLog, Placed[BatchRecord]], CommitmentTrees | None]
"""Finds the trees of a batch that were kept; `None` for one whose trees were not."""


def prove_round(
    log: AuthenticLog, table: Placed[TableRecord], number: int, trees_of: TreesOf | None = None
) -> RoundProof | None:
    """Return the proof of a round, with all that the log of this checkpoint has of it.

    `None` if that log has not committed the round, as far as the hints show. Raises `NotShown` if a hint is false or
    missing, `CheckFailed` if a file is not what the log vouches for, and `Unreadable`.
    """
    hints = log.round_positions(table.record_id, number)
    if hints is None or hints.batch is None:
        return None
    batch = find_batch(log, table, number, hints.batch)
    salt = None
    if table.record.salt != UNSALTED and hints.salt is not None:
        salt = _proven(log, find_salt(log, batch, hints.salt))
    leading = lead_round(table.record, number)
    leading_hints = log.round_positions(table.record_id, leading)
    _check_whole(log, table, batch, hints, leading_hints)
    lead_lock = lock = reveal = None
    if leading != number and leading_hints is not None and leading_hints.lock is not None:
        lead_lock = _proven(log, find_lock(log, table, leading, leading_hints.lock))
    if hints.lock is not None:
        lock = _proven(log, find_lock(log, table, number, hints.lock))
    if hints.reveal is not None:
        reveal = _proven(log, find_reveal(log, table, number, hints.reveal))
    witnessed = _witnessed(log, batch)
    return RoundProof(
        table.record.table,
        number,
        table=_proven(log, table),
        batch=_proven(log, batch),
        salt=salt,
        lead_lock=lead_lock,
        lock=lock,
        reveal=reveal,
        commitments=prove_commitments(log, batch, number, trees_of(log, batch) if trees_of else None),
        checkpoint=log.head.note,
        custody=tuple(_custody(log, table, batch)),
        witnessed=witnessed,
        consistency=None if witnessed is None else _consistency(log, claimed_size(witnessed)),
    )


def _check_whole(
    log: AuthenticLog,
    table: Placed[TableRecord],
    batch: Placed[BatchRecord],
    hints: RoundHints,
    before: RoundHints | None,
) -> None:
    """Check that nothing stands in the log without what must stand before it; ``before`` is of the round whose lock
    shows the lead.
    """
    lock = hints.lock if before is None or before.lock is None else before.lock
    if table.record.salt != UNSALTED and hints.salt is None and lock is not None:
        salt = f"a salt of batch {batch.record.batch}"
        raise log.lacks(Check.LEAD_COMMITTED, expected=salt, found="none", index=lock)
    if hints.reveal is not None and hints.lock is None:
        raise log.lacks(Check.REVEAL_LOCKED, expected="the round's lock", found="none", index=hints.reveal)
    if hints.lock is not None and (before is None or before.lock is None):
        expected = "a lock of the round before whose lock this one was fixed"
        raise log.lacks(Check.LOCK_NEXT, expected=expected, found="none", index=hints.lock)


def _witnessed(log: AuthenticLog, batch: Placed[BatchRecord]) -> bytes | None:
    """Return the file that shows when witnesses saw the batch; `None` if the log has none that a proof can carry."""
    if batch.record.beacon is UNSET:
        return None
    try:
        return check_stands_in_proof(log.read(witnessed_path(batch.record_id)))
    except (Missing, Malformed):
        # Only a policy demands it, and by its own check.
        return None


def _custody(log: AuthenticLog, table: Placed[TableRecord], batch: Placed[BatchRecord]) -> Iterator[CustodySection]:
    """Yield what the log's custodians said of the batch, as far as a proof can carry it."""
    for name in table.record.custodians:
        try:
            note, policy = read_custody(log.read, batch.record_id, name, batch.index)
        except CheckFailed:
            # Only a policy demands it, and by its own check.
            continue
        if note and policy:
            yield CustodySection(name, note, policy)


def _consistency(log: AuthenticLog, seen: int) -> tuple[bytes, ...] | None:
    """Return the proof that the log extends one of so many records as witnesses had ``seen``; `None` if it has no
    more than those.
    """
    return tuple(log.tiles.consistency_path(seen)) if 1 <= seen < log.size else None


def check_stands_in_proof(data: bytes) -> bytes:
    """Return the ``data`` of a witnessed file, if a proof file can carry it: three parts between empty lines. Raises
    `Malformed`.
    """
    note = TlogProof.parse(data).checkpoint
    if note.count(b"\n\n") != 1 or not note.endswith(b"\n") or note.endswith(b"\n\n"):
        raise Malformed("witnessed", expected="a tlog-proof whose checkpoint has one empty line", found=note)
    return data


def _proven(log: AuthenticLog, placed: Placed[AnyRecord]) -> ProvenRecord:
    # A record has one spelling, so these are its bytes in the log.
    return ProvenRecord(encode_record(placed.record), log.inclusion(placed.index))


def prove_commitments(
    log: AuthenticLog, batch: Placed[BatchRecord], number: int, trees: CommitmentTrees | None = None
) -> tuple[ProvenCommitment, ...]:
    """Return each custodian's commitment to a round, from its batch's file. Raises `CheckFailed`
    (`COMMITMENTS_FILE`).
    """
    place = number - batch.record.first
    found = (trees or commitment_trees(log, batch)).at(place, _commitments_file(log, batch))
    return tuple(ProvenCommitment(digest, Inclusion(place, tuple(hashes))) for digest, hashes in found)


def commitment_trees(log: AuthenticLog, batch: Placed[BatchRecord]) -> CommitmentTrees:
    """Return the trees over a batch's commitments. Raises `CheckFailed` (`COMMITMENTS_FILE`)."""
    record, data = batch.record, _commitments_file(log, batch)
    roots = [parse_hex(root) for root in record.commitments]
    return CommitmentTrees(data, count=record.count, roots=roots, where=f"batch {record.batch}")


def _commitments_file(log: AuthenticLog, batch: Placed[BatchRecord]) -> bytes:
    path = commitments_path(batch.record_id)
    try:
        return log.read(path)
    except Missing as error:
        raise CheckFailed(Check.COMMITMENTS_FILE, expected=path, found=error.why, index=batch.index) from error
