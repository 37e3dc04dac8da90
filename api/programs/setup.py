"""Making a new service: keys, database, and the folder of the log."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from api.custody.keys import create_seeds_key
from api.custody.seed_store import SeedStore
from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed
from api.log.keys import create_log_keys
from api.settings import Settings, SettingsError
from api.store.schema import check_unused, new_database
from api.world.clock import Clock
from api.world.file_lock import check_own, hold_folder
from fairness.errors import quote
from fairness.log.checkpoints import is_sandbox
from fairness.log.notes import VerifierKey

DEFAULT_ORIGIN = "foredraw.localhost/log"
"""The name of a log on this machine."""
_OF_A_FILE_SYSTEM = "lost+found"
_ORIGIN = re.compile(r"(?!.*://)[!-*,-~]*[!-*,-.0-~]")


def initialise(settings: Settings, origin: str, *, by: str = SERVICE) -> VerifierKey:
    """Initialise an empty folder for the log ``origin``. Raises `SettingsError` if it is not empty, or for a wrong
    origin.

    Where something is mounted as ``keys/`` or ``log/``, the folder has these already, and they are empty but for what
    a new file system has.
    """
    _check_origin(origin)
    if (trouble := Clock().trouble()) is not None:
        raise SettingsError(trouble)
    check_own(settings.folder)
    _check_empty(settings)
    # Before anything is made in the folder: the server may be away, or have a log already.
    check_unused(settings)
    if settings.seeds_server is not None:
        with closing(SeedStore(settings.seeds)) as store:
            if store.chains():
                raise SettingsError(
                    f"the database {settings.seeds_server.place} (FOREDRAW_CUSTODIAN) holds the seeds of a log already: a new"
                    " service needs an empty one"
                )
    settings.folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(settings):
        # Another `init` may have been here meanwhile, whose keys must stay.
        _check_empty(settings)
        try:
            return _make(settings, origin, by)
        except BaseException:
            for path in _made(settings):
                path.unlink(missing_ok=True)
            raise


def _make(settings: Settings, origin: str, by: str) -> VerifierKey:
    """Make the folder; a crash leaves a part of it, which no other command takes for a service."""
    verifier_key = create_log_keys(settings, origin)
    create_seeds_key(settings)
    SeedStore(settings.seeds).close()
    settings.log.mkdir(exist_ok=True)
    database = new_database(settings, origin)
    try:
        made = {"key": str(verifier_key)}
        note(database, Clock().now(), Deed(by, Act.INIT, origin, after=made))
    finally:
        database.dispose()
    return verifier_key


def _made(settings: Settings) -> tuple[Path, ...]:
    """Return the files of a new service."""
    keys = (settings.signing_key, settings.verifier_key, settings.seeds_key)
    databases = (settings.database, settings.secrets)
    return (*databases, *keys, *(Path(f"{file}{ending}") for file in databases for ending in ("-wal", "-shm")))


def _check_empty(settings: Settings) -> None:
    for path in (*_made(settings), settings.log):
        if path.exists() and not _is_empty_folder(path):
            raise SettingsError(
                f"{path} exists already: a service is initialised once, in an empty folder. If an `init` was interrupted"
                " there before it printed a key, move what it has left away"
            )


def _check_origin(origin: str) -> None:
    """Check the name, which is in every checkpoint and every key, for ever; what checkpoints allow is more than
    anybody means.
    """
    if not _ORIGIN.fullmatch(origin):
        raise SettingsError(
            "the log's name (--origin) is its public address without scheme, like casino.example/log: printable ASCII without"
            f" space and plus, with no :// and no slash at the end; found {quote(origin)}"
        )
    if is_sandbox(origin):
        raise SettingsError(
            f"the log's name (--origin) {quote(origin)} ends in /sandbox: such a log proves nothing, and every verdict on it says so."
            " Name it otherwise"
        )


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and all(each.name == _OF_A_FILE_SYSTEM for each in path.iterdir())
