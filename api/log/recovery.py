"""Starting again: the edge of the log from the database and the files that outlast a crash.

The queue keeps every record whose full bundle may not be on disk yet. Below those the full tiles
are there, so that the edge can be computed, checked against the head, and published again.

Nothing is signed before this is sure: the published checkpoint, however old, is of a log that the
database's log extends; that log has the record of each of the custodian's marks; its files are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from api.custody.mark import Mark
from api.findings.states import OLDER_DATABASE, checkpoint_not_ours, database_of_another_log, log_not_whole
from api.log import whole_files
from api.log.keys import short
from api.log.whole_files import check_files
from api.refusal import RefusalError
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import HeadRow, KeptRow
from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.edge import File, LogEdge
from fairness.log.merkle import root_of_hashes
from fairness.log.notes import VerifierKey
from fairness.log.tiles import (
    WIDTH,
    AuthenticTiles,
    ReadFile,
    bundle_of,
    bundle_path,
    bundles_of,
    hashes_of_level,
    read_bundle,
    read_tile,
    root_from_edge,
    split_tile,
    tile_path,
    tile_width,
)
from fairness.records.record import Record, aside_of, parse_record, parse_records

_REMEDY = (
    "If the key that was found is another log's, put this log's own folder back, or its keys; if the file is damaged, put the"
    " newest copy back"
)
_LOOKS = 20
"""How often the published log is looked at again because it has grown meanwhile."""


class RecoveryError(RefusalError):
    """The database and the published log do not agree; the message says how, and what to do."""


class NotWholeError(RecoveryError):
    """A file of the log is missing or wrong; `__cause__` says which was found first."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Where the sequencer continues, and what it writes again first."""

    edge: LogEdge
    kept_from: int
    """The position of the first record that the queue still keeps."""
    since: int
    """From here on there may be partial files that full ones have outgrown."""
    full_files: list[File]
    partial_files: Iterator[File]
    """The partial files of every size that no full file covers: any of those may have been published; and those
    that the published checkpoint needs, which may be older: they stay until a newer one is published."""
    unnoted: Iterator[tuple[int, Record]]
    """The records, with their positions, whose finding aids may not have reached the disk."""
    abandoned: list[Mark]
    """The marks of tables that the operator gave up when forking the log: they are not played."""


def recover(database: Database, log: LogFolder, key: VerifierKey, marks: Iterable[Mark]) -> Recovered:
    """Return the edge at the database's head.

    Raises `RecoveryError` if the database is older than the published log or is another log's, if the log is
    older than what the custodian has released, or if a file of the log is missing.
    """
    with database.read() as connection:
        head = sql.ONE_HEAD.one(connection)
        kept = sql.KEPT.all(connection)
    published = newest_checkpoint(log, key)
    _check_same_log(key, head, published)
    try:
        return _recovered(log, head, kept, published, marks)
    except ForedrawError as error:
        raise _not_whole(error, head.size, published) from error


def check_published(log: LogFolder, key: VerifierKey, marks: Iterable[Mark]) -> None:
    """Check, without the database and while the log grows, that what is published is whole, and has the records of
    ``marks``.

    The marks must have been read before the call. Raises `RecoveryError`.
    """
    for attempt in range(_LOOKS):
        stamp, published = log.stamp(CHECKPOINT), newest_checkpoint(log, key)
        if published is None:
            return
        try:
            tiles = AuthenticTiles(published, log.read)
            _check_marks(marks, tiles)
            check_files(log, tiles, published.size // WIDTH * WIDTH)
        except ForedrawError as error:
            # If the log has grown meanwhile, a partial file that this checkpoint needed may have been outgrown.
            if log.stamp(CHECKPOINT) == stamp or attempt == _LOOKS - 1:
                raise _not_whole(error) from error
        else:
            return


def wrong_files(log: LogFolder, key: VerifierKey, database: Database | None) -> list[ForedrawError]:
    """Return what is wrong with each file of a log that was refused, as far as that can be judged.

    That is by its checkpoint, or else by the head of the ``database``; if neither can be used, only sizes are looked
    at.
    """
    tiles, size = _judge(log, key, database)
    return list({str(error): error for error in whole_files.wrong_files(log, tiles, size, whole=True)}.values())


def _judge(log: LogFolder, key: VerifierKey, database: Database | None) -> tuple[AuthenticTiles | None, int]:
    """Return what judges the full files, if anything can, and of how many records they are."""
    size = 0
    with suppress(RecoveryError, ForedrawError):
        if (published := newest_checkpoint(log, key)) is not None:
            size = published.size // WIDTH * WIDTH
            return AuthenticTiles(published, log.read), size
    if database is None:
        return None, size
    with database.read() as connection:
        head, kept = sql.ONE_HEAD.one(connection), sql.KEPT.all(connection)
    start = head.size - len(kept)
    with suppress(ForedrawError):
        if start % WIDTH == 0:
            edge, full = _edge(log, start, kept)
            if edge.root.hex() == head.root:
                return _tiles(log, head, edge, full), start
    return None, max(size, head.size // WIDTH * WIDTH)


def _edge(log: LogFolder, start: int, kept: list[KeptRow]) -> tuple[LogEdge, list[File]]:
    """Return the edge after the records that the queue keeps, from ``start`` on, and the full files that it fills."""
    edge, full = LogEdge(start, _hashes_at(start, log.read)), list[File]()
    for _, data in kept:
        full += edge.append(data)
    return edge, full


def _tiles(log: LogFolder, head: HeadRow, edge: LogEdge, full: list[File]) -> AuthenticTiles:
    """Return the log as it will be once the files of the edge are written."""
    return AuthenticTiles(Checkpoint(head.origin, edge.size, edge.root), _reader(log.read, edge, full))


def _recovered(
    log: LogFolder,
    head: HeadRow,
    kept: list[KeptRow],
    published: Checkpoint | None,
    marks: Iterable[Mark],
) -> Recovered:
    start = head.size - len(kept)
    if start % WIDTH or [position for position, _ in kept] != list(range(start, head.size)):
        raise _damaged_database(head.size, published)
    edge, full = _edge(log, start, kept)
    if edge.root.hex() != head.root:
        raise _not_the_same(log, head, published, start)
    tiles = _tiles(log, head, edge, full)
    # The checkpoint may be far older than what the queue keeps: then the tiles show that this log extends it.
    if published is not None and root_from_edge(tiles.prefix_edge(published.size)) != published.root:
        raise _not_the_same(log, head, published, start)
    abandoned = _check_marks(marks, tiles)
    check_files(log, tiles, start)
    # A folder that came back from a copy may have finding aids as old as its checkpoint.
    noted = min(head.noted, 0 if published is None else published.size)
    unnoted = _unnoted(log.read, noted, start, kept)
    old = 0 if published is None else published.size
    partial = chain(_outgrown(tiles, _reader(log.read, edge, full), old), edge.partial_files_so_far())
    return Recovered(edge, start, min(start, old), full, partial, unnoted, abandoned)


def _outgrown(tiles: AuthenticTiles, read: ReadFile, published: int) -> list[File]:
    """Return the partial files of the published log whose full files are there by now."""
    size, found = tiles.checkpoint.size, list[File]()
    for level, hashes in enumerate(tiles.prefix_edge(published)):
        number = hashes_of_level(published, level) // WIDTH
        if hashes and tile_width(size, level, number) == WIDTH:
            found.append((tile_path(level, number, len(hashes)), b"".join(hashes)))
    number, width = divmod(published, WIDTH)
    if width and tile_width(size, 0, number) == WIDTH:
        found.append((bundle_path(number, width), bundle_of(read_bundle(read, number, WIDTH)[:width])))
    return found


def _check_same_log(key: VerifierKey, head: HeadRow, published: Checkpoint | None) -> None:
    if published is None and head.size:
        # The empty log's checkpoint is signed before the first record gets its position.
        raise RecoveryError(
            f"the log's checkpoint is missing, and the database has {head.size} records: nothing was signed. "
            "Put the newest copy of the log's folder back"
        )
    if head.origin != key.name:
        raise RecoveryError(database_of_another_log("the database", head.origin, "the log's key", short(key)))
    if published is not None and published.size > head.size:
        raise RecoveryError(f"the database has {head.size} records, and the log {published.size}: {OLDER_DATABASE}")


def _check_marks(marks: Iterable[Mark], tiles: AuthenticTiles) -> list[Mark]:
    """Check that every record that freed a seed stands in this log; returns the marks of tables that were given up.

    Without it, an old log with a database as old would offer bets on outcomes that are known.
    """
    missing = [mark for mark in marks if not _stands(mark, tiles)]
    for mark in missing:
        if not mark.abandoned:
            raise RecoveryError(
                f"nothing was signed: the log has {tiles.checkpoint.size} records, but {mark.missing}"
            )
    return missing


def _stands(mark: Mark, tiles: AuthenticTiles) -> bool:
    return mark.position < tiles.checkpoint.size and tiles.leaf(mark.position) == mark.leaf


def _reader(read: ReadFile, edge: LogEdge, full: list[File]) -> ReadFile:
    """Read the log as it will be once the files of the edge are written."""
    coming = dict(full) | dict(edge.partial_files())
    return lambda path: coming[path] if path in coming else read(path)


def _unnoted(read: ReadFile, noted: int, start: int, kept: list[KeptRow]) -> Iterator[tuple[int, Record]]:
    yield from records_between(read, noted, start)
    for position, data in kept:
        if aside_of(data) is None:
            yield position, parse_record(data)


def records_between(read: ReadFile, first: int, size: int) -> Iterator[tuple[int, Record]]:
    """Yield the records of the log's bundles from the one of ``first`` on, with their positions. Raises
    `RecoveryError`.
    """
    for number, width in bundles_of(first, size):
        try:
            records, leaves = read_bundle(read, number, width), split_tile(read_tile(read, 0, number, width))
        except ForedrawError as error:
            raise _not_whole(error) from error
        for i, data in enumerate(records):
            if leaf_hash(data) != leaves[i]:
                raise _not_whole(f"{bundle_path(number)}: record {number * WIDTH + i} is not the log's")
        # No finding aid leads to an aside.
        found = [(at, data) for at, data in enumerate(records, number * WIDTH) if aside_of(data) is None]
        yield from zip((at for at, _ in found), parse_records([data for _, data in found]), strict=True)


def newest_checkpoint(log: LogFolder, key: VerifierKey) -> Checkpoint | None:
    """Read the last checkpoint that was signed; `None` before the first. Raises `RecoveryError`, `Unreadable`."""
    if log.stamp(CHECKPOINT) == (0, 0):
        return None
    return own_checkpoint(log.read(CHECKPOINT), key, "the log's folder", _REMEDY)


def own_checkpoint(note: bytes, key: VerifierKey, where: str, remedy: str) -> Checkpoint:
    """Open the checkpoint that was found ``where``. Raises `RecoveryError` unless it is signed by the key of this
    log.
    """
    try:
        return Checkpoint.open(note, key)
    except ForedrawError as error:
        raise RecoveryError(checkpoint_not_ours(where, error, remedy)) from error


def _damaged_database(size: int, published: Checkpoint | None) -> RecoveryError:
    """Say that the queue is at fault. A rebuild is safe only if the log lacks nothing that the database has."""
    found = 0 if published is None else published.size
    remedy = (
        "Run `foredraw rebuild`"
        if found == size
        else f"The log has {found} records and the database {size}: put the newest copy of the log's folder back"
    )
    return RecoveryError(f"the database does not hold the end of its log: nothing was signed. {remedy}")


def _not_the_same(log: LogFolder, head: HeadRow, published: Checkpoint | None, start: int) -> RecoveryError:
    if published is not None and (published.size, published.root.hex()) == (head.size, head.root):
        try:
            check_files(log, AuthenticTiles(published, log.read), start)
        except ForedrawError as error:
            raise _not_whole(error) from error
        # The folder has what was signed, and the database's own head says the same.
        return _damaged_database(head.size, published)
    return RecoveryError(
        "the database and the log's files are not the same log: nothing was signed. "
        "Put back the newest copy of the log's folder, and the database that belongs to it"
    )


def _not_whole(why: object, size: int = 0, published: Checkpoint | None = None) -> RecoveryError:
    if published is not None and published.size < size:
        return RecoveryError(
            f"the log's folder is older than the database: its checkpoint is of {published.size} records, the database "
            f"has {size}, and {why}. Nothing was signed. Put the newest copy of the log's folder back"
        )
    return NotWholeError(log_not_whole(f"{why}. Nothing was signed"))


def _hashes_at(size: int, read: ReadFile) -> list[list[bytes]]:
    """Return the hashes of the partial tiles of a log of ``size`` records, from its full tiles alone."""
    levels: list[list[bytes]] = [[]]
    level = 1
    while entries := hashes_of_level(size, level):
        first = entries // WIDTH * WIDTH
        tiles = [read_tile(read, level - 1, number, WIDTH) for number in range(first, entries)]
        levels.append([root_of_hashes(split_tile(tile)) for tile in tiles])
        level += 1
    return levels
