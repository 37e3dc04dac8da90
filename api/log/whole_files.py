"""Whether the log's full files are there, before the service adds to them.

A log that lacks a bundle is played on without a difference that anybody in the service would notice, while
every audit of it fails. Only an audit reads all of a log. A start takes less than a second for a million
records: it looks at the size of every tile and bundle, at every hash above the lowest level, and at every
byte of the newest bundles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from api.world.published.log_folder import LogFolder
from fairness.checks import Check
from fairness.errors import CheckFailed, ForedrawError, Missing
from fairness.hashing import HASH_SIZE, leaf_hash
from fairness.log.merkle import root_of_hashes
from fairness.log.tiles import WIDTH, AuthenticTiles, bundle_path, read_bundle, tile_path

READ_WHOLE = 1024
"""How many of the newest full bundles are read at a start, with a quarter of a million records."""
_LEVEL_BITS = 8
_LENGTH_SIZE = 2


def check_files(log: LogFolder, tiles: AuthenticTiles, size: int) -> None:
    """Check the full files of the first ``size`` records of the log that ``tiles`` are of.

    Raises `Unreadable` or `CheckFailed` for the first that is missing or wrong.
    """
    for error in wrong_files(log, tiles, size):
        raise error


def wrong_files(
    log: LogFolder, tiles: AuthenticTiles | None, size: int, *, whole: bool = False
) -> Iterator[ForedrawError]:
    """Yield what is wrong with each of these files that is missing or damaged; without ``tiles`` only their sizes are
    looked at.

    If it is to be the ``whole`` log, every byte of all bundles is read, not only of the newest.
    """
    for check in _checks(log, tiles, size, size // WIDTH if whole else READ_WHOLE):
        try:
            check()
        except ForedrawError as error:
            yield error


def _checks(
    log: LogFolder, tiles: AuthenticTiles | None, size: int, read_whole: int
) -> Iterator[Callable[[], object]]:
    level = 0
    while full := size >> _LEVEL_BITS * (level + 1):
        for number in range(full):
            yield partial(_check_tile, log, tiles, level, number)
        level += 1
    bundles = size // WIDTH
    for number in range(bundles):
        yield partial(_check_length, log, bundle_path(number))
    if tiles is not None:
        for number in range(max(0, bundles - read_whole), bundles):
            yield partial(tiles.tile, 0, number)
            yield partial(check_bundle, log, tiles, number)


def check_bundle(log: LogFolder, tiles: AuthenticTiles, number: int) -> None:
    """Check that every record of a full bundle is the one that the tree vouches for; if its tile is at fault, the one
    above vouches.
    """
    where, found = bundle_path(number), [leaf_hash(record) for record in read_bundle(log.read, number, WIDTH)]
    try:
        leaves = tiles.tile(0, number)
    except ForedrawError:
        expected, root = tiles.tile(1, number // WIDTH)[number % WIDTH], root_of_hashes(found)
        if root != expected:
            raise CheckFailed(
                Check.BUNDLE, expected=f"root {expected.hex()}", found=root.hex(), where=where
            ) from None
        return
    for i, (leaf, expected) in enumerate(zip(found, leaves, strict=True)):
        if leaf != expected:
            index = number * WIDTH + i
            raise CheckFailed(Check.BUNDLE, expected=expected.hex(), found=leaf.hex(), index=index, where=where)


def _check_tile(log: LogFolder, tiles: AuthenticTiles | None, level: int, number: int) -> None:
    path, size = tile_path(level, number), WIDTH * HASH_SIZE
    if (found := _size(log, path)) != size:
        raise CheckFailed(Check.TILE, expected=f"{size} bytes", found=f"{found} bytes", where=path)
    if level and tiles is not None:
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
