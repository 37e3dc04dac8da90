"""Failures of what the service stores, in a sentence with the remedy (``docs/watching.md``, "When storage fails").

The service waits while a disk is full or read-only, and continues by itself when that is repaired. A damaged database
is used only as far as it can be read, and is rebuilt with the service stopped.
"""

from __future__ import annotations

import errno
import logging
import os
import pwd
import re
import sqlite3
import time
from pathlib import Path

from api.findings.states import ANOTHER_FOLDER, log_not_whole
from api.settings import Settings
from fairness.errors import ForedrawError


class ServerFailure(Exception):
    """What a server did not do that the service needs, PostgreSQL or the store of its bucket; the message has the
    remedy.
    """

    def __init__(self, message: str, *, damaged: bool = False) -> None:
        """``damaged`` says that waiting does not help."""
        super().__init__(message)
        self.damaged = damaged


class ChangedElsewhereError(Exception):
    """Another program has changed what this one alone publishes; the message says where. Waiting does not help."""


class HeldElsewhereError(ServerFailure):
    """Another service has the database. One that stands by waits until that one is gone."""


DatabaseFailure = sqlite3.Error
"""What a statement raises on an SQLite file, and its opening."""
StorageFailure = OSError | DatabaseFailure | ServerFailure | ForedrawError
STORAGE_FAILURES = (OSError, DatabaseFailure, ServerFailure, ForedrawError)
"""What reading and writing files raises; `ForedrawError` means that a file of the log is missing or is not what was
signed.
"""

_SILENCE = 60.0
_said: dict[str, float] = {}
_logger = logging.getLogger("foredraw.storage")

LEAST_FREE = 32 * 1024 * 1024
"""Bytes. A disk with less free space counts as full."""

_OF_FILES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SCHEMA_DIFFERS = re.compile(r"no such (table|column)|table \w+ has no column")
_REBUILD = "Stop the service, keep a copy of the data folder, and run `foredraw rebuild`, which makes the database again from the log"
_FULL = "Make room, and the service can go on"
_NO_INODES = "its disk has no inodes left: it holds as many files as it can"
_REMOVE = "Remove files there, and the service can go on"
_NOT_WRITABLE = (
    "Make it writable for the service's account (is the disk mounted read-only?), and the service can go on"
)


def in_words(error: StorageFailure, settings: Settings) -> str:
    """Return what is wrong, and what to do. Files are named relative to the data folder."""
    if isinstance(error, DatabaseFailure):
        if _SCHEMA_DIFFERS.match(str(error)):
            return of_another_schema("foredraw.db", str(error))
        return of_database(error, settings.database, settings.folder, _REBUILD)
    if isinstance(error, ServerFailure):
        return str(error)
    if isinstance(error, OSError):
        return _of_file(error, settings.folder)
    if settings.elsewhere is not None:
        return (
            f"{settings.elsewhere.address} (FOREDRAW_LOG) does not answer with this log's files: {error}. Look at this address"
            " and at what answers there. When it is right again, this machine goes on by itself"
        )
    return log_not_whole(error)


def of_another_schema(name: str, said: str) -> str:
    """Return what is wrong with a database that lacks what a statement names. Any start says more, and so does the
    command.
    """
    return (
        f"{name} has not the schema of this version of the service ({said}). Run `foredraw upgrade --check`, which says what it"
        " is and what to do"
    )


def is_of_a_connection(error: BaseException) -> bool:
    """Return whether no file failed, but the caller hung up while the answer was made."""
    return isinstance(error, OSError) and error.filename is None and error.errno not in _OF_FILES


def is_damage(error: BaseException) -> bool:
    """Return whether the database itself is damaged: waiting does not help."""
    if isinstance(error, ServerFailure):
        return error.damaged
    return isinstance(error, DatabaseFailure) and _code(error) in _DAMAGED


def is_another_programs(error: DatabaseFailure) -> bool:
    """Return whether the file is no database at all."""
    return _code(error) == sqlite3.SQLITE_NOTADB


def say_once_a_minute(sentence: str) -> None:
    """Log a message for the operator at most once a minute, because every call of a busy service meets the same
    failure.
    """
    now = time.monotonic()
    if now - _said.get(sentence, -_SILENCE) >= _SILENCE:
        _said.clear()
        _said[sentence] = now
        _logger.error("%s", sentence)


def writing_fails(settings: Settings) -> str | None:
    """Return why nothing can be published on the log's disk; `None` if it can."""
    return folder_fails(settings.log, "log/", settings)


def sealing_fails(settings: Settings) -> str | None:
    """Return why no seed can be stored, if their file is on another disk than the log; `None` if it can."""
    return None if settings.seeds_server is not None else _apart(settings.secrets.parent, "custodian/", settings)


def storing_fails(settings: Settings) -> str | None:
    """Return why nothing can be stored in the database, if it is a file on another disk than the log; `None` if it
    can.
    """
    return None if settings.server is not None else _apart(settings.folder, settings.database.name, settings)


def _apart(folder: Path, name: str, settings: Settings) -> str | None:
    try:
        if folder.stat().st_dev == settings.log.stat().st_dev:
            return None
    except OSError as error:
        return _of_file(error, settings.folder)
    return folder_fails(folder, name, settings)


def free_bytes(folder: Path) -> int:
    """Return how much room the service has left on a folder's disk. Raises `OSError`."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def has_no_inodes(folder: Path) -> bool:
    """Return whether a folder's disk takes no more files, however much room it has. Raises `OSError`."""
    disk = os.statvfs(folder)
    # Some file systems have no such limit, and say 0 of 0.
    return disk.f_files > 0 and disk.f_favail == 0


def folder_fails(folder: Path, name: str, settings: Settings) -> str | None:
    """Return why nothing can be written into the folder called ``name``; `None` if it can."""
    try:
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"{name} cannot be written. {_NOT_WRITABLE}"
        free = free_bytes(folder)
        if has_no_inodes(folder):
            return f"nothing can be made in {name}, because {_NO_INODES}. {_REMOVE}"
    except OSError as error:
        return _of_file(error, settings.folder)
    return None if free >= LEAST_FREE else f"the disk of {name} is full ({free // 1024} KiB are left). {_FULL}"


def of_database(error: DatabaseFailure, file: Path, folder: Path, if_damaged: str) -> str:
    """Return what is wrong with an SQLite file of a data folder, and what to do; ``if_damaged`` is what to do if it
    is damaged.
    """
    name, remedy = _inside(file, folder), _FULL
    match _code(error):
        # Of the file that processes share beside the database, SQLite reports a full disk as an error of the disk.
        case _ if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE:
            how = "cannot be opened: the disk is full"
        case sqlite3.SQLITE_FULL:
            how = "cannot grow: the disk is full"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            how, remedy = f"is damaged ({error})", if_damaged
        # It makes two files beside the database.
        case sqlite3.SQLITE_CANTOPEN if _takes_no_file(file.parent):
            how, remedy = f"cannot be opened ({error}), because {_NO_INODES}", _REMOVE
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            how, remedy = f"cannot be opened or written ({error})", _NOT_WRITABLE
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            how, remedy = f"is held by another program ({error})", "End that program, and the service can go on"
        case _ if _SCHEMA_DIFFERS.match(str(error)):
            how, remedy = (
                f"is of another version of the service ({error})",
                f"Install that version, or {ANOTHER_FOLDER}",
            )
        case _:
            how, remedy = f"cannot be used ({error})", f"Look at the disk; if the file is damaged: {if_damaged}"
    return f"{name} {how}. {remedy}"


def account_name(number: int) -> str:
    """Return the name of an account of this machine; in a container it may have only its number."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def of_another_account(folder: Path) -> str | None:
    """Return whose the folder is, and who we are; `None` if it is ours, or if that cannot be seen."""
    try:
        owner = folder.stat().st_uid
    except OSError:
        return None
    if owner == os.geteuid():
        return None
    return f"{folder} belongs to the account {account_name(owner)}, and you are {account_name(os.geteuid())}"


def _of_file(error: OSError, folder: Path) -> str:
    why, file = error.strerror or str(error), _inside(error.filename, folder)
    match error.errno:
        case errno.ENOSPC if _takes_no_file(folder / file):
            return f"{file} cannot be made, because {_NO_INODES}. {_REMOVE}"
        case errno.ENOSPC | errno.EDQUOT:
            full = "the disk is full" if error.errno == errno.ENOSPC else "this account's quota is used up"
            return f"{full} ({file}). {_FULL}"
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return f"{file} cannot be used ({why}). {_NOT_WRITABLE}"
        case errno.EMFILE | errno.ENFILE:
            return "too many files are open. Allow the service more (`ulimit -n`), and start it again"
        case errno.ENOENT:
            return f"{file} is missing. Bring it back from a copy"
    return f"{file} cannot be used ({why}). Look at the disk; once the file can be used, the service can go on"


def _takes_no_file(path: Path) -> bool:
    """Return whether the disk has no inodes left on which a path is, or the folder is that would have it."""
    try:
        return has_no_inodes(path if path.exists() else path.parent)
    except OSError:
        return False


def _inside(filename: object, folder: Path) -> str:
    if not isinstance(filename, str | os.PathLike):
        return "a file"
    file = Path(filename)
    return str(file.relative_to(folder)) if file.is_relative_to(folder) else str(file)


def _code(error: DatabaseFailure) -> int | None:
    """Return the primary result code: the lowest byte of the extended one."""
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF
