"""The log as far as it can be proven here: what a rebuild reads and compares with what it replaces.

The signed checkpoint vouches for most of it. Records after that stand in the old database's queue, which its head
vouches for, or in the folder's newest tiles and bundles, which are written before each checkpoint: they are what
the log would have had next, and are used. Then the log must be as long as the database and the custodian
remember it. If it is not, it came from a backup: the service would sign other records in the place of those
that are missing, a second history, and take bets on outcomes that are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from api.custody.mark import Mark
from api.restore.salvage import Salvage
from api.settings import SettingsError
from api.world.published.log_folder import LogFolder
from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash
from fairness.log.edge import LogEdge
from fairness.log.tiles import (
    WIDTH,
    AuthenticTiles,
    bundle_path,
    bundles_of,
    read_bundle,
    read_tile,
    root_from_edge,
    split_tile,
    tile_path,
)


@dataclass(slots=True)
class KnownLog:
    """One reading of a log, from its first record to the last that is known."""

    log: LogFolder
    tiles: AuthenticTiles
    old: Salvage
    """The database that is replaced."""
    marks: list[Mark]
    edge: LogEdge = field(default_factory=LogEdge)
    """The log's end, once all records have been read."""
    found: set[Mark] = field(default_factory=set)
    """The marks whose records the log has."""

    def records(self) -> Iterator[bytes]:
        """Yield all records in turn. Raises `CheckFailed`, `Unreadable`; `SettingsError` if the database is another
        log's.
        """
        wanted = {(mark.position, mark.leaf): mark for mark in self.marks}
        for position, (data, leaf) in enumerate(self._records_and_leaves()):
            if (position, leaf) in wanted:
                self.found.add(wanted[position, leaf])
            yield data

    @property
    def missing(self) -> list[Mark]:
        """The marks whose records are not in the log, but for those of tables that were given up before."""
        return [mark for mark in self.marks if mark not in self.found and not mark.abandoned]

    def check_complete(self, discard: int) -> None:
        """Check that the log has all records that the database and the custodian know of, but for ``discard`` of
        them.

        Raises `SettingsError`.
        """
        size, missing = self.edge.size, self.missing
        for mark in missing:
            if mark.position < size:
                raise SettingsError(f"nothing was rebuilt: {mark.missing}")
        furthest = max(missing, key=lambda mark: mark.position, default=None)
        freed = 0 if furthest is None else furthest.position + 1
        needed = max(size, self.old.size or 0, freed)
        if needed - size == discard:
            return
        if needed == size:
            raise SettingsError(f"the log lacks no record, so {discard} cannot be discarded: run `foredraw rebuild`")
        known = f"the database to be replaced has {needed}"
        if freed == needed:
            known = f"{furthest}, so it had at least {needed}"
        raise SettingsError(
            f"the log has {size} records, but {known}: the log's folder, or only its checkpoint, is older than it was, "
            f"most likely from a backup. Nothing was rebuilt: the service would sign others in the place of those "
            f"{needed - size} records, and take bets on outcomes that are known. Put the newest copy of the log's folder "
            'back; docs/back-up.md says under "Back-up and restore" what is left to do if there is none'
        )

    def _records_and_leaves(self) -> Iterator[tuple[bytes, bytes]]:
        size, last = self.tiles.checkpoint.size, list[bytes]()
        for number, width in bundles_of(0, size):
            leaves, last = self.tiles.tile(0, number), read_bundle(self.log.read, number, width)
            for i, data in enumerate(last):
                _check_leaf(data, leaves[i], number * WIDTH + i)
                yield data, leaves[i]
        if self.old.size is not None and self.old.size <= size:
            self._check_database(root_from_edge(self.tiles.prefix_edge(self.old.size)))
        self.edge = LogEdge(size, self.tiles.prefix_edge(size), last if size % WIDTH else [])
        for data in self._unsigned(size):
            self.edge.append(data)
            if self.edge.size == self.old.size:
                self._check_database(self.edge.root)
            yield data, leaf_hash(data)

    def _check_database(self, root: bytes) -> None:
        """Check that at the old database's end the log is what its head says."""
        if (self.old.origin, self.old.root) != (self.tiles.checkpoint.origin, root.hex()):
            raise SettingsError(
                f"the first {self.old.size} records of the log are not those of the database to be replaced: one of the "
                "two is of another history. Nothing was rebuilt. Put back the newest copy of the log's folder, and the "
                "database that belongs to it"
            )

    def _unsigned(self, size: int) -> Iterator[bytes]:
        """Yield the records after the first ``size``, from the database's queue, or from the folder if the queue
        lacks them.
        """
        # Without its head, nothing vouches for the queue.
        queued = {} if self.old.size is None else self.old.queued
        for number in count(size // WIDTH):
            first = number * WIDTH
            own = [queued.get(first + i) for i in range(WIDTH)]
            stored = _unsigned_bundle(self.log, number) if None in own else []
            for i in range(max(0, size - first), WIDTH):
                data = own[i] or (stored[i] if i < len(stored) else None)
                if data is None:
                    return
                yield data


def _unsigned_bundle(log: LogFolder, number: int) -> list[bytes]:
    """Return as many records of a bundle as the folder has together with their leaf hashes, which must agree."""
    bundle, tile = bundle_path(number), tile_path(0, number)
    width = WIDTH
    if log.size(bundle) is None or log.size(tile) is None:
        width = max(log.partial_widths(bundle) & log.partial_widths(tile), default=0)
    if not width:
        return []
    records = read_bundle(log.read, number, width)
    for i, leaf in enumerate(split_tile(read_tile(log.read, 0, number, width))):
        _check_leaf(records[i], leaf, number * WIDTH + i)
    return records


def _check_leaf(data: bytes, leaf: bytes, position: int) -> None:
    if leaf_hash(data) != leaf:
        raise CheckFailed(Check.BUNDLE, expected=leaf.hex(), found=leaf_hash(data).hex(), index=position)
