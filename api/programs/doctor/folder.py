"""Accounts, permissions, disks and locks of a data folder. Only names and modes are read."""

from __future__ import annotations

import os
import re
import shlex
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from api.findings.finding import Finding, note, problem, some
from api.findings.states import run_by_another_account
from api.settings import Settings
from api.world.file_lock import is_held
from api.world.key_files import WRITTEN_BY_OTHERS
from api.world.storage_failures import account_name, folder_fails, of_another_account

_READ_ONLY = ("keys", "log/tile", "log/commitments", "log/witnessed", "log/custody", "log/policies", "log/paytables")
"""Where nothing is written twice."""
_OF_THE_LOG = re.compile(
    r"checkpoint|tile|commitments|witnessed|custody|policies|paytables|find|\.unfinished|.*\.new"
)
"""What the service puts there, and what a crash leaves of it."""
_NAMED = 5
"""How many are named, and not only counted."""
_PATIENCE = 3.0
"""Seconds that a program may hold a lock."""
_OF_OTHERS = 0o077
_WRITTEN_BY_ALL = 0o002


def foreign_account(settings: Settings) -> Finding | None:
    """Return whether this account is not the folder's: then nothing else is looked at, because SQLite would leave
    files of it.
    """
    whose = of_another_account(settings.folder)
    if whose is None:
        return None
    name = account_name(settings.folder.stat().st_uid)
    return problem(
        "account",
        f"{run_by_another_account(whose)}. Nothing else was looked at",
        f"sudo -u {shlex.quote(name)} foredraw --data {shlex.quote(str(settings.folder))} doctor",
    )


def look_at_permissions(settings: Settings) -> Iterator[Finding]:
    """Yield files of other accounts, files that the service cannot use, and secrets that others can read."""
    owner = settings.folder.stat().st_uid
    foreign, closed = [], []
    # Of a log that is a link, what that leads to.
    open_to_all = [path for path in (settings.folder, settings.log) if path.exists() and _is_open_to_all(path.stat())]
    # Of these, more is demanded below.
    others = {settings.log, settings.signing_key.parent, settings.secrets.parent}
    for path in _paths(settings.folder):
        status = path.lstat()
        if path not in others and not stat.S_ISLNK(status.st_mode) and _is_open_to_all(status):
            open_to_all.append(path)
        needed = 0o500 if path.is_dir() else 0o400
        if not _is_below(path.relative_to(settings.folder), _READ_ONLY):
            needed |= 0o200
        if status.st_uid != owner:
            foreign.append(path)
        elif status.st_mode & needed != needed:
            closed.append(path)
    if foreign:
        yield problem(
            "permissions",
            f"{_some(foreign, settings)} not of the account {account_name(owner)}, so the service may be unable to use"
            f" {_them(foreign)}: probably a command was run as another account",
            f"chown -R {shlex.quote(account_name(owner))} {shlex.quote(str(settings.folder))}",
        )
    if closed:
        yield problem(
            "permissions",
            f"{_some(closed, settings)} closed to the service's own account: it cannot read or write {_them(closed)}",
            f"chmod -R u+rwX {shlex.quote(str(settings.folder))}",
        )
    if open_to_all:
        yield problem(
            "permissions",
            f"{_some(open_to_all, settings)} open to every account of this machine, which can write there, and so exchange"
            " the database, or take the log away: a command was run with a mask (umask) of 000",
            f"chmod -R o-w {shlex.quote(str(settings.folder))}/",
        )
    yield from _look_around(settings)
    yield from _look_at_secrets(settings)


def _is_open_to_all(status: os.stat_result) -> bool:
    return bool(status.st_mode & _WRITTEN_BY_ALL)


def _look_around(settings: Settings) -> Iterator[Finding]:
    """Yield whether every account can put another folder in the place of this one, or of one around it."""
    for around in settings.folder.resolve().parents:
        status = around.stat()
        if _is_open_to_all(status) and not status.st_mode & stat.S_ISVTX:
            yield problem(
                "permissions",
                f"every account of this machine can write into {around}, and so put another folder in the place of"
                f" {settings.folder}",
                f"chmod o-w {shlex.quote(str(around))}",
            )


def look_at_restored(settings: Settings) -> Iterator[Finding]:
    """Yield what an interrupted `foredraw restore` was copying."""
    left = sorted(path for path in settings.folder.rglob("*.restoring") if not path.is_relative_to(settings.log))
    if left:
        yield problem(
            "restore",
            f"{_some(left, settings)} what an interrupted `foredraw restore` was copying. Run it again with the same back-up,"
            f" before anything is started: it begins with removing {_them(left)}. If nothing of the folder is missing any more,"
            f" delete {_them(left)}",
            "foredraw restore BACKUP",
        )


def look_at_foreign_files(settings: Settings) -> Iterator[Finding]:
    """Yield what is in the public folder without being the log's."""
    if not settings.log.is_dir():
        return
    foreign = sorted(path for path in settings.log.iterdir() if not _OF_THE_LOG.fullmatch(path.name))
    if foreign:
        yield note(
            "log",
            f"{_some(foreign, settings)} not of the log. Everything in log/ is public, and copied by whoever copies the log:"
            f" if {_them(foreign)} should not be, move {_them(foreign)} away",
            f"ls -la {shlex.quote(str(settings.log))}",
        )


def look_at_links(settings: Settings) -> Iterator[Finding]:
    """Yield what is below ``log/`` and is neither a plain file nor a folder."""
    strange = sorted(
        Path(root) / name
        for root, folders, files in os.walk(settings.log)
        for name in (*folders, *files)
        if _leads_elsewhere(Path(root) / name)
    )
    if strange:
        yield problem(
            "log",
            f"log/ has what is neither a plain file nor a folder ({_few(strange, settings)}): nothing there that leads elsewhere"
            f" is followed, served or copied, so the log lacks {_them(strange)}. If files were moved to another disk, move them"
            f" back, or make log/ itself the link; otherwise find out who has put {_them(strange)} there, and remove"
            f" {_them(strange)}",
            f"find {shlex.quote(str(settings.log))}/ -not -type f -not -type d -ls",
        )


def _leads_elsewhere(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        # A running service replaces files all the time.
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def look_at_disks(settings: Settings) -> Iterator[Finding]:
    """Yield whether log, database and custodian's store can be written to."""
    said = set()
    for folder, name in (
        (settings.log, "log/"),
        (settings.folder, "the data folder"),
        (settings.secrets.parent, "custodian/"),
    ):
        disk = folder.stat().st_dev if folder.exists() else None
        if disk is not None and disk not in said and (why := folder_fails(folder, name, settings)) is not None:
            said.add(disk)
            yield problem("disk", why, f"df -h {shlex.quote(str(folder))}")


def held(lock: Path, file: str, settings: Settings) -> Finding | None:
    """Return whether a program keeps everybody from writing to a database: then it is not opened, because that needs
    the lock, too.
    """
    if not _stays_held(lock):
        return None
    return problem(
        "locks",
        f"a program holds {lock.relative_to(settings.folder)} for {_PATIENCE:.0f} seconds, so nobody else can write"
        f" to {file}: a command of foredraw, or a part of the service that hangs or was stopped (SIGSTOP). The system"
        f" frees the lock when that program ends, and deleting the file frees nothing. Nothing of {file} was looked at",
        f"fuser -v {shlex.quote(str(lock))}",
    )


def _stays_held(lock: Path) -> bool:
    """Return whether it is held all the time: a service at work lets go of it many times a second."""
    end = time.monotonic() + _PATIENCE
    while is_held(lock):
        if time.monotonic() >= end:
            return True
        time.sleep(0.01)
    return False


def _look_at_secrets(settings: Settings) -> Iterator[Finding]:
    keys, seeds = settings.signing_key.parent, settings.secrets.parent
    if keys.exists() and keys.stat().st_mode & WRITTEN_BY_OTHERS:
        yield problem(
            "permissions",
            "other accounts can write into keys/: who can exchange log.vkey can make the custodian believe another log",
            f"chmod 700 {shlex.quote(str(keys))}",
        )
    if seeds.exists() and seeds.stat().st_mode & _OF_OTHERS:
        yield problem(
            "permissions",
            "custodian/ is open to other accounts. It has the seeds, encrypted",
            f"chmod 700 {shlex.quote(str(seeds))}",
        )


def _paths(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root) / name
            # A running service replaces files all the time.
            if path.exists():
                yield path


def _is_below(path: Path, folders: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _some(paths: list[Path], settings: Settings) -> str:
    return some(
        [path.relative_to(settings.folder) if path != settings.folder else Path("the data folder") for path in paths]
    )


def _few(paths: list[Path], settings: Settings) -> str:
    """Return the first of them by name."""
    names = [str(path.relative_to(settings.folder)) for path in paths[:_NAMED]]
    return ", ".join([*names, *(["…"] if len(paths) > _NAMED else [])])


def _them(paths: list[Path]) -> str:
    return "it" if len(paths) == 1 else "them"
