"""``foredraw restore``: the parts that a data folder lacks, from a back-up.

A part that is there stays, because it may be newer: the newest log, wherever it was, and the newest store of the custodian
show whether the back-up is too old. So a folder that has one of them is refused or rolled forward as a start would do it. If
nothing is left, nothing shows it, and the operator has to say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import copy2, copytree, rmtree

from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed
from api.log.keys import load_verifier_key
from api.log.recovery import RecoveryError
from api.restore.backup import check_is_file, check_startable
from api.restore.rebuild import Rebuilt, rebuild
from api.settings import Settings, SettingsError
from api.sql.files import copy_database
from api.sql.sqlite import SqliteDatabase
from api.store.schema import bring_up_to_date
from api.world.clock import Clock
from api.world.file_lock import hold_folder
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

    Raises `SettingsError`, `RecoveryError`: then the folder has what it had before. ``has_not_grown`` is the operator's word
    that nothing was published after the back-up, for a folder that has neither database nor log nor custodian's store.
    ``by`` says who does it, for the journal.
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
            parts = _put_parts(settings, copy, added, has_not_grown=has_not_grown)
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
    database = SqliteDatabase(settings.database, settings.write_lock)
    try:
        # The back-up may be of an older version.
        bring_up_to_date(database)
        note(database, Clock().now(), Deed(by, Act.RESTORE, ", ".join(parts)))
    finally:
        database.dispose()


def _put_keys(settings: Settings, copy: Settings, added: list[Path]) -> VerifierKey:
    """The keys that the back-up has and the folder lacks. A crash leaves some of them, which the same command completes."""
    settings.verifier_key.parent.mkdir(exist_ok=True, mode=0o700)
    for path in (settings.verifier_key, settings.signing_key, settings.seeds_key):
        if not path.exists() and (there := copy.verifier_key.with_name(path.name)).exists():
            added.append(path)
            copy2(there, path)
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


def _put_parts(settings: Settings, copy: Settings, added: list[Path], *, has_not_grown: bool) -> list[str]:
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
    if len(lacking) == len(parts) and not has_not_grown:
        raise SettingsError(
            f"nothing was restored: {settings.folder} has neither database nor log nor custodian's store, so nothing shows"
            " whether the log has grown since the back-up. If it has, the service would sign a second history, and take"
            f" bets on outcomes that are known. Bring the newest copy of the log (a mirror's, an auditor's) to"
            f" {settings.log}, and what is left of custodian/ and foredraw.db to its place, and run this again. Only if you"
            " know that nothing was published after the back-up, add --the-log-has-not-grown"
        )
    for here, there in lacking.values():
        added.append(here)
        if there.is_dir():
            _remove(here)
            copytree(there, here)
        else:
            copy_database(there, here)
    return list(lacking)


def _is_there(path: Path) -> bool:
    """Whether there is a file, or a folder with anything in it."""
    return any(path.iterdir()) if path.is_dir() else path.exists()


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
