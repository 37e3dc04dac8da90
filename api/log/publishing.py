"""Replacing ``/checkpoint``: what the sequencer hands over, and how it is published if nobody has to cosign it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from api.world.published.log_folder import LogFolder
from api.world.storage_failures import ServerFailure
from fairness.errors import ForedrawError
from fairness.log.checkpoints import CHECKPOINT, Checkpoint, SignedCheckpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import filled_between

_logger = logging.getLogger("foredraw.sequencer")


@dataclass(frozen=True, slots=True)
class SaltedBatch:
    """A batch that names a pulse, and stands in the log."""

    table: str
    number: int
    batch_id: bytes
    position: int
    pulse: int | None
    """When its pulse comes, in seconds since 1970; `None` if the service does not know the beacon, or if the batch is
    salted.
    """
    is_salted: bool = False


class CheckpointFile:
    """``/checkpoint``, as one publisher leaves it: never smaller than it found it, whatever that publisher
    remembers.
    """

    def __init__(self, log: LogFolder, key: VerifierKey) -> None:
        self._log, self._key = log, key
        self.note: bytes | None = None
        """What this publisher has written last."""
        self._size, self._stamp = 0, (0, 0)

    @property
    def is_there(self) -> bool:
        """Whether what this publisher has written last has not been deleted or replaced."""
        return self._log.stamp(CHECKPOINT) == self._stamp

    def write(self, note: bytes, size: int) -> None:
        """Put the note of a head of ``size`` records there: it is durable when this returns.

        Raises `ServerFailure` if a head of this log with more records stands there.
        """
        there = self._size if self.note is not None and self.is_there else self._size_there()
        if size < there:
            raise ServerFailure(
                f"log/{CHECKPOINT} has {there} records and is not replaced by one of {size}: another sequencer has"
                " published this log, and this one begins again from what is stored"
            )
        self._log.write(CHECKPOINT, note)
        self.note, self._size, self._stamp = note, size, self._log.stamp(CHECKPOINT)

    def put_back(self) -> None:
        """Write it again if somebody has deleted or replaced it.

        A larger head of this log stays: a start has brought it from the bucket, where it was before the disk was
        full; or another leader has published it, which the next head that is written finds out.
        """
        if self.note is not None and not self.is_there and self._size_there() <= self._size:
            _logger.warning("the checkpoint was deleted or changed: the published one is written again")
            self.write(self.note, self._size)

    def _size_there(self) -> int:
        try:
            return Checkpoint.open(self._log.read(CHECKPOINT), self._key).size
        except ForedrawError:
            # It is missing or damaged, so it says nothing.
            return 0


class CheckpointSink(Protocol):
    """Who replaces ``/checkpoint``."""

    def begin(self, since: int) -> None:
        """Begin with a sequencer that starts. There may be partial files of what is full by now, from ``since``
        records on.
        """

    def take(self, head: SignedCheckpoint, batches: Sequence[SaltedBatch]) -> None:
        """Publish a head, now or later. All that it needs is on disk. ``batches`` may need their witnessed files."""

    def look(self) -> None:
        """Put the checkpoint in place again if somebody has deleted or damaged it."""

    @property
    def may_grow(self) -> bool:
        """Whether the log may get more records: not before it is known that it is the newest there is."""


class UnwitnessedPublisher:
    """Publishes each head in the turn in which it was signed: there is no policy that demands witnesses."""

    def __init__(self, log: LogFolder, key: VerifierKey) -> None:
        self._log = log
        self._checkpoint = CheckpointFile(log, key)
        self._cleared = 0

    def begin(self, since: int) -> None:
        """Clear away partial files from there on."""
        self._cleared = since

    def take(self, head: SignedCheckpoint, batches: Sequence[SaltedBatch]) -> None:  # noqa: ARG002 -- as the other publisher has it
        """Publish it: it is durable when this returns."""
        self._checkpoint.write(head.note, head.checkpoint.size)
        self._cleared = clear_partials(self._log, self._cleared, head.checkpoint.size)

    @property
    def may_grow(self) -> bool:
        """There is nobody who could know more."""
        return True

    def look(self) -> None:
        """Put the published one back."""
        self._checkpoint.put_back()


def clear_partials(log: LogFolder, old: int, size: int) -> int:
    """Drop the partial files that the published log of ``size`` records has outgrown since ``old``; returns
    ``size``.
    """
    for path in filled_between(old, size):
        log.remove_partials(path)
    return size
