"""The pieces of a service that ``foredraw restore`` puts back: files and folders of the data folder, and what is on a server.

The life of a piece is a function that stops twice: when all that can be copied before anything changes is copied, and when it
is in its place. Then it goes on to its end, which removes what was in its place before; or it is closed there, by what was
refused later, and takes itself away again.

A file or folder is copied beside its place, under a name that ends in ``.restoring``, and gets its own name when it is on the
disk. What has its place by then gets such a name, too, until all is done. What is on a server is filled in one transaction. A
crash leaves copies, which the next run removes, pieces that are whole, and on a server perhaps tables without rows, which
count as nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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

Life = Generator[None, None, None]
"""Stops when the copy is made, and when it is in place."""


class Piece(NamedTuple):
    """One piece of a service."""

    name: str
    is_there: Callable[[], bool]
    """Whether the service has it."""
    put: Callable[[], Life]
    """Begins to put it in place, from the back-up."""


def pieces_of(settings: Settings, copy: Settings) -> tuple[Piece, Piece, Piece]:
    """The custodian's store, the log, and the database."""
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
    """A file or folder, which the back-up has ``there``."""
    # A log that machines share is a link in the data folder.
    place = here.resolve() if here.is_symlink() else here
    unfinished = place.with_name(f"{here.name}.restoring")
    return Piece(name, partial(_is_file, place), partial(_put_file, place, there, unfinished))


def put_all(pieces: Sequence[Piece], added: list[Life]) -> None:
    """Put these pieces in place, when all that is copied is on the disk. ``added`` grows by each that is to be ended or closed."""
    begun = [piece.put() for piece in pieces]
    added += begun
    for _ in ("copied", "in place"):
        for life in begun:
            next(life)
        os.sync()


def _is_file(here: Path) -> bool:
    """Whether there is a file, or a folder with anything in it."""
    return any(here.iterdir()) if here.is_dir() else here.exists()


def _put_file(here: Path, there: Path, unfinished: Path) -> Life:
    # An empty folder; or files beside a database that was lost: SQLite would read them into the new one.
    endings = _OF_A_DATABASE if there.suffix == ".db" else ("",)
    before = [here.with_name(here.name + ending) for ending in endings]
    kept = [place.with_name(f"{place.name}.before.restoring") for place in before]
    with ExitStack() as undo:
        with _gone_afterwards(unfinished):
            _copy(there, unfinished)
            yield
            for place, other in zip(before, kept, strict=True):
                if place.exists():
                    place.rename(other)
                    undo.callback(other.rename, place)
            undo.callback(_remove, here)
            unfinished.rename(here)
        yield
        undo.pop_all()
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
    """Whether the tables of a database on a server have any row."""
    with opened_database(settings) as database:
        return not is_unused(database)


def _put_database(settings: Settings, copy: Settings) -> Life:
    """Fill the tables of a database on a server. Raises `SettingsError` if the back-up is of a newer version."""
    unfinished = Settings(settings.folder / "database.restoring")
    with ExitStack() as undo:
        with _gone_afterwards(unfinished.folder):
            unfinished.folder.mkdir()
            copy_state(copy, unfinished)
            with opened_database(unfinished) as old:
                # The back-up may be of an older version, and stays as it is.
                upgrade(old)
                check_schema(old, unfinished)
            yield
            undo.callback(_clear_database, settings)
            copy_state(unfinished, settings)
        yield
        undo.pop_all()


def _clear_database(settings: Settings) -> None:
    with opened_database(settings) as database:
        clear(database)


def _has_seeds(settings: Settings) -> bool:
    """Whether the custodian's store on a server has a seed or a mark."""
    with opened_store(settings) as store:
        return not store.is_empty


def _put_store(settings: Settings, copy: Settings) -> Life:
    """Fill the custodian's store on a server."""
    yield
    with ExitStack() as undo:
        undo.callback(_clear_store, settings)
        copy_store(copy, settings)
        yield
        undo.pop_all()


def _clear_store(settings: Settings) -> None:
    with opened_store(settings) as store:
        store.clear()


@contextmanager
def _gone_afterwards(unfinished: Path) -> Iterator[None]:
    """Within this context there is perhaps a copy, whose place is free before and after it."""
    _remove(unfinished)
    try:
        yield
    finally:
        _remove(unfinished)


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    for ending in _OF_A_DATABASE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
