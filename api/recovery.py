"""Starting again: the edge of the log from the database and the files that outlast a crash.

The queue keeps every record whose full bundle may not be on disk yet. Below those the full tiles
are there, so that the edge can be computed, checked against the head, and published again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from api import statements as sql
from api.service import Service
from fairness.checkpoints import Checkpoint
from fairness.errors import ForedrawError
from fairness.hashing import leaf_hash
from fairness.log_edge import File, LogEdge
from fairness.merkle import root_of_hashes
from fairness.records import Record, parse_record
from fairness.tiles import WIDTH, ReadFile, bundle_path, bundles_of, read_bundle, read_tile, split_tile


class RecoveryError(Exception):
    """The database and the published log do not agree; the message says how, and what to do."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Where the sequencer goes on, and what it writes again first."""

    edge: LogEdge
    kept_from: int
    """The position of the first record that the queue still keeps."""
    full_files: list[File]
    partial_files: Iterator[File]
    """The partial files of every size that no full file covers: any of those may have been published."""
    unnoted: Iterator[tuple[int, Record]]
    """The records, with their positions, whose finding aids may not have reached the disk."""


def recover(service: Service) -> Recovered:
    """The edge at the database's head.

    Raises `RecoveryError` where the database is older than the published log, or is another log's.
    """
    with service.database.read() as connection:
        head = connection.execute(sql.ONE_HEAD).one()
        kept = [(int(row.position), bytes(row.data)) for row in connection.execute(sql.APPENDED)]
    published = _published(service)
    if published is None and head.size:
        # The empty log's checkpoint is signed before the first record gets its position.
        raise RecoveryError(
            f"the log's checkpoint is missing, and the database has {head.size} records: nothing was signed. "
            "Restore the log's folder"
        )
    if published is not None and published.size > head.size:
        raise RecoveryError(
            f"the database is older than the published log: it has {head.size} records, the log {published.size}. "
            "Run `foredraw rebuild`, which rolls it forward from the log"
        )
    start = head.size - len(kept)
    positions = [position for position, _ in kept]
    if head.origin != service.origin or start % WIDTH or positions != list(range(start, head.size)):
        raise RecoveryError("the database does not hold the end of its log. Run `foredraw rebuild`")
    edge = LogEdge(start, _hashes_at(start, service.log.read))
    full: list[File] = []
    agrees = published is None or _agrees(edge, published)
    for _, data in kept:
        full += edge.append(data)
        agrees = agrees or _agrees(edge, published)
    if edge.root.hex() != head.root or not agrees:
        raise RecoveryError(
            "the database and the log's files are not the same log: nothing was signed. Restore the log's folder, "
            "or run `foredraw rebuild` if the folder is the true one"
        )
    return Recovered(
        edge, start, full, edge.partial_files_so_far(), _unnoted(service.log.read, head.noted, start, kept)
    )


def _unnoted(read: ReadFile, noted: int, start: int, kept: list[tuple[int, bytes]]) -> Iterator[tuple[int, Record]]:
    for number, width in bundles_of(noted, start):
        try:
            records, leaves = read_bundle(read, number, width), split_tile(read_tile(read, 0, number, width))
        except ForedrawError as error:
            raise _not_whole(error) from error
        for i, data in enumerate(records):
            if leaf_hash(data) != leaves[i]:
                raise _not_whole(f"{bundle_path(number)}: record {number * WIDTH + i} is not the log's")
            yield number * WIDTH + i, parse_record(data)
    for position, data in kept:
        yield position, parse_record(data)


def _agrees(edge: LogEdge, published: Checkpoint | None) -> bool:
    return published is not None and published.size == edge.size and published.root == edge.root


def _published(service: Service) -> Checkpoint | None:
    """The last checkpoint that was signed; `None` before the first."""
    if service.log.stamp("checkpoint") == (0, 0):
        return None
    try:
        return Checkpoint.open(service.log.read("checkpoint"), service.verifier_key)
    except ForedrawError as error:
        raise RecoveryError(f"the published checkpoint is not ours: {error}") from error


def _not_whole(why: object) -> RecoveryError:
    return RecoveryError(f"the log's folder is not whole: {why}. Restore it from a copy")


def _hashes_at(size: int, read: ReadFile) -> list[list[bytes]]:
    """The hashes of the partial tiles of a log of ``size`` records, from its full tiles alone."""
    levels: list[list[bytes]] = [[]]
    level = 1
    while entries := size >> 8 * level:
        first = entries // WIDTH * WIDTH
        try:
            tiles = [read_tile(read, level - 1, number, WIDTH) for number in range(first, entries)]
        except ForedrawError as error:
            raise _not_whole(error) from error
        levels.append([root_of_hashes(split_tile(tile)) for tile in tiles])
        level += 1
    return levels
