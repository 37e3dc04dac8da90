"""The files of the log: tiles of hashes and bundles of records (C2SP tlog-tiles; SPEC 5.2).

A tile holds up to 256 hashes of one level: level 0 the leaf hashes, level 1 the roots of full tiles
of level 0, and so on. A bundle holds the records of one tile of level 0. A full file never changes;
at the log's right edge stand partial ones, named by their width.

`AuthenticTiles` is how a log is read without trusting whoever serves it: it returns no hash that
the root of a signed checkpoint does not vouch for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from fairness.checks import Check
from fairness.errors import CheckFailed, Missing, Unreadable
from fairness.hashing import HASH_SIZE, leaf_hash
from fairness.limits import LARGEST_RECORD
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import root_of_hashes, root_of_peaks
from fairness.log.merkle_proofs import consistency_ranges, inclusion_ranges, perfect_ranges

WIDTH = 256
_WIDTH_BITS = 8
LARGEST_BUNDLE = WIDTH * (2 + LARGEST_RECORD)
_CACHED_TILES = 512
_CACHED_LEAF_TILES = 8
_CACHED_BUNDLES = 2
_CACHED_RANGES = 256

ReadFile = Callable[[str], bytes]
"""Reads one file of the log by its path below the log's prefix; raises `Unreadable`."""


def number_path(number: int) -> str:
    """Return ``1234067`` as ``x001/x234/067``."""
    groups = [f"{number % 1000:03}"]
    while number := number // 1000:
        groups.append(f"x{number % 1000:03}")
    return "/".join(reversed(groups))


def _path(kind: str, number: int, width: int) -> str:
    return f"tile/{kind}/{number_path(number)}" + ("" if width == WIDTH else f".p/{width}")


def tile_path(level: int, number: int, width: int = WIDTH) -> str:
    """Return the path of a tile below the log's prefix."""
    return _path(str(level), number, width)


def bundle_path(number: int, width: int = WIDTH) -> str:
    """Return the path of a bundle below the log's prefix."""
    return _path("entries", number, width)


def levels_of(size: int) -> int:
    """Return how many levels of tiles a log of ``size`` records has; an empty log has one, with nothing in it."""
    return max(1, -(-size.bit_length() // _WIDTH_BITS))


def hashes_of_level(size: int, level: int) -> int:
    """Return how many hashes the tiles of a level have together in a log of ``size`` records."""
    return size >> _WIDTH_BITS * level


def tile_width(size: int, level: int, number: int) -> int:
    """Return how many hashes a tile has in a log of ``size`` records; 0 or less if it does not exist."""
    return min(WIDTH, hashes_of_level(size, level) - number * WIDTH)


def filled_between(old: int, size: int) -> Iterator[str]:
    """Yield the paths of the tiles and bundles that are full in a log of ``size`` records, and were not in its first
    ``old``.
    """
    for number in range(old // WIDTH, size // WIDTH):
        yield bundle_path(number)
    level = 0
    while full := hashes_of_level(size, level) // WIDTH:
        for number in range(hashes_of_level(old, level) // WIDTH, full):
            yield tile_path(level, number)
        level += 1


def bundle_of(records: list[bytes]) -> bytes:
    """Put records into a bundle, each after its length in two bytes."""
    return b"".join(len(record).to_bytes(2, "big") + record for record in records)


def split_bundle(bundle: bytes, *, count: int, where: str) -> list[bytes]:
    """Return the ``count`` records of a bundle. Raises `CheckFailed` unless the bytes are just these."""
    records: list[bytes] = []
    at, end = 0, len(bundle)
    for _ in range(count):
        start = at + 2
        if start > end:
            break
        at = start + (bundle[at] << 8 | bundle[at + 1])
        records.append(bundle[start:at])
    if len(records) != count or at != end:
        found = f"{len(records)} and {end - at} bytes over" if at <= end else "a record that is cut off"
        raise CheckFailed(Check.BUNDLE, expected=f"{count} whole records", found=found, where=where)
    return records


def split_tile(tile: bytes) -> list[bytes]:
    """Return the hashes of a tile."""
    return [tile[at : at + HASH_SIZE] for at in range(0, len(tile), HASH_SIZE)]


def root_from_edge(edge: list[list[bytes]]) -> bytes:
    """Return the tree's root from the hashes of its partial tiles, level 0 first."""
    smaller: list[bytes] = []
    for hashes in edge:
        # What the lower levels leave over is the last and smallest subtree of this level.
        whole = hashes + smaller
        smaller = [root_of_hashes(whole)] if whole else []
    return root_of_hashes(smaller)


class AuthenticTiles:
    """The tiles of the log that a checkpoint describes, each checked before it is returned."""

    def __init__(self, checkpoint: Checkpoint, read: ReadFile) -> None:
        """Read the log's right edge, and check that its root is the checkpoint's."""
        self.checkpoint = checkpoint
        self._read = read
        self.full_tile = lru_cache(maxsize=_CACHED_TILES)(self._full_tile)
        # Of level 0 an audit reads each tile once, and there are many; a proof reads one of them many times.
        self._leaf_tile = lru_cache(maxsize=_CACHED_LEAF_TILES)(self._full_leaf_tile)
        # The proofs of records that lie close together share most of their hashes.
        self._range_root = lru_cache(maxsize=_CACHED_RANGES)(self._root_of_range)
        self._bundle = lru_cache(maxsize=_CACHED_BUNDLES)(self._unverified_bundle)
        self._edge = [self._edge_tile(level) for level in range(levels_of(checkpoint.size))]
        if (root := root_from_edge(self._edge)) != checkpoint.root:
            raise CheckFailed(
                Check.TILE,
                expected=f"root {checkpoint.root.hex()}",
                found=root.hex(),
                where=f"the partial tiles of size {checkpoint.size}",
            )

    def tile(self, level: int, number: int) -> list[bytes]:
        """Return the hashes of one tile, as many as the checkpoint's size implies."""
        width = tile_width(self.checkpoint.size, level, number)
        if width == WIDTH:
            return self.full_tile(level, number) if level else self._leaf_tile(number)
        if width <= 0:
            raise ValueError(f"no tile {level}/{number} in a log of {self.checkpoint.size}")
        return self._edge[level]

    def leaf(self, index: int) -> bytes:
        """Return the leaf hash of the record at ``index``."""
        if not 0 <= index < self.checkpoint.size:
            raise ValueError(f"no record {index} in a log of {self.checkpoint.size}")
        return self.tile(0, index // WIDTH)[index % WIDTH]

    def record(self, index: int) -> bytes:
        """Return the record at ``index``, from its bundle, checked against its leaf hash."""
        number, expected = index // WIDTH, self.leaf(index)
        record = self._bundle(number)[index % WIDTH]
        if (found := leaf_hash(record)) != expected:
            raise CheckFailed(Check.BUNDLE, expected=expected.hex(), found=found.hex(), index=index)
        return record

    def inclusion_path(self, index: int) -> list[bytes]:
        """Return the audit path of the record at ``index``: it leads from its leaf hash to the checkpoint's root."""
        return [self._range_root(start, end) for start, end in inclusion_ranges(index, self.checkpoint.size)]

    def consistency_path(self, old: int) -> list[bytes]:
        """Return the proof that the tree of the first ``old`` records begins the checkpoint's tree."""
        return [self._range_root(start, end) for start, end in consistency_ranges(old, self.checkpoint.size)]

    def _root_of_range(self, start: int, end: int) -> bytes:
        peaks = []
        for first, after in perfect_ranges(start, end):
            # The hashes of a tile's own level, of which this perfect subtree takes up a part of one tile.
            level, bits = divmod((after - first).bit_length() - 1, _WIDTH_BITS)
            tile, at = divmod(first >> _WIDTH_BITS * level, WIDTH)
            peaks.append(root_of_hashes(self.tile(level, tile)[at : at + (1 << bits)]))
        return root_of_peaks(peaks)

    def prefix_edge(self, size: int) -> list[list[bytes]]:
        """Return the right edge that the first ``size`` records alone would have, level 0 first."""
        edge = []
        for level in range(levels_of(size)):
            number, width = divmod(hashes_of_level(size, level), WIDTH)
            edge.append(self.tile(level, number)[:width] if width else [])
        return edge

    def _unverified_bundle(self, number: int) -> list[bytes]:
        return read_bundle(self._read, number, tile_width(self.checkpoint.size, 0, number))

    def _edge_tile(self, level: int) -> list[bytes]:
        number, width = divmod(hashes_of_level(self.checkpoint.size, level), WIDTH)
        return split_tile(read_tile(self._read, level, number, width)) if width else []

    def _full_leaf_tile(self, number: int) -> list[bytes]:
        return self._full_tile(0, number)

    def _full_tile(self, level: int, number: int) -> list[bytes]:
        hashes = split_tile(read_tile(self._read, level, number, WIDTH))
        # A full tile's root stands in the tile above, so the partial ones at the edge vouch for all.
        expected = self.tile(level + 1, number // WIDTH)[number % WIDTH]
        if (found := root_of_hashes(hashes)) != expected:
            where = tile_path(level, number)
            raise CheckFailed(Check.TILE, expected=f"root {expected.hex()}", found=found.hex(), where=where)
        return hashes


def read_tile(read: ReadFile, level: int, number: int, width: int) -> bytes:
    """Return a tile's bytes, from its partial file or, if that cannot be read, from the full one.

    Raises `Unreadable`, or `CheckFailed` if the file's size is wrong. The hashes are unverified.
    """
    data, path, held = _partial_or_full(read, tile_path(level, number, width), width, tile_path(level, number))
    if len(data) != held * HASH_SIZE:
        expected = f"{held * HASH_SIZE} bytes"
        raise CheckFailed(Check.TILE, expected=expected, found=f"{len(data)} bytes", where=path)
    return data[: width * HASH_SIZE]


def read_bundle(read: ReadFile, number: int, width: int) -> list[bytes]:
    """Return a bundle's first ``width`` records, unverified; from the full file if the partial one cannot be read."""
    data, path, held = _partial_or_full(read, bundle_path(number, width), width, bundle_path(number))
    return split_bundle(data, count=held, where=path)[:width]


def _partial_or_full(read: ReadFile, partial: str, width: int, full: str) -> tuple[bytes, str, int]:
    """Return the bytes of a file, its path, and how many hashes or records it must have."""
    try:
        return read(partial), partial, width
    except Unreadable as error:
        # Some stores do not say that a file is missing, but refuse it (403).
        if partial == full:
            raise
        try:
            return read(full), full, WIDTH
        except Missing:
            # The partial one is what the checkpoint demands, so it is the one that is missing.
            raise error from None


def bundles_of(start: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the bundles (number, width) that hold records ``start`` to ``size`` - 1."""
    for number in range(start // WIDTH, -(-size // WIDTH)):
        yield number, tile_width(size, 0, number)
