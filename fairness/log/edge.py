"""The right edge of a growing log: which files appear when records are appended (SPEC 5.2).

Pure, like everything here: it says what to write, somebody else writes it. What it needs to go on
after a restart are the hashes of the edge's tiles and the records of its last, partial bundle.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairness.hashing import leaf_hash
from fairness.log.merkle import root_of_hashes
from fairness.log.tiles import WIDTH, bundle_of, bundle_path, hashes_of_level, root_from_edge, tile_path

File = tuple[str, bytes]
"""A path below the log's prefix, and the file's bytes."""


class LogEdge:
    """The tiles and the bundle at a log's right edge."""

    def __init__(
        self, size: int = 0, hashes: list[list[bytes]] | None = None, records: list[bytes] | None = None
    ) -> None:
        """Go on at ``size``: ``hashes`` per level and ``records`` are those of the partial files."""
        self.size = size
        self._hashes = [[]] if hashes is None else [list(level) for level in hashes]
        self._records = [] if records is None else list(records)
        self._root: bytes | None = None
        if len(self._records) != size % WIDTH or len(self._hashes[0]) != size % WIDTH:
            raise ValueError(f"a log of {size} has {size % WIDTH} records at its edge, not {len(self._records)}")

    def copy(self) -> LogEdge:
        """Copy this edge, to go on from without changing this one."""
        return LogEdge(self.size, self._hashes, self._records)

    @property
    def root(self) -> bytes:
        """The root over all records so far."""
        if self._root is None:
            self._root = root_from_edge(self._hashes)
        return self._root

    def append(self, record: bytes) -> list[File]:
        """Append one record; returns the files that became full by it, and will never change again."""
        self._root = None
        self._records.append(record)
        self.size += 1
        full = self._push(0, leaf_hash(record))
        if full:
            full.append((bundle_path(self.size // WIDTH - 1), bundle_of(self._records)))
            self._records = []
        return full

    def partial_files(self) -> Iterator[File]:
        """Yield the partial tiles and the partial bundle that a checkpoint of the present size needs."""
        for level, hashes in enumerate(self._hashes):
            if hashes:
                number = hashes_of_level(self.size, level) // WIDTH
                yield tile_path(level, number, len(hashes)), b"".join(hashes)
        if self._records:
            yield bundle_path(self.size // WIDTH, len(self._records)), bundle_of(self._records)

    def partial_files_so_far(self) -> Iterator[File]:
        """Yield the partial files of every smaller size, too, as far as no full file has taken their place.

        A log serves these for every size that it published a checkpoint of; above the lowest level
        they are as old as the last 65,536 records.
        """
        for level, hashes in enumerate(self._hashes):
            number = hashes_of_level(self.size, level) // WIDTH
            for width in range(1, len(hashes) + 1):
                yield tile_path(level, number, width), b"".join(hashes[:width])
        for width in range(1, len(self._records) + 1):
            yield bundle_path(self.size // WIDTH, width), bundle_of(self._records[:width])

    def _push(self, level: int, digest: bytes) -> list[File]:
        if level == len(self._hashes):
            self._hashes.append([])
        hashes = self._hashes[level]
        hashes.append(digest)
        if len(hashes) < WIDTH:
            return []
        number = hashes_of_level(self.size, level + 1) - 1
        self._hashes[level] = []
        return [(tile_path(level, number), b"".join(hashes)), *self._push(level + 1, root_of_hashes(hashes))]
