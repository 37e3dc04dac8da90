"""What outsiders saw of a log: that each batch that names a pulse was fixed before it, and how wrong the operator's
clock was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from msgspec import Struct, field
from msgspec.structs import replace

from fairness.beacon.chain import time_of_pulse
from fairness.checks import Check
from fairness.errors import CheckFailed, ForedrawError, Unreadable
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import WIDTH, AuthenticTiles, ReadFile, bundle_path, tile_path, tile_width
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.quorum import Member, Witness
from fairness.policy.witnessed import Witnessed, check_witnessed, read_witnessed, witnessed_path
from fairness.records.record import aside_of, newer_record
from verifier.audit.bundle_times import Moment, moment_of
from verifier.audit.clock import Clock, NewRecords, Seen, clock_after
from verifier.audit.history import SaltedBatch
from verifier.forks.extension import NotAnExtension, check_extends
from verifier.sources.read_ahead import reading_ahead
from verifier.sources.source import Source

_AT_ONCE = 256
"""How many files are read before their checkpoints are compared with the log: reading ahead is faster, but takes
memory.
"""
_MOST_UNREADABLE = 3
"""After so many files that cannot be read the others are left for later, because each may have taken a minute."""


class Witnessing(Struct):
    """What is remembered of the witnesses from one audit to the next."""

    by: str = ""
    """The quorum and the beacons by which files were checked, as `asked_of` spells them."""
    files: int = 0
    """How many witnessed files held."""
    clock: Clock = field(default_factory=Clock)
    through: int = 0
    """How many of the log's first records had their times compared with what pulses and witnesses show."""
    whole: bool = True
    """Whether none of them was left out; otherwise the clock may have been wrong, and nobody looked."""
    unchecked: list[SaltedBatch] = field(default_factory=list)
    """Batches whose records were replayed, but whose files did not hold yet; empty after an audit that held."""


@dataclass(frozen=True, slots=True)
class CheckedFiles:
    """What came of the files of the batches that were unchecked."""

    after: Witnessing
    """Without the batches whose files held; those that failed stand behind those that were not read."""
    seen: list[Seen]
    """What the files that held show about times."""
    failure: ForedrawError | None
    """What is wrong with one of the others."""


def asked_of(policy: Policy) -> str:
    """Return what of a policy decides whether a batch was witnessed in time: its quorum, and the beacons that it
    knows.
    """
    known = sorted(beacon.chain_hash.hex() for beacon in policy.known_beacons.values())
    return sha256(" ".join([_spelled(policy.quorum), *known]).encode()).hex()


def _spelled(member: Member | None) -> str:
    if member is None:
        return "none"
    if isinstance(member, Witness):
        return str(member.key)
    return f"({member.threshold} {' '.join(map(_spelled, member.members))})"


def check_files(source: Source, head: Head, before: Witnessing) -> CheckedFiles:
    """Check the file of each batch that is unchecked (SPEC 8.1, step 5), in their order; one that fails does not hide
    the others.
    """
    left = list(before.unchecked)
    failed: list[tuple[SaltedBatch, ForedrawError]] = []
    seen: list[Seen] = []
    while left and sum(isinstance(error, Unreadable) for _, error in failed) < _MOST_UNREADABLE:
        some, left = left[:_AT_ONCE], left[_AT_ONCE:]
        for batch, found in zip(some, _check_some(source, head, some), strict=True):
            if isinstance(found, Seen):
                seen.append(found)
            elif found is None:
                left.append(batch)
            else:
                failed.append((batch, found))
    unchecked = [*left, *(batch for batch, _ in failed)]
    after = replace(before, files=before.files + len(seen), unchecked=unchecked)
    return CheckedFiles(after, seen, min((error for _, error in failed), key=_rank, default=None))


def _rank(error: ForedrawError) -> tuple[int, int]:
    """Return the worst: a fork comes first, and what failed before what could not be read; of several, the first in
    the log.
    """
    if isinstance(error, CheckFailed):
        return (0 if isinstance(error, NotAnExtension) else 1, error.index or 0)
    return (2, 0)


def compare_times(source: Source, head: Head, before: Witnessing, new: NewRecords | None) -> Witnessing:
    """Find how wrong the clock was in the ``new`` records, once the files of all batches held; `None` if nothing is
    known of them.

    If these do not begin where the clock was last compared, it is remembered that some were left out.
    """
    whole = before.whole and new is not None and new.times.start <= before.through
    clock = before.clock if new is None else _clock(source, head.checkpoint, before.clock, new)
    return replace(before, clock=clock, through=head.checkpoint.size, whole=whole)


def _check_some(source: Source, head: Head, batches: Sequence[SaltedBatch]) -> list[Seen | ForedrawError | None]:
    """Return what the file of each batch shows, or what is wrong with it; `None` if it was not read."""
    found: list[Witnessed | ForedrawError | None] = []
    unreadable = 0
    with reading_ahead(source, (witnessed_path(batch.batch_id) for batch in batches)) as read:
        for batch in batches:
            if unreadable == _MOST_UNREADABLE:
                found.append(None)
                continue
            try:
                found.append(_check_file(read, batch, head))
            except ForedrawError as error:
                unreadable += isinstance(error, Unreadable)
                found.append(error)
    return _check_same_logs(source, head, list(zip(batches, found, strict=True)))


def _check_same_logs(
    source: Source, head: Head, found: Sequence[tuple[SaltedBatch, Witnessed | ForedrawError | None]]
) -> list[Seen | ForedrawError | None]:
    """Return what each file shows, after the checkpoints of the files that held were compared with the log."""
    size, results = head.checkpoint.size, list[Seen | ForedrawError | None]()
    divided = (each.head.checkpoint.size // WIDTH for _, each in found if isinstance(each, Witnessed))
    with reading_ahead(source, (tile_path(0, at) for at in divided if tile_width(size, 0, at) == WIDTH)) as read:
        tiles_of = lru_cache(maxsize=1)(partial(AuthenticTiles, read=read))
        for batch, each in found:
            if not isinstance(each, Witnessed):
                results.append(each)
                continue
            try:
                _check_same_log(batch, each, head, tiles_of)
                results.append(Seen(each.head.checkpoint.size, each.time))
            except ForedrawError as error:
                results.append(error)
    return results


def _check_file(read: ReadFile, batch: SaltedBatch, head: Head) -> Witnessed:
    data, policy = read_witnessed(read, batch.batch_id, batch.index), head.policy
    pulse = time_of_pulse(policy.known_beacons, batch.beacon, batch.pulse)
    found = check_witnessed(data, batch_id=batch.batch_id, index=batch.index, pulse=pulse, policy=policy)
    size, largest = found.head.checkpoint.size, head.checkpoint.size
    if size > largest:
        expected = f"a checkpoint of at most {largest} records, as the log has"
        raise CheckFailed(Check.BATCH_WITNESSED, expected=expected, found=f"one of {size}", index=batch.index)
    return found


def _check_same_log(
    batch: SaltedBatch, witnessed: Witnessed, head: Head, tiles_of: Callable[[Checkpoint], AuthenticTiles]
) -> None:
    try:
        check_extends(witnessed.head.signed, head.signed, tiles_of)
    except NotAnExtension as error:
        raise error.at(where=witnessed_path(batch.batch_id)) from error


def _clock(source: Source, checkpoint: Checkpoint, before: Clock, new: NewRecords) -> Clock:
    with reading_ahead(source, _files_of(new.divided(before), checkpoint.size)) as read:
        tiles = AuthenticTiles(checkpoint, read)

        @lru_cache(maxsize=1)
        def moments_of(bundle: int) -> list[Moment]:
            first = bundle * WIDTH
            indexes = range(first, min(first + WIDTH, checkpoint.size))
            records = ((index, tiles.record(index)) for index in indexes)
            # Nobody knows which time of a newer record is its own (SPEC 4.9).
            return [
                moment_of(index, data) for index, data in records if newer_record(data) is None and not aside_of(data)
            ]

        return clock_after(before, new, moments_of)


def _files_of(bundles: Iterable[int], size: int) -> Iterator[str]:
    """Yield the files of the bundles, in the order in which their records are read."""
    before = -1
    for bundle in bundles:
        width = tile_width(size, 0, bundle)
        if bundle != before and width > 0:
            # The partial tile at the log's edge was already read with the checkpoint.
            if width == WIDTH:
                yield tile_path(0, bundle)
            yield bundle_path(bundle, width)
        before = bundle
