"""``foredraw key rotate``: another key for the seeds at rest, while the service is stopped.

The steps, each durable before the next:

1. the journal has an entry;
2. the new key is in a file of its own, beside the old one;
3. every seed is sealed under the new key, in one transaction, and read back;
4. the new key's file takes the old one's name; if there are seeds that no batch points at, the old key is kept for
   them: a crash may have left them, or the log and the database are older than the store.

From step 2 on nothing opens a seed, and a start says so, until the same command has gone through the rest. Between 3
and 4 only the new file opens the seeds, and the old one is still there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from api.custody.chain import ChainId
from api.custody.keys import begin_rotation, finish_rotation, keys_of_rotation
from api.custody.rotation import Resealed, reseal
from api.custody.seed_store import SeedStore
from api.custody.source import Source
from api.findings.states import damaged_row
from api.journal.chain import note
from api.journal.entry import Act, Deed
from api.log.keys import load_verifier_key
from api.restore.known_log import KnownLog
from api.restore.salvage import salvage
from api.rounds.reading import status_of_tables
from api.rounds.seeds import chain_of
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.store.replacement import replacement
from api.store.schema import disposed, open_database
from api.store.sole import hold_service
from api.store.upgrade import check_schema
from api.world.clock import Clock
from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.records.record import BatchRecord, TableRecord, aside_of, parse_record


class Rotated(NamedTuple):
    """The result of a rotation."""

    sealed: Resealed
    kept: Path | None
    """Where the old key is, if it was kept."""


def rotate_seeds_key(settings: Settings, *, by: str, reason: str | None = None) -> Rotated:
    """Seal all seeds under a new key. Raises `SettingsError`, or `SeedsUnavailableError` if seeds cannot be
    opened.
    """
    with hold_service(settings):
        with disposed(open_database(settings)) as database:
            check_schema(database, settings)
            chains = [*_published(settings), *_pending(database)]
            note(database, Clock().now(), Deed(by, Act.KEY_ROTATE, "seed-encryption.key", reason=reason))
        begin_rotation(settings)
        old, new = keys_of_rotation(settings)
        with closing(SeedStore(settings.seeds)) as store:
            made = reseal(store, old, new, chains, Source())
        return Rotated(made, finish_rotation(settings, keep_old=made.unknown > 0))


def _published(settings: Settings) -> Iterator[ChainId]:
    """Yield the chains of all batches that the log has, those that are over included."""
    log, key = LogFolder(settings.log), load_verifier_key(settings)
    ids: dict[str, bytes] = {}
    try:
        if not (settings.log / "checkpoint").exists():
            return
        tiles = AuthenticTiles(Checkpoint.open(log.read("checkpoint"), key), log.read)
        for data in KnownLog(log, tiles, salvage(replacement(settings)), []).records():
            if aside_of(data) is not None:
                continue
            record = parse_record(data)
            if isinstance(record, TableRecord):
                ids[record.table] = leaf_hash(data)
            elif isinstance(record, BatchRecord):
                for anchor in record.anchors:
                    yield ChainId(record.table, ids[record.table], record.first, record.count, bytes.fromhex(anchor))
    except ForedrawError as error:
        raise SettingsError(f"the log does not prove itself, so no key was changed: {error}") from error


def _pending(database: Database) -> Iterator[ChainId]:
    """Yield the chains of the batches of rounds to come, those that wait in the queue included."""
    for table in status_of_tables(database):
        if table.damaged:
            raise SettingsError(f"no key was changed: {damaged_row(table.state.name)}")
        for batch in table.state.batches:
            yield chain_of(table.state, batch)
