"""``foredraw backup``: a copy of the data folder that can be started, made while rounds are played.

The order is what keeps the copy from ever forking the log:

1. the custodian's store;
2. the log's checkpoint: a seed leaves the custodian only after its record is published, so this checkpoint has the
   record of every mark in the copy of the store;
3. the database: records get their positions there before they are published, so it has all that the checkpoint has. A
   database from before the checkpoint would be refused at a start, and would need a rebuild;
4. the log's files, as far as database and checkpoint need them. Full tiles and bundles never change, and those below
   the records that the database keeps were durable before. What is newer stays out: it may have batches whose seeds
   were made after step 1.

Only a batch that was committed between 1 and 3 spoils the copy, because its seeds would be missing: then it begins
again. In the end the copy is put to the test that a start makes.

A copy has the form of a data folder, wherever database and custodian's store are: what PostgreSQL has of them is in
files of SQLite there. So a copy can be started on its own, and be put back into either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp

from api.custody.custodian import Custodian
from api.custody.keys import check_not_rotating, load_seeds_key
from api.custody.seed_store import SeedStore, SeedsUnavailableError
from api.log.keys import load_verifier_key
from api.log.recovery import RecoveryError, recover
from api.rounds.reading import status_of_tables
from api.rounds.seeds import check_key
from api.settings import Settings, SettingsError
from api.sql.copying import copy_rows
from api.sql.database import Database
from api.sql.files import copy_database
from api.sql.sqlite import SqliteDatabase
from api.store import statements as sql
from api.store.schema import database_on, disposed
from api.store.tables import SCHEMA
from api.store.upgrade import check_schema, upgrade
from api.world.file_lock import is_held
from api.world.published.log_folder import LogFolder
from api.world.storage_failures import LEAST_FREE, STORAGE_FAILURES, free_bytes, has_no_inodes
from fairness.hashing import HASH_SIZE
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import (
    WIDTH,
    bundle_of,
    bundle_path,
    filled_between,
    hashes_of_level,
    levels_of,
    read_bundle,
    read_tile,
    tile_path,
)

_TRIES = 10
WHOLE_FOLDERS = ("commitments", "witnessed", "custody", "policies", "paytables")
"""What else audits need, beside tiles and bundles. Finding aids are made again at a start."""


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy of a data folder."""

    size: int
    """How many records its database has."""
    published: int
    """How many of them its checkpoint has."""


def back_up(settings: Settings, target: Path, *, with_keys: bool) -> Copied:
    """Copy everything that cannot be made again to the new folder ``target``, and check that it could be started.

    A crash leaves nothing at ``target``, and perhaps a folder beside it that ends in ``.partial``. Raises
    `SettingsError`.
    """
    key = load_verifier_key(settings)
    _check_apart(settings, target)
    files = ((settings.server, settings.database), (settings.seeds_server, settings.secrets))
    for server, file in files:
        if server is None and not file.exists():
            raise SettingsError(f"nothing was copied: {file} is missing. Run `foredraw doctor`")
    with opened_database(settings) as database:
        check_schema(database, settings)
    if target.exists():
        raise _exists(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Of its own: another back-up may be on its way to the same name.
    partial = Path(mkdtemp(prefix=f"{target.name}.", suffix=".partial", dir=target.parent))
    copy = Settings(partial)
    locks = new_locks(copy)
    try:
        checkpoint = _copy_databases(settings, copy)
        _copy_keys(settings, copy, with_keys=with_keys)
        found = _copy_log(settings, copy, key, checkpoint)
        check_startable(copy, key)
        if with_keys:
            check_opens(copy, key)
        remove_locks(locks)
        # Everything must be on the disk before the name says that the copy is complete. This may take long, and be
        # interrupted.
        os.sync()
        partial.rename(target)
    except BaseException as error:
        refusal = _in_words(error, partial, target)
        rmtree(partial)
        if refusal is None:
            raise
        raise refusal from error
    os.sync()
    return found


def _in_words(error: BaseException, partial: Path, target: Path) -> SettingsError | None:
    """Return why no back-up was made, if more is to be said than the error itself says."""
    if isinstance(error, OSError) and error.filename2 == str(target):
        return _exists(target) if target.exists() else None
    is_full = (free_bytes(partial) < LEAST_FREE or has_no_inodes(partial)) and not isinstance(error, RecoveryError)
    if is_full and isinstance(error, (*STORAGE_FAILURES, SeedsUnavailableError)):
        # Files of the copy have the names of the service's own, whose disk may have room.
        how = "has no inodes left" if has_no_inodes(partial) else "is full"
        remedy = "Make room there, or name a folder on another disk"
        return SettingsError(f"no back-up was made: the disk of {target.parent} {how}. {remedy}")
    if isinstance(error, RecoveryError | SeedsUnavailableError):
        return SettingsError(f"no back-up was made, because the copy could not be started: {error}")
    return None


def _exists(target: Path) -> SettingsError:
    return SettingsError(f"{target} exists already: name a new folder for each back-up")


def _check_apart(settings: Settings, target: Path) -> None:
    """Check that a copy does not lie in what it copies: it would be lost with it, and below ``log/`` anybody could
    read it.
    """
    for folder in (settings.folder, settings.log.resolve()):
        if target.is_relative_to(folder) and target != folder:
            raise SettingsError(f"{target} is inside {folder}, which is what it would copy: name a folder elsewhere")


def check_startable(settings: Settings, key: VerifierKey) -> None:
    """Check that database, log and custodian's store belong together, as a start demands. Raises `RecoveryError`."""
    with opened_database(settings) as database, opened_store(settings) as store:
        recover(database, LogFolder(settings.log), key, store.marks())


def check_opens(settings: Settings, key: VerifierKey) -> None:
    """Check that the seeds' key opens the custodian's store. Raises `SeedsUnavailableError`."""
    custodian = Custodian(settings.seeds, lambda: load_seeds_key(settings), key)
    with opened_database(settings) as database, closing(custodian):
        check_key(custodian, database)


def _copy_databases(settings: Settings, copy: Settings) -> bytes | None:
    """Do steps 1 to 3. Returns the checkpoint; `None` before the first."""
    log = LogFolder(settings.log)
    for _ in range(_TRIES):
        for path in (copy.secrets, copy.database):
            path.unlink(missing_ok=True)
        copy_store(settings, copy)
        checkpoint = None if log.stamp(CHECKPOINT) == (0, 0) else log.read(CHECKPOINT)
        copy_state(settings, copy)
        if not _lacks_seeds(settings, copy):
            return checkpoint
    raise SettingsError(
        "no back-up was made: batches are committed faster than they can be copied. Make batches larger"
        " (FOREDRAW_BATCH_SIZE), or stop the service while it is copied"
    )


def copy_store(source: Settings, target: Settings) -> None:
    """Copy the custodian's store to where there is none, from a file or a server to either."""
    if source.seeds_server is None and target.seeds_server is None:
        copy_database(source.secrets, target.secrets)
        return
    with opened_store(source) as old, opened_store(target) as new:
        old.copy_to(new)


def copy_state(source: Settings, target: Settings) -> None:
    """Copy the service's database to where there is none, from a file or a server to either."""
    if source.server is None and target.server is None:
        copy_database(source.database, target.database)
        return
    with opened_database(source) as old, opened_database(target) as new:
        upgrade(new)
        copy_rows(old, new, SCHEMA)


def _lacks_seeds(settings: Settings, copy: Settings) -> bool:
    """Return whether a batch was committed between the copies. One that the custodian itself lacks is none of our
    business.
    """
    with opened_database(copy) as database, opened_store(copy) as store, opened_store(settings) as original:
        anchors = [
            anchor
            for table in status_of_tables(database)
            if not table.damaged
            for batch in table.state.batches
            for anchor in batch.anchors
        ]
        return any(store.chain(anchor) is None and original.chain(anchor) is not None for anchor in anchors)


def _copy_keys(settings: Settings, copy: Settings, *, with_keys: bool) -> None:
    keys = (settings.verifier_key, *((settings.signing_key, settings.seeds_key) if with_keys else ()))
    if with_keys:
        check_not_rotating(settings)
    copy.verifier_key.parent.mkdir(mode=0o700)
    for path in keys:
        here = copy.verifier_key.with_name(path.name)
        here.touch(mode=0o600)
        copyfile(path, here)


def _copy_log(settings: Settings, copy: Settings, key: VerifierKey, checkpoint: bytes | None) -> Copied:
    """Do step 4."""
    log, new = LogFolder(settings.log), copy.log
    with opened_database(copy) as database, database.read() as connection:
        size = sql.ONE_HEAD.one(connection).size
    published = 0 if checkpoint is None else Checkpoint.open(checkpoint, key).size
    # The full files of the newest records may not be there yet: the database keeps these records.
    copy_files(log, (path for path in filled_between(0, size) if log.size(path) is not None), new)
    for path, data in _edge(log, published):
        _write(new / path, data)
    whole = chain.from_iterable(map(log.files, WHOLE_FOLDERS))
    copy_files(log, (path for path in whole if "." not in path), new)
    new.mkdir(exist_ok=True)
    if checkpoint is not None:
        _write(new / CHECKPOINT, checkpoint)
    return Copied(size, published)


def _edge(log: LogFolder, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield the partial tiles and the partial bundle of a checkpoint, from the full files if it was outgrown
    meanwhile.
    """
    for level in range(levels_of(size)):
        number, width = divmod(hashes_of_level(size, level), WIDTH)
        if width:
            yield tile_path(level, number, width), read_tile(log.read, level, number, width)[: width * HASH_SIZE]
    number, width = divmod(size, WIDTH)
    if width:
        yield bundle_path(number, width), bundle_of(read_bundle(log.read, number, width))


def copy_files(log: LogFolder, paths: Iterable[str], target: Path) -> None:
    """Copy files of a log into a folder. Raises `Unreadable`, `OSError`."""
    for path in paths:
        _write(target / path, log.read(path))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def opened_database(settings: Settings) -> AbstractContextManager[Database]:
    """Open the database for a context; a file need not be there."""
    server = settings.server
    return disposed(SqliteDatabase(settings.database, settings.write_lock) if server is None else database_on(server))


def opened_store(settings: Settings) -> closing[SeedStore]:
    """Open the custodian's store for a context."""
    return closing(SeedStore(settings.seeds))


def new_locks(settings: Settings) -> list[Path]:
    """Return the locks that using a folder makes, and that are not there yet."""
    locks = (settings.background_lock, settings.write_lock, settings.secrets.with_name("write.lock"))
    return [lock for lock in locks if not lock.exists()]


def remove_locks(locks: Iterable[Path]) -> None:
    """Remove the locks that this program has made, and that no other holds by now."""
    for lock in locks:
        if not is_held(lock):
            lock.unlink(missing_ok=True)
