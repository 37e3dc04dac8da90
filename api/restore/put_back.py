"""``foredraw restore``: the parts that a data folder lacks, from a back-up.

A part that is there stays, because it may be newer: the newest log, wherever it was, and the newest store of the custodian
show whether the back-up is too old. So a folder with a part that knows more records than the back-up is refused or rolled
forward as a start would do it. If no part does, nothing shows it, and the operator has to say so: a part that is as old as
the back-up, or older, may have come from a copy itself.

Each part is copied beside its place, under a name that ends in ``.restoring``, and gets its own name when it is on the disk.
A crash leaves such copies, which the next run removes, and parts that are whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copy2, copytree, rmtree

from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed
from api.log.keys import load_verifier_key
from api.log.publishing import CHECKPOINT
from api.log.recovery import RecoveryError
from api.restore.backup import (
    check_is_file,
    check_opens,
    check_startable,
    opened_database,
    opened_store,
    remove_locks,
)
from api.restore.rebuild import Rebuilt, rebuild
from api.settings import Settings, SettingsError
from api.sql.files import copy_database
from api.store import statements as sql
from api.store.upgrade import upgrade
from api.world.clock import Clock
from api.world.file_lock import hold_folder
from api.world.storage_failures import DatabaseFailure
from fairness.errors import ForedrawError
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    parts: list[str]
    """Those that were put back; the others were there."""
    rebuilt: Rebuilt | None
    """The database was older than the log, and was rolled forward."""


def put_back(settings: Settings, source: Path, *, has_not_grown: bool, by: str = SERVICE) -> Restored:
    """Put back what the folder lacks, roll the database forward if the log is newer, and check what a start checks.

    Raises `SettingsError`, `RecoveryError`, `SeedsUnavailableError`: then the folder has what it had before.
    ``has_not_grown`` is the operator's word that nothing was published after the back-up, for a folder without a part
    that knows more records. ``by`` says who does it, for the journal.
    """
    check_is_file(settings, "restored")
    copy = Settings(source)
    if not (copy.verifier_key.exists() and copy.database.exists() and copy.secrets.exists() and copy.log.exists()):
        raise SettingsError(f"{source} is no back-up: expected the folder that `foredraw backup` has made")
    settings.folder.mkdir(parents=True, exist_ok=True)
    added: list[Path] = []
    try:
        with hold_folder(settings):
            key = _put_keys(settings, copy, added)
            parts = _put_parts(settings, copy, key, added, has_not_grown=has_not_grown)
            # The back-up may be of an older version.
            with opened_database(settings) as database:
                upgrade(database)
            check_opens(settings, key)
            try:
                check_startable(settings, key)
            except RecoveryError:
                if settings.database not in added:
                    raise
            else:
                _note(settings, parts, by)
                return Restored(parts, None)
        # The database alone can be older: `rebuild` makes it from the log, or says what the log lacks.
        rebuilt = rebuild(settings, by=by)
        _note(settings, parts, by)
        return Restored(parts, rebuilt)
    except BaseException:
        for path in added:
            _remove(path)
        raise


def _note(settings: Settings, parts: list[str], by: str) -> None:
    """An entry of the journal, in the database as it is now."""
    with opened_database(settings) as database:
        note(database, Clock().now(), Deed(by, Act.RESTORE, ", ".join(parts)))


def _put_keys(settings: Settings, copy: Settings, added: list[Path]) -> VerifierKey:
    """The keys that the back-up has and the folder lacks. A crash leaves some of them, which the same command completes."""
    settings.verifier_key.parent.mkdir(exist_ok=True, mode=0o700)
    pairs = {
        path: copy.verifier_key.with_name(path.name)
        for path in (settings.verifier_key, settings.signing_key, settings.seeds_key)
    }
    _put({here: there for here, there in pairs.items() if not here.exists() and there.exists()}, added)
    key = load_verifier_key(settings)
    if (other := load_verifier_key(copy)) != key:
        raise SettingsError(
            f"nothing was restored: {settings.folder} has the key {key}, and the back-up is of {other}"
        )
    for path in (settings.signing_key, settings.seeds_key):
        if not path.exists():
            raise SettingsError(
                f"nothing was restored: {path} is missing, and the back-up has no secret keys. Put the file back from your"
                " back-up of keys, with mode 600, and run this again"
            )
    return key


def _put_parts(
    settings: Settings, copy: Settings, key: VerifierKey, added: list[Path], *, has_not_grown: bool
) -> list[str]:
    parts = {
        "custodian/": (settings.secrets, copy.secrets),
        "log/": (settings.log, copy.log),
        "foredraw.db": (settings.database, copy.database),
    }
    lacking = {name: paths for name, paths in parts.items() if not _is_there(paths[0])}
    if not lacking:
        raise SettingsError(
            f"nothing was restored: {settings.folder} has a database, a log and a custodian's store, and a part that is"
            " there is never replaced. Move the part that is damaged out of the folder; keep it until all is well"
        )
    _check_not_empty(settings)
    try:
        if settings.secrets.exists():
            _check_not_older(settings, copy)
        size = _head_size(copy)
    finally:
        remove_locks(copy)
    if not has_not_grown and max(_known(settings, key)) <= size:
        raise SettingsError(
            f"nothing was restored: no part in {settings.folder} knows more than the {size} records of the back-up, so"
            " nothing shows whether the log has grown since. If it has, the service would sign a second history, and take"
            f" bets on outcomes that are known. Bring the newest copy of the log (a mirror's, an auditor's) to"
            f" {settings.log}, and what is left of custodian/ and foredraw.db to its place, and run this again. Only if you"
            " know that nothing was published after the back-up, add --the-log-has-not-grown"
        )
    _put(dict(lacking.values()), added)
    return list(lacking)


def _check_not_empty(settings: Settings) -> None:
    """A database or store that is there is not the empty file that a crash can leave. Raises `SettingsError`."""
    for path in (settings.secrets, settings.database):
        if path.exists() and not path.stat().st_size:
            raise SettingsError(
                f"nothing was restored: {path} is an empty file, which a crash may have left. Move it out of the folder,"
                " put the newest copy that you have in its place, if there is one newer than the back-up, and run this again"
            )


def _check_not_older(settings: Settings, copy: Settings) -> None:
    """The custodian's store that is there has every seed and every mark of the back-up. Raises `SettingsError`."""
    with opened_store(copy) as old, opened_store(settings) as here:
        anchors = {chain.anchor for chain in here.chains()}
        rounds = {mark.table_id: mark.round for mark in here.marks()}
        lacks_seeds = any(chain.anchor not in anchors for chain in old.chains())
        lacks_marks = any(rounds.get(mark.table_id, 0) < mark.round for mark in old.marks())
    if lacks_seeds or lacks_marks:
        raise SettingsError(
            f"nothing was restored: {settings.secrets} lacks {'seeds' if lacks_seeds else 'marks'} that the back-up's store"
            " has, so it is older, or another one. Put the newest copy of custodian/ in its place. If it is the newest, take"
            " a back-up that was made after it was put there"
        )


def _head_size(settings: Settings) -> int:
    """How many records the database has."""
    with opened_database(settings) as database, database.read() as connection:
        return sql.ONE_HEAD.one(connection).size


def _known(settings: Settings, key: VerifierKey) -> Iterator[int]:
    """How many records each part that is there shows the log to have. One that cannot be read shows nothing."""
    yield 0
    if settings.database.exists():
        with suppress(DatabaseFailure):
            yield _head_size(settings)
    if (settings.log / CHECKPOINT).exists():
        with suppress(ForedrawError):
            yield Checkpoint.open((settings.log / CHECKPOINT).read_bytes(), key).size
    if settings.secrets.exists():
        with opened_store(settings) as store:
            yield from (mark.position + 1 for mark in store.marks())


def _put(parts: dict[Path, Path], added: list[Path]) -> None:
    """Copy each part beside its place, and name it when all are on the disk."""
    try:
        for here, there in parts.items():
            new = _unfinished(here)
            _remove(new)
            if there.is_dir():
                copytree(there, new)
            elif there.suffix == ".db":
                copy_database(there, new)
            else:
                copy2(there, new)
        os.sync()
        for here in parts:
            added.append(here)
            # SQLite would read what the files beside a lost database say into the new one.
            _remove(here)
            _unfinished(here).rename(here)
        os.sync()
    finally:
        for here in parts:
            _remove(_unfinished(here))


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.restoring")


def _is_there(path: Path) -> bool:
    """Whether there is a file, or a folder with anything in it."""
    return any(path.iterdir()) if path.is_dir() else path.exists()


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
