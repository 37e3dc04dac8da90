"""Whether a log extends the one that was seen earlier (SPEC 8.5)."""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check, Fault
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
        fork: Fork,
        index: int | None = None,
        where: str | None = CHECKPOINT,
    ) -> None:
        super().__init__(Check.LOG_EXTENDS, expected=expected, found=found, index=index, where=where)
        self.fork = fork
        """The evidence: the key signed both."""
        self.evidence: str | None = None
        """The file in which the evidence was kept."""

    @property
    def fault(self) -> Fault:
        """The log's key signed both."""
        return Fault.FORK

    def at(self, *, index: int | None = None, where: str | None = None) -> NotAnExtension:
        """Return this failure with a place that only the caller knows."""
        return NotAnExtension(
            expected=self.expected,
            found=self.found,
            fork=self.fork,
            index=index,
            where=where or self.where,
        )


class OlderCopy(Unreadable):
    """The log is smaller than what was seen, and nothing shows that it is another one. That accuses nobody."""

    def __init__(self, size: int, seen: int, pair: Fork | None) -> None:
        begins = (
            "which begin what was seen" if pair is None else "and it cannot be shown that they begin what was seen"
        )
        super().__init__(CHECKPOINT, f"an older copy: {size:,} records, {begins}, {seen:,} records")
        self.pair = pair
        """Both signed checkpoints, if the tiles of the larger one could not be read. They prove nothing yet."""
        self.size = size


def check_extends(
    old: SignedCheckpoint, new: SignedCheckpoint, tiles_of: Callable[[Checkpoint], AuthenticTiles]
) -> None:
    """Raise `NotAnExtension` if the two contradict each other, and `OlderCopy` if ``new`` is smaller and they do not.

    ``tiles_of`` returns the tiles of the larger one. If the log became smaller, these may be gone.
    """
    size, root = old.checkpoint.size, old.checkpoint.root
    is_smaller = new.checkpoint.size < size
    try:
        fork = fork_between(old, new, tiles_of)
    except (CheckFailed, Unreadable) as error:
        if not is_smaller:
            raise
        raise OlderCopy(new.checkpoint.size, size, Fork(new.note, old.note)) from error
    if fork is not None:
        beginning = fork.hashes[0] if fork.hashes else new.checkpoint.root
        found = f"only {new.checkpoint.size} records" if is_smaller else f"root {beginning.hex()}"
        raise NotAnExtension(
            expected=f"a log that begins with {size} records of root {root.hex()}", found=found, fork=fork
        )
    if is_smaller:
        raise OlderCopy(new.checkpoint.size, size, None)
