"""The parts of a service that ``foredraw restore`` puts back: files and folders of the data folder, and what is on a server.

A file or folder is copied beside its place, under a name that ends in ``.restoring``, and gets its own name when it is on the
disk. What has its place by then gets such a name, too, until all is done. What is on a server is filled in one transaction. A
crash leaves copies, which the next run removes, parts that are whole, and on a server perhaps tables without rows, which count
as nothing.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from shutil import copy2, rmtree

from api.restore.backup import copy_files, opened_database, opened_store
from api.settings import Settings, SettingsError
from api.sql.copying import copy_rows
from api.sql.files import copy_database
from api.store.models import SCHEMA
from api.store.schema import clear, is_unused
from api.store.upgrade import check_schema, upgrade
from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError

_OF_A_DATABASE = ("", "-wal", "-shm")
"""How the names of SQLite's files end."""


class Part(ABC):
    """One part, and where the back-up has it."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def is_there(self) -> bool:
        """Whether the service has it."""

    @abstractmethod
    def prepare(self) -> None:
        """Copy what can be copied before anything changes."""

    @abstractmethod
    def put(self) -> None:
        """Put it in place."""

    @abstractmethod
    def remove(self) -> None:
        """Take it away again, and put back what was in its place."""

    @abstractmethod
    def finish(self) -> None:
        """All is done: remove what was in its place."""

    @abstractmethod
    def tidy(self) -> None:
        """Remove what `prepare` has left."""


class FilePart(Part):
    """A file or folder."""

    def __init__(self, name: str, here: Path, there: Path) -> None:
        super().__init__(name)
        # A log that machines share is a link in the data folder.
        self._here, self._there = here.resolve() if here.is_symlink() else here, there
        self._unfinished = self._here.with_name(f"{here.name}.restoring")
        # An empty folder; or files beside a database that was lost: SQLite would read them into the new one.
        endings = _OF_A_DATABASE if there.suffix == ".db" else ("",)
        places = [self._here.with_name(self._here.name + ending) for ending in endings]
        self._before = [(place, place.with_name(f"{place.name}.before.restoring")) for place in places]
        self._is_put = False

    @property
    def is_there(self) -> bool:
        """Whether there is a file, or a folder with anything in it."""
        return any(self._here.iterdir()) if self._here.is_dir() else self._here.exists()

    def prepare(self) -> None:
        """Copy it beside its place."""
        self.tidy()
        if self._there.is_dir():
            self._unfinished.mkdir()
            # So it is read as the listeners read it: what leads elsewhere stays behind.
            log = LogFolder(self._there)
            try:
                copy_files(log, log.files(""), self._unfinished)
            except ForedrawError as error:
                raise SettingsError(f"nothing was restored: {self._there} cannot be read: {error}") from error
        elif self._there.suffix == ".db":
            copy_database(self._there, self._unfinished)
        else:
            copy2(self._there, self._unfinished)

    def put(self) -> None:
        """Give the copy its name."""
        for place, before in self._before:
            if place.exists():
                place.rename(before)
        self._is_put = True
        self._unfinished.rename(self._here)

    def remove(self) -> None:
        """Remove it, with what belongs to it, and put back what was in its place."""
        if self._is_put:
            _remove(self._here)
        for place, before in self._before:
            if before.exists():
                before.rename(place)

    def finish(self) -> None:
        """Remove what was in its place."""
        for _, before in self._before:
            _remove(before)

    def tidy(self) -> None:
        """Remove the copy, if it has not got its name."""
        _remove(self._unfinished)


class ServerDatabase(Part):
    """The service's database, on a server."""

    def __init__(self, name: str, settings: Settings, copy: Settings) -> None:
        super().__init__(name)
        self._settings, self._copy = settings, copy
        self._unfinished = Settings(settings.folder / "database.restoring")

    @property
    def is_there(self) -> bool:
        """Whether its tables have any row."""
        with opened_database(self._settings) as database:
            return not is_unused(database)

    def prepare(self) -> None:
        """Copy the back-up's file, and upgrade the copy: the back-up may be of an older version, and stays as it is.

        Raises `SettingsError` if it is of a newer one.
        """
        self.tidy()
        self._unfinished.folder.mkdir()
        copy_database(self._copy.database, self._unfinished.database)
        with opened_database(self._unfinished) as copy:
            upgrade(copy)
            check_schema(copy, self._unfinished)

    def put(self) -> None:
        """Make the tables, and fill them."""
        with opened_database(self._unfinished) as copy, opened_database(self._settings) as database:
            upgrade(database)
            copy_rows(copy, database, SCHEMA)

    def remove(self) -> None:
        """Drop the tables."""
        with opened_database(self._settings) as database:
            clear(database)

    def finish(self) -> None:
        """Nothing was in its place."""

    def tidy(self) -> None:
        """Remove the copy."""
        _remove(self._unfinished.folder)


class ServerStore(Part):
    """The custodian's store, on a server."""

    def __init__(self, name: str, settings: Settings, copy: Settings) -> None:
        super().__init__(name)
        self._settings, self._copy = settings, copy

    @property
    def is_there(self) -> bool:
        """Whether it has a seed or a mark."""
        with opened_store(self._settings) as store:
            return not store.is_empty

    def prepare(self) -> None:
        """A transaction needs nothing before it."""

    def put(self) -> None:
        """Fill it."""
        with opened_store(self._copy) as copy, opened_store(self._settings) as store:
            copy.copy_to(store)

    def remove(self) -> None:
        """Empty it."""
        with opened_store(self._settings) as store:
            store.clear()

    def finish(self) -> None:
        """Nothing was in its place."""

    def tidy(self) -> None:
        """A transaction leaves nothing behind."""


def parts_of(settings: Settings, copy: Settings) -> list[Part]:
    """The custodian's store, the log, and the database."""
    return [
        FilePart("custodian/", settings.secrets, copy.secrets)
        if settings.seeds_server is None
        else ServerStore("the custodian's store", settings, copy),
        FilePart("log/", settings.log, copy.log),
        FilePart("foredraw.db", settings.database, copy.database)
        if settings.server is None
        else ServerDatabase("the database", settings, copy),
    ]


def put_all(parts: Sequence[Part], added: list[Part]) -> None:
    """Put these parts in place, when all that is copied is on the disk. ``added`` grows by each that may be there from then on."""
    try:
        for part in parts:
            part.prepare()
        os.sync()
        for part in parts:
            added.append(part)
            part.put()
        os.sync()
    finally:
        for part in parts:
            part.tidy()


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    for ending in _OF_A_DATABASE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
