"""The signs of the sequencer that leads, carried by the database to listeners on other machines.

Within one folder a sign is a file (`api.world.signs`), and so are the standing of the witnesses and the monitor's sums. The
leader puts those that are new into the database, once a second; a machine whose folder has no sequencer writes them into
its own folder. So whoever asks, `/health/ready`, `/ops` or a call that opens a round, reads files, wherever it runs.

Ages stay true without comparing clocks: a sign of life is written into the other folder only when it has changed since it was
looked at before. One that a dead leader has left behind never does.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from api.operations.health import PARTS
from api.settings import Settings
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.rows import SignRow
from api.world.file_lock import is_held
from api.world.signs import give_sign, sign_of
from api.world.timekeeper import Timekeeper

FOLLOWED_SECONDS = 1.0


def _signs_of_life(settings: Settings) -> list[Path]:
    return [settings.heartbeat, *map(settings.sign_of_life, (*PARTS, "salter", "publisher"))]


def _states(settings: Settings) -> list[Path]:
    return [settings.beacon_trouble, settings.entropy_trouble, settings.witnesses_trouble, settings.witnesses]


class SharedSigns:
    """Those that the leader gives."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._files = [*_signs_of_life(settings), *_states(settings), settings.drift]
        self._term: str | None = None
        self._given: dict[str, int] = {}

    def give(self, term: str) -> None:
        """Store what has changed since. Raises `ServerFailure`; then the next call gives it again."""
        if term != self._term:
            # Another leader may have given its own meanwhile.
            self._term, self._given = None, {}
        found = [row for file in self._files if (row := _read(file)) is not None]
        changed = [row for row in found if self._given.get(row.name) != row.written]
        gone = self._given.keys() - {row.name for row in found}

        def store(connection: Connection) -> None:
            if self._term is None:
                sql.FORGET_SIGNS.run(connection)
            sql.FORGET_SIGN.run_many(connection, [{"name": name} for name in (*gone, *(row.name for row in changed))])
            sql.INSERT_SIGN.run_many(connection, changed)

        self._database.write(store)
        self._term, self._given = term, {row.name: row.written for row in found}


class FollowedSigns:
    """Those that this machine follows, as long as no sequencer of its own has its folder."""

    def __init__(self, settings: Settings, database: Database, timekeeper: Timekeeper) -> None:
        self._settings, self._database, self._timekeeper = settings, database, timekeeper
        self._seen: dict[str, int] | None = None
        """When each was written by the leader's clock; `None` before the first look."""

    def turn(self) -> None:
        """Look, and write what is new. Raises what reading the database and writing a file raise."""
        if is_held(self._settings.background_lock):
            self._seen = None
            return
        with self._database.read() as connection:
            rows = {row.name: row for row in sql.ALL_SIGNS.all(connection)}
        seen = {row.name: row.written for row in rows.values()}
        for file in _signs_of_life(self._settings):
            self._follow(file, rows.get(file.name), is_of_life=True)
        for file in (*_states(self._settings), self._settings.drift):
            self._follow(file, rows.get(file.name), is_of_life=False)
        self._seen = seen

    def _follow(self, file: Path, row: SignRow | None, *, is_of_life: bool) -> None:
        first = self._seen is None
        if row is None or (first and is_of_life):
            # The sign of an earlier run says nothing, neither of this folder's own sequencer nor of a leader that has ended.
            if file != self._settings.drift:
                file.unlink(missing_ok=True)
        elif self._seen is None or self._seen.get(row.name) != row.written:
            if is_of_life:
                give_sign(file, self._timekeeper, sign_of(row.data))
            else:
                _replace(file, row.data)


def _read(file: Path) -> SignRow | None:
    with suppress(OSError):
        # One that changes between the two is read again a second later.
        written = file.stat().st_mtime_ns
        return SignRow(file.name, file.read_bytes(), written)
    return None


def _replace(file: Path, data: bytes) -> None:
    """A crash here leaves the old file or the new one; either may be lost."""
    temporary = file.with_name(f".{file.name}.new")
    temporary.write_bytes(data)
    temporary.replace(file)
