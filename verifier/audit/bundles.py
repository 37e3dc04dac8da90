"""Records of a log one bundle after the other, each vouched for by the checkpoint: for readers that replay
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import WIDTH, AuthenticTiles, bundles_of, read_bundle
from verifier.audit.partition import check_hashes
from verifier.sources.read_ahead import paths_of_partition, reading_ahead
from verifier.sources.source import Source

Progress = Callable[[int, int], None]
"""Called with the number of records done, and the number of all new ones."""
_TELL_EVERY = 32
"""The progress is told after this many bundles."""


def authentic_bundles(
    source: Source, checkpoint: Checkpoint, start: int = 0, progress: Progress | None = None
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the records from ``start`` to the checkpoint's last, some at a time, with the index of the first of them.

    Raises `CheckFailed` (`TILE`, `BUNDLE`) or `Unreadable`.
    """
    size = checkpoint.size
    with reading_ahead(source, paths_of_partition(start, size, lambda _: True)) as read:
        tiles = AuthenticTiles(checkpoint, read)
        for number, width in bundles_of(start, size):
            records = read_bundle(read, number, width)
            check_hashes(tiles, number, records)
            base = number * WIDTH
            skipped = max(0, start - base)
            yield base + skipped, records[skipped:]
            if progress is not None and number % _TELL_EVERY == 0:
                progress(min(size, base + WIDTH) - start, size - start)
    if progress is not None:
        progress(size - start, size - start)
