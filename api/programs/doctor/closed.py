"""What of a data folder cannot be opened, and why: everything else is looked at without it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from api.findings.finding import LOOK_AGAIN, Finding, problem
from api.programs.doctor.folder import held
from api.settings import Settings, SettingsError
from api.store.present import check_present


class Part(StrEnum):
    """What is opened by itself."""

    DATABASE = "database"
    LOG = "log"
    CUSTODIAN = "custodian"


Closed = dict[Part, Finding]
"""For each part that cannot be opened, what is wrong with it."""


def closed_parts(settings: Settings) -> Closed:
    """Return the parts of a folder that are missing, empty, or held by a program that hangs."""
    found = {
        Part.LOG: _log(settings),
        Part.DATABASE: None if settings.server is not None else _database(settings),
        Part.CUSTODIAN: None if settings.seeds_server is not None else _custodian(settings),
    }
    return {part: finding for part, finding in found.items() if finding is not None}


def _log(settings: Settings) -> Finding | None:
    if settings.log.exists():
        return None
    return problem(
        "log",
        "log/ is missing, so nothing was compared with it. Put the newest copy of the log back: your own, a mirror's or an"
        " auditor's; or, if a back-up is the newest one, run `foredraw restore BACKUP`, which completes it from the database"
        " if that has the newest records",
        LOOK_AGAIN,
    )


def _database(settings: Settings) -> Finding | None:
    try:
        check_present(settings)
    except SettingsError as error:
        return problem("folder", str(error))
    if _is_empty(settings.database):
        # To open an empty file would make a database of it.
        return problem(
            "database",
            "foredraw.db is empty, as a crash can leave it, so nothing was compared with it. Stop the service, move the file"
            " away with its companions (-wal, -shm), and run `foredraw rebuild`; or put the newest copy back first, which has"
            " the tokens and the journal, too",
        )
    return held(settings.write_lock, "foredraw.db", settings)


def _custodian(settings: Settings) -> Finding | None:
    path = settings.secrets
    if not path.exists():
        return problem(
            "custodian",
            "custodian/seeds.db is missing: no pending round can be revealed, and what was released is forgotten. Put the"
            " newest copy of custodian/ back before anything is started, never an older state. A start would go on with"
            " an empty store, and the committed rounds would hang",
        )
    if _is_empty(path):
        return problem(
            "custodian",
            "custodian/seeds.db is empty, as a crash can leave it, so nothing was compared with it: it has no seeds, and has"
            " forgotten what was released. Put the newest copy of custodian/ back before anything is started, never an older"
            " state",
        )
    return held(path.with_name("write.lock"), "custodian/seeds.db", settings)


def _is_empty(path: Path) -> bool:
    """Return whether an SQLite file has nothing, and nothing is on its way into it."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return not any(file.stat().st_size for file in files if file.exists())
