"""The pieces of a service that ``foredraw restore`` puts back: files and folders of the data folder, and what is on a
server.

Each is put in place within a context. It begins when all that can be copied before anything changes is copied, and
gives the function that puts the piece in its place. At its end what was in the place before is removed; or, after a
refusal, the piece takes itself away again.

A file or folder is copied beside its place, under a name that ends in ``.restoring``, and gets its own name when it
is on the disk. What has its place by then gets such a name, too, until all is done. What is on a server is filled in
one transaction. A crash leaves copies, which the next run removes, pieces that are whole, and on a server perhaps
tables without rows, which count as nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import copy2, rmtree
from typing import NamedTuple

from api.restore.backup import copy_files, copy_state, copy_store, opened_database, opened_store
from api.settings import Settings, SettingsError
from api.sql.files import copy_database
from api.store.schema import clear, is_unused
from api.store.upgrade import check_schema, upgrade
from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError

_OF_A_DATABASE = ("", "-wal", "-shm")
"""How the names of SQLite's files end."""


class Piece(NamedTuple):
    """One piece of a service."""

    name: str
    is_there: Callable[[], bool]
    """Whether the service has it."""
    copied: Callable[[], AbstractContextManager[Callable[[], None]]]
    """The context in which it is put in place, from the back-up."""


def pieces_of(settings: Settings, copy: Settings) -> tuple[Piece, Piece, Piece]:
    """Name the pieces: the custodian's store, the log, and the database."""
    return (
        file_piece("custodian/", settings.secrets, copy.secrets)
        if settings.seeds_server is None
        else Piece("the custodian's store", partial(_has_seeds, settings), partial(_put_store, settings, copy)),
        file_piece("log/", settings.log, copy.log),
        file_piece("foredraw.db", settings.database, copy.database)
        if settings.server is None
        else Piece("the database", partial(_has_rows, settings), partial(_put_database, settings, copy)),
    )


def file_piece(name: str, here: Path, there: Path) -> Piece:
    """Describe a file or folder, which the back-up has ``there``."""
    # A log that machines share is a link in the data folder.
    place = here.resolve() if here.is_symlink() else here
    unfinished = place.with_name(f"{here.name}.restoring")
    return Piece(name, partial(_is_file, place), partial(_put_file, place, there, unfinished))


def put_all(pieces: Sequence[Piece], until: ExitStack) -> None:
    """Put these pieces in place, when all that is copied is on the disk. Their contexts last ``until`` all is
    done.
    """
    puts = [until.enter_context(piece.copied()) for piece in pieces]
    os.sync()
    for put in puts:
        put()
    os.sync()


def _is_file(here: Path) -> bool:
    """Look whether there is a file, or a folder with anything in it."""
    return any(here.iterdir()) if here.is_dir() else here.exists()


@contextmanager
def _put_file(here: Path, there: Path, unfinished: Path) -> Iterator[Callable[[], None]]:
    # An empty folder; or files beside a database that was lost: SQLite would read them into the new one.
    endings = _OF_A_DATABASE if there.suffix == ".db" else ("",)
    before = [here.with_name(here.name + ending) for ending in endings]
    kept = [place.with_name(f"{place.name}.before.restoring") for place in before]
    with ExitStack() as undo:

        def put() -> None:
            for place, other in zip(before, kept, strict=True):
                if place.exists():
                    place.rename(other)
                    undo.callback(other.rename, place)
            undo.callback(_remove, here)
            unfinished.rename(here)

        _remove(unfinished)
        undo.callback(_remove, unfinished)
        _copy(there, unfinished)
        yield put
        undo.pop_all()
    # All is in place by now: to fail here would take the other pieces away again.
    with suppress(OSError):
        for other in kept:
            _remove(other)


def _copy(there: Path, target: Path) -> None:
    if there.is_dir():
        target.mkdir()
        # So it is read as the listeners read it: what leads elsewhere stays behind.
        log = LogFolder(there)
        try:
            copy_files(log, log.files(""), target)
        except ForedrawError as error:
            raise SettingsError(f"nothing was restored: {there} cannot be read: {error}") from error
    elif there.suffix == ".db":
        copy_database(there, target)
    else:
        copy2(there, target)


def _has_rows(settings: Settings) -> bool:
    """Look whether the tables of a database on a server have any row."""
    with opened_database(settings) as database:
        return not is_unused(database)


@contextmanager
def _put_database(settings: Settings, copy: Settings) -> Iterator[Callable[[], None]]:
    """Fill the tables of a database on a server. Raises `SettingsError` if the back-up is of a newer version."""
    unfinished = Settings(settings.folder / "database.restoring")
    with ExitStack() as undo:

        def put() -> None:
            undo.callback(_clear_database, settings)
            copy_state(unfinished, settings)
            _remove(unfinished.folder)

        _remove(unfinished.folder)
        undo.callback(_remove, unfinished.folder)
        unfinished.folder.mkdir()
        copy_state(copy, unfinished)
        with opened_database(unfinished) as old:
            # The back-up may be of an older version, and stays as it is.
            upgrade(old)
            check_schema(old, unfinished)
        yield put
        undo.pop_all()


def _clear_database(settings: Settings) -> None:
    with opened_database(settings) as database:
        clear(database)


def _has_seeds(settings: Settings) -> bool:
    """Look whether the custodian's store on a server has a seed or a mark."""
    with opened_store(settings) as store:
        return not store.is_empty


@contextmanager
def _put_store(settings: Settings, copy: Settings) -> Iterator[Callable[[], None]]:
    """Fill the custodian's store on a server."""
    with ExitStack() as undo:

        def put() -> None:
            undo.callback(_clear_store, settings)
            copy_store(copy, settings)

        yield put
        undo.pop_all()


def _clear_store(settings: Settings) -> None:
    with opened_store(settings) as store:
        store.clear()


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    for ending in _OF_A_DATABASE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
