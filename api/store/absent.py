"""A database that cannot be opened: each use says why, and nothing is made in its place."""

from __future__ import annotations

from typing import NoReturn

from api.settings import SettingsError
from api.sql.database import Database


class AbsentDatabase(Database):
    """Every use raises `SettingsError`, with the reason."""

    def __init__(self, why: str) -> None:
        self._why = why

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise SettingsError(self._why)

    read = write = write_if_free = check_writable = look_whether_held = prepare = alter = _refuse

    def dispose(self) -> None:
        """Close nothing: there is nothing."""
