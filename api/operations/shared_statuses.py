"""The statuses of the sequencer that leads, carried by the database to listeners on other machines.

Within one folder a status is a file (`api.world.statuses`), and so are the standing of the witnesses and the
monitor's sums. The leader puts those that are new into the database, once a second. A machine whose sequencer stands
by, or that has none, writes them into its own folder. So whoever asks, `/health/ready`, `/ops` or a call that opens a
round, reads files, wherever it runs, and what it reads is the leader's.

Ages stay true without comparing clocks: a heartbeat is written into the other folder only when it has changed since
it was looked at before. One that a dead leader has left behind never does.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from api.operations.health import PARTS
from api.settings import Settings
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import StatusRow
from api.world.file_lock import is_held
from api.world.statuses import status_of, write_status
from api.world.storage_failures import ServerFailure
from api.world.timekeeper import Timekeeper

FOLLOWED_SECONDS = 1.0


def _heartbeats(settings: Settings) -> list[Path]:
    return [settings.heartbeat, *map(settings.heartbeat_of, (*PARTS, "salter", "publisher"))]


def _states(settings: Settings) -> list[Path]:
    return [settings.beacon_trouble, settings.entropy_trouble, settings.witnesses_trouble, settings.witnesses]


class SharedStatuses:
    """The statuses that the leader gives."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._files = [*_heartbeats(settings), *_states(settings), settings.drift]
        self._term: str | None = None
        self._given: dict[str, StatusRow] = {}

    def give(self, term: str) -> None:
        """Store what has changed since. Raises `ServerFailure`; then the next call gives it again."""
        if term != self._term:
            # Another leader may have given its own meanwhile.
            self._term, self._given = None, {}
        found = {row.name: row for file in self._files if (row := _read(file)) is not None}
        changed = [row for row in found.values() if self._given.get(row.name) != row]
        gone = self._given.keys() - found.keys()

        def store(connection: Connection) -> None:
            if self._term is None:
                sql.FORGET_STATUSES.run(connection)
            sql.FORGET_STATUS.run_many(
                connection, [{"name": name} for name in (*gone, *(row.name for row in changed))]
            )
            # After that, because the next leader, which writes its name first, waits for these rows.
            if sql.ONE_HEAD.one(connection).leader != term:
                raise ServerFailure("this sequencer does not lead any more, so its statuses are not shared")
            sql.INSERT_STATUS.run_many(connection, changed)

        self._database.write(store)
        self._term, self._given = term, found


class FollowedStatuses:
    """The statuses that this machine follows, as long as another one leads."""

    def __init__(self, settings: Settings, database: Database, timekeeper: Timekeeper) -> None:
        self._settings, self._database, self._timekeeper = settings, database, timekeeper
        self._seen: dict[str, int] | None = None
        """When each was written by the leader's clock; `None` before the first look."""

    def turn(self) -> None:
        """Follow, unless a sequencer of its own has the folder: that one does so while it stands by."""
        if is_held(self._settings.background_lock):
            self._seen = None
        else:
            self.follow()

    def follow(self) -> None:
        """Look, and write what is new. Raises what reading the database and writing a file raise."""
        with self._database.read() as connection:
            rows = {row.name: row for row in sql.ALL_STATUSES.all(connection)}
        before, self._seen = self._seen, {row.name: row.written for row in rows.values()}
        new = {name: row for name, row in rows.items() if before is None or before.get(name) != row.written}
        for file in _heartbeats(self._settings):
            if before is None or file.name not in rows:
                # The status of an earlier run says nothing, neither of this folder's own sequencer nor of a leader
                # that has ended.
                file.unlink(missing_ok=True)
            elif file.name in new:
                write_status(file, self._timekeeper, status_of(new[file.name].data))
        for file in _states(self._settings):
            _follow_state(file, rows.get(file.name))
        if (drift := self._settings.drift).name in new:
            _replace(drift, new[drift.name].data)

    def leave(self) -> None:
        """Leave what another machine said: this one leads from now on, so what has kept the other one from its work
        does not count.

        Its parts write their own heartbeats within a second; its monitor goes on from the sums of the last one.
        """
        if self._seen is None:
            return
        self._seen = None
        for file in _states(self._settings):
            if file != self._settings.witnesses_trouble:
                # That one says whether rounds may be opened (`api.witnesses.gate`).
                file.unlink(missing_ok=True)


def _follow_state(file: Path, row: StatusRow | None) -> None:
    """Follow the state, which is compared each time: a sequencer that has just lost the lead may write its own once
    more.
    """
    known = _read(file)
    if row is None:
        file.unlink(missing_ok=True)
    elif known is None or known.data != row.data:
        _replace(file, row.data)


def _read(file: Path) -> StatusRow | None:
    with suppress(OSError):
        # One that changes between the two is read again a second later.
        written = file.stat().st_mtime_ns
        return StatusRow(file.name, file.read_bytes(), written)
    return None


def _replace(file: Path, data: bytes) -> None:
    """Replace the file; a crash here leaves the old one or the new one; either may be lost."""
    # Another name than its own writer's, which may be at work still.
    temporary = file.with_name(f".{file.name}.followed")
    temporary.write_bytes(data)
    temporary.replace(file)
