"""A database that cannot be opened: each use says why, and nothing is made in its place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NoReturn

from sqlalchemy import Connection as Alchemy

from api.settings import SettingsError
from api.sql.connection import Connection
from api.sql.database import Database, Result


class AbsentDatabase(Database):
    """Every use raises `SettingsError`, with the reason."""

    def __init__(self, why: str) -> None:
        self._why = why

    def read(self) -> AbstractContextManager[Connection]:
        """Refuse."""
        self._refuse()

    def write(self, work: Callable[[Connection], Result], turn: str = "") -> Result:  # noqa: ARG002 -- as its base has it
        """Refuse."""
        self._refuse()

    def write_if_free(self, work: Callable[[Connection], object]) -> None:  # noqa: ARG002 -- as its base has it
        """Refuse."""
        self._refuse()

    def check_writable(self) -> None:
        """Refuse."""
        self._refuse()

    def look_whether_held(self) -> None:
        """Refuse."""
        self._refuse()

    def prepare(self) -> None:
        """Refuse."""
        self._refuse()

    def alter(self, work: Callable[[Alchemy], None]) -> None:  # noqa: ARG002 -- as its base has it
        """Refuse."""
        self._refuse()

    def dispose(self) -> None:
        """There is nothing to close."""

    def _refuse(self) -> NoReturn:
        raise SettingsError(self._why)
