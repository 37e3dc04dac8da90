"""Replacing ``/checkpoint``: what the sequencer hands over, and how it is published if nobody has to cosign it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from api.world.log_folder import LogFolder
from fairness.errors import ForedrawError
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import filled_between

CHECKPOINT = "checkpoint"

_logger = logging.getLogger("foredraw.sequencer")


@dataclass(frozen=True, slots=True)
class SaltedBatch:
    """A batch that names a pulse, and stands in the log."""

    table: str
    number: int
    batch_id: bytes
    position: int
    pulse: int | None
    """When its pulse comes, in seconds since 1970; `None` if the service does not know the beacon, or if the batch is salted."""
    is_salted: bool = False


class Publisher(Protocol):
    """Who replaces ``/checkpoint``."""

    def begin(self, since: int) -> None:
        """A sequencer starts. There may be partial files of what is full by now, from ``since`` records on."""

    def take(self, head: SignedCheckpoint, batches: Sequence[SaltedBatch]) -> None:
        """Publish a head, now or later. All that it needs is on disk. ``batches`` may need their witnessed files."""

    def look(self) -> None:
        """Put the checkpoint in place again if somebody has deleted or damaged it."""

    @property
    def may_grow(self) -> bool:
        """Whether the log may get more records: not before it is known that it is the newest there is."""


class AtOnce:
    """Publishes each head in the turn in which it was signed: there is no policy that demands witnesses."""

    def __init__(self, log: LogFolder, key: VerifierKey) -> None:
        self._log, self._key = log, key
        self._cleared = 0
        self._note = b""

    def begin(self, since: int) -> None:
        """Clear away partial files from there on."""
        self._cleared = since

    def take(self, head: SignedCheckpoint, batches: Sequence[SaltedBatch]) -> None:  # noqa: ARG002
        """Publish it: it is durable when this returns."""
        self._note = head.note
        self._log.write(CHECKPOINT, head.note)
        self._cleared = clear_partials(self._log, self._cleared, head.checkpoint.size)

    @property
    def may_grow(self) -> bool:
        """There is nobody who could know more."""
        return True

    def look(self) -> None:
        """The head that is signed again is the same."""
        try:
            Checkpoint.open(self._log.read(CHECKPOINT), self._key)
        except ForedrawError as error:
            _logger.warning("the checkpoint is signed again: %s", error)
            self._log.write(CHECKPOINT, self._note)


def clear_partials(log: LogFolder, old: int, size: int) -> int:
    """Drop the partial files that the published log of ``size`` records has outgrown since ``old``; returns ``size``."""
    for path in filled_between(old, size):
        log.remove_partials(path)
    return size
