"""Whether a log extends the one that was seen earlier (SPEC 8.5)."""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check
from fairness.errors import CheckFailed, Unreadable
from fairness.log.checkpoints import CHECKPOINT, Checkpoint, SignedCheckpoint
from fairness.log.fork import Fork, fork_between
from fairness.log.tiles import AuthenticTiles


class NotAnExtension(CheckFailed):
    """The log that was seen earlier is not a prefix of this one."""

    def __init__(
        self,
        *,
        expected: object,
        found: object,
        fork: Fork | None,
        is_smaller: bool = False,
        index: int | None = None,
        where: str | None = CHECKPOINT,
    ) -> None:
        super().__init__(Check.LOG_EXTENDS, expected=expected, found=found, index=index, where=where)
        self.fork, self.is_smaller = fork, is_smaller
        """The evidence; `None` if the served log is smaller and contradicts nothing."""
        self.evidence: str | None = None
        """The file in which the evidence was kept."""

    def at(self, *, index: int | None = None, where: str | None = None) -> NotAnExtension:
        """The same failure, with a place that only the caller knows."""
        return NotAnExtension(
            expected=self.expected,
            found=self.found,
            fork=self.fork,
            is_smaller=self.is_smaller,
            index=index,
            where=where or self.where,
        )


def check_extends(
    old: SignedCheckpoint, new: SignedCheckpoint, tiles_of: Callable[[Checkpoint], AuthenticTiles]
) -> None:
    """Raise `NotAnExtension` unless the tree of ``new`` begins with that of ``old``.

    ``tiles_of`` returns the tiles of the larger one. If the log became smaller and these tiles can still be
    read, the failure says whether it is a prefix of what was seen, and so may be an old copy.
    """
    size, root = old.checkpoint.size, old.checkpoint.root
    expected = f"a log that begins with {size} records of root {root.hex()}"
    if new.checkpoint.size >= size:
        fork = fork_between(old, new, tiles_of)
        if fork is not None:
            beginning = fork.hashes[0] if fork.hashes else new.checkpoint.root
            raise NotAnExtension(expected=expected, found=f"root {beginning.hex()}", fork=fork)
        return
    found = f"only {new.checkpoint.size} records"
    try:
        fork = fork_between(old, new, tiles_of)
    except (CheckFailed, Unreadable):
        fork = Fork(new.note, old.note)
    raise NotAnExtension(expected=expected, found=found, fork=fork, is_smaller=True)
