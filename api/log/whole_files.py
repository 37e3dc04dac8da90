"""Whether the log's full files are there, before the service adds to them.

A log that lacks a bundle is played on without a difference that anybody in the service would notice, while
every audit of it fails. Only an audit reads all of a log. A start takes less than a second for a million
records: it looks at the size of every tile and bundle, at every hash above the lowest level, and at every
byte of the newest bundles.
"""

from __future__ import annotations

from api.world.published.log_folder import LogFolder
from fairness.checks import Check
from fairness.errors import CheckFailed, Missing
from fairness.hashing import HASH_SIZE, leaf_hash
from fairness.log.tiles import WIDTH, AuthenticTiles, bundle_path, read_bundle, tile_path

READ_WHOLE = 1024
"""How many of the newest full bundles are read at a start, with a quarter of a million records."""
_LEVEL_BITS = 8
_LENGTH_SIZE = 2


def check_files(log: LogFolder, tiles: AuthenticTiles, size: int) -> None:
    """Check the full files of the first ``size`` records of the log that ``tiles`` are of.

    Raises `Unreadable` or `CheckFailed` for the first that is missing or wrong.
    """
    level = 0
    while full := size >> _LEVEL_BITS * (level + 1):
        for number in range(full):
            _check_tile(log, tiles, level, number)
        level += 1
    bundles = size // WIDTH
    for number in range(bundles):
        _check_length(log, bundle_path(number))
    for number in range(max(0, bundles - READ_WHOLE), bundles):
        check_bundle(log, tiles, number)


def check_bundle(log: LogFolder, tiles: AuthenticTiles, number: int) -> None:
    """Every record of a full bundle is the one that the tree vouches for."""
    leaves = tiles.tile(0, number)
    for i, record in enumerate(read_bundle(log.read, number, WIDTH)):
        if (found := leaf_hash(record)) != leaves[i]:
            where = bundle_path(number)
            index = number * WIDTH + i
            raise CheckFailed(Check.BUNDLE, expected=leaves[i].hex(), found=found.hex(), index=index, where=where)


def _check_tile(log: LogFolder, tiles: AuthenticTiles, level: int, number: int) -> None:
    path, size = tile_path(level, number), WIDTH * HASH_SIZE
    if (found := _size(log, path)) != size:
        raise CheckFailed(Check.TILE, expected=f"{size} bytes", found=f"{found} bytes", where=path)
    if level:
        tiles.full_tile(level, number)


def _check_length(log: LogFolder, path: str) -> None:
    least = WIDTH * _LENGTH_SIZE
    if (found := _size(log, path)) <= least:
        raise CheckFailed(Check.BUNDLE, expected=f"more than {least} bytes", found=f"{found} bytes", where=path)


def _size(log: LogFolder, path: str) -> int:
    size = log.size(path)
    if size is None:
        raise Missing(path, "no such file in the log's folder")
    return size
