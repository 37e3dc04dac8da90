"""One service: its database, its log, its custodian, put together from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from api.custody.custodian import Custodian
from api.custody.keys import load_seeds_key
from api.log.keys import load_verifier_key
from api.log.publication import Publication
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.store import statements as sql
from api.world.bounded import BoundedCache
from api.world.clock import Clock
from api.world.cooperation import Offload, inline
from api.world.log_folder import LogFolder
from api.world.self_test import check_known_answers
from api.world.timekeeper import Timekeeper
from fairness.draws.commitments import CommitmentTrees
from fairness.draws.game import Games
from fairness.log.notes import VerifierKey
from games import GAMES

_REMEMBERED = 4096
# Of 8 KiB for each custodian, of which a table has one here, and at most eight: 2 MiB, and 16 at most.
_TREES_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Service:
    """What every part of the service works with."""

    settings: Settings
    database: Database
    log: LogFolder
    publication: Publication
    custodian: Custodian
    clock: Clock
    timekeeper: Timekeeper
    verifier_key: VerifierKey
    games: Games
    sound_batches: BoundedCache[bytes, None] = field(default_factory=lambda: BoundedCache(_REMEMBERED))
    """Batches whose file of commitments this process has found to be right."""
    tables_seen: set[str] = field(default_factory=set)
    """Tables whose next round this process has found to be new to the published log."""
    ended_rounds: BoundedCache[tuple[str, int], Mapping[str, object]] = field(
        default_factory=lambda: BoundedCache(_REMEMBERED)
    )
    """The public answers about rounds that have ended, by table and number."""

    commitment_trees: BoundedCache[bytes, CommitmentTrees] = field(
        default_factory=lambda: BoundedCache(_TREES_REMEMBERED)
    )
    """The trees over the commitments of batches whose rounds' proofs were asked for, by the batches' ids."""

    @property
    def origin(self) -> str:
        """The log's name."""
        return self.verifier_key.name

    def close(self) -> None:
        """Close the databases and the files of the log."""
        self.database.dispose()
        self.custodian.close()
        self.log.close()


def open_service(settings: Settings, offload: Offload = inline) -> Service:
    """Open an initialised folder, and no secret in it. Raises `SettingsError`."""
    check_known_answers()
    if not settings.database.exists():
        raise SettingsError(
            f"{settings.folder} holds no database: run `foredraw init` for a new log, or `foredraw rebuild` if the folder has a log"
        )
    verifier_key = load_verifier_key(settings)
    log = LogFolder(settings.log)
    database, clock = Database(settings.database, settings.write_lock, offload), Clock()
    return Service(
        settings=settings,
        database=database,
        log=log,
        publication=Publication(log, verifier_key),
        custodian=Custodian(settings.secrets, lambda: load_seeds_key(settings), verifier_key, offload),
        clock=clock,
        timekeeper=Timekeeper(clock, settings.clock, lambda: newest_time(database)),
        verifier_key=verifier_key,
        games=GAMES,
    )


class _TimeOfState(Struct):
    latest: str


_TIME_DECODER = msgspec.json.Decoder(_TimeOfState)


def newest_time(database: Database) -> str | None:
    """The newest time of all records, those that are queued included; `None` before the first table."""
    with database.read() as connection:
        states = sql.QUEUED_STATES.all(connection)
    return max(filter(None, map(_time_of, states)), default=None)


def _time_of(state: bytes) -> str | None:
    try:
        return _TIME_DECODER.decode(state).latest
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # A damaged row halts its own table, and hides no time of another one.
        return None
